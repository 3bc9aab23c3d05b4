// A part of the month on virtual time (`npm run soak`): a few days of all weather, some hours of two processes; and oracles that see what is broken.
import { describe, expect, it } from 'vitest'
import { SABOTAGES } from '../bench/soak/sabotage.ts'
import { soak } from '../bench/soak/soak.ts'
import { ALL_WEATHER, type SoakOptions } from '../bench/soak/world.ts'

const SMALL = { days: 4, hosts: 24, products: 1, processes: 1, store: 'memory', weather: ALL_WEATHER } as const satisfies Omit<
  SoakOptions,
  'seed'
>

const WEATHERS = Object.values(SABOTAGES).filter(({ weather = [] }) => weather.length > 0)

describe('a crawl that is left alone', () => {
  it.each(['1', '2', '3', '4', '5', '6'])(
    'keeps every page in its rounds through four days of all weather, seed %s',
    { timeout: 60_000 },
    async (seed) => {
      const { findings, visits } = await soak({ ...SMALL, seed })

      expect(findings).toEqual([])
      expect(visits).toBeGreaterThan(1_000)
    },
  )

  it('keeps every page in its rounds while two processes come and go on one store', { timeout: 120_000 }, async () => {
    const weather = ['kill', 'restart', 'suspend', 'disk', 'outage', 'missing'] as const
    const { findings, visits } = await soak({ ...SMALL, seed: '1', days: 0.1, hosts: 12, processes: 2, store: 'sqlite', weather })

    expect(findings).toEqual([])
    expect(visits).toBeGreaterThan(12 * 3)
  })

  it('is the same story each time for the same seed', async () => {
    const options = { ...SMALL, seed: 'again', days: 1, hosts: 8 }
    const [{ realMs: _first, ...first }, { realMs: _second, ...second }] = [await soak(options), await soak(options)]

    expect(second).toEqual(first)
  })
})

describe('the oracle', () => {
  const calm = { ...SMALL, seed: 'blue', days: 2, hosts: 8, weather: [] }

  it('finds nothing where nothing is wrong, and counts every round', async () => {
    const { findings, visits, rounds } = await soak(calm)

    expect(findings).toEqual([])
    // 8 products and the directory, 48 times; two more pages of 8 shops, twice.
    expect(rounds).toBe(9 * 48 + 16 * 2)
    expect(visits).toBe(rounds)
  })

  it.each(WEATHERS)('finds nothing where nothing is broken, in $weather', async ({ weather = [], days = calm.days }) => {
    const { findings } = await soak({ ...calm, days, weather, hosts: 40 })

    expect(findings).toEqual([])
  })

  it.each(Object.entries(SABOTAGES))(
    'sees a crawler that %s',
    async (_what, { sabotage, seen, weather = [], days = calm.days }) => {
      const { findings } = await soak({ ...calm, days, weather, hosts: weather.length === 0 ? 8 : 40 }, { sabotage })

      expect(new Set(findings.map(({ check }) => check))).toEqual(new Set(seen))
    },
  )
})
