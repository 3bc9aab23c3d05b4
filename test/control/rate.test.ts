// The bars of the default rate law, with few seeds: bench/control/rate.ts is the whole of it.
import { describe, expect, it } from 'vitest'
import { rateTable } from '../../bench/control/rate.ts'
import { sharedBucket, steady, steppedHour } from '../../bench/control/rate-worlds.ts'
import { harmBudget } from '../../packages/plugin-aimd/src/laws/harm-budget.ts'
import { textbook } from '../../packages/plugin-aimd/src/laws/textbook.ts'

const law = harmBudget()
const BURSTS = [1, 5, 20]

describe('the default rate law', () => {
  it('keeps every bar of the table: steady, in an hour of changes, and on 80 hosts at once', () => {
    const rows = rateTable({ seeds: 3, quick: true })

    expect(rows.filter(({ holds, isAim }) => !holds && !isAim)).toEqual([])
    expect(rows.filter(({ bar, isAim }) => bar !== '–' && !isAim)).toHaveLength(34)
  })

  it.each(BURSTS)('is never far from its bars when a capacity halves and doubles, with burst %i', (burst) => {
    const runs = [1, 2, 3].map((seed) => steppedHour(law, seed, burst))

    for (const { utilisation, settledMs, halvingRefusals } of runs) {
      expect(utilisation).toBeGreaterThan(0.91)
      expect(settledMs).toBeLessThanOrEqual(8_000)
      expect(halvingRefusals).toBeLessThanOrEqual(8)
    }
  })

  it('shares a bucket with another crawler', () => {
    expect(sharedBucket(law, 1, { clients: 2, burst: 5 }).jain).toBeGreaterThan(0.95)
  })

  it.each([
    { clients: 8, burst: 5 },
    { clients: 8, burst: 20 },
  ])('shares a bucket of burst $burst among $clients crawlers', ({ clients, burst }) => {
    const { jain, utilisation, refusedRatio } = sharedBucket(law, 1, { clients, burst })

    expect(jain).toBeGreaterThan(0.9)
    expect(utilisation).toBeGreaterThan(burst === 20 ? 0.97 : 0.6)
    expect(refusedRatio).toBeLessThan(0.012)
  })

  it('bears slow answers', () => {
    const { utilisation, refusedRatio } = steady(law, 1, { rps: 10, burst: 5, latencyMs: 3_000 })

    expect(utilisation).toBeGreaterThan(0.85)
    expect(refusedRatio).toBeLessThan(0.006)
  })
})

it('a law that climbs by the same step everywhere misses a bar at each capacity', () => {
  const missed = [0.5, 5, 50].flatMap((rps) => {
    const { utilisation, refusedRatio } = steady(textbook(), 1, { rps, burst: 1 })
    return utilisation < 0.96 || refusedRatio > (rps < 5 ? 0.01 : 0.003) ? [rps] : []
  })

  expect(missed).toEqual([0.5, 5, 50])
})
