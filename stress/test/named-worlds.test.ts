// The worlds by name: each can be written to a file and read again, and answers a request.
import { describe, expect, it } from 'vitest'
import { eighty, WORLDS } from '@avocet/stress/worlds'
import { eightHundred, siteModel, type ModelSpec } from '@avocet/simulator'

describe('the named worlds', () => {
  it.each(Object.entries(WORLDS))('%s survives being written down, and its seeds are there', (_name, make) => {
    const model = make()

    const again = siteModel(JSON.parse(JSON.stringify(model.spec)) as ModelSpec)

    expect(again.hosts).toEqual(model.hosts)
    const { name } = model.hosts[0] ?? { name: '' }
    const path = model.seeds(name)[0]?.replace(model.baseOf(name), '') ?? ''
    expect(again.page(name, path)).toMatchObject({ status: 200 })
  })

  it('has 800 sites in the given shares, in clusters or mixed', () => {
    const model = eightHundred()
    const count = (holds: (host: (typeof model.hosts)[number]) => boolean): number => model.hosts.filter(holds).length

    expect(model.seeds()).toHaveLength(16_000)
    expect(count(({ death }) => death !== undefined)).toBe(40)
    expect(count(({ capacity }) => capacity !== undefined)).toBe(190)
    expect(count(({ capacity, refusal }) => capacity !== undefined && refusal?.retryAfter === 'seconds')).toBeGreaterThan(80)
    expect(count(({ ban }) => ban !== undefined)).toBe(10)
    const hostsOf = (urls: readonly string[]): number => new Set(urls.map((url) => new URL(url).host)).size
    expect(hostsOf(model.seeds().slice(0, 20))).toBe(1)
    expect(hostsOf(eightHundred({ seedOrder: 'shuffled' }).seeds().slice(0, 20))).toBeGreaterThan(15)
    expect(eightHundred({ seedOrder: 'shuffled' }).hosts).toEqual(model.hosts)
    expect(eightHundred({ seed: 'other' }).hosts).not.toEqual(model.hosts)
  })

  it('has eighty hosts with the rates of the comparison', () => {
    const total = (scale: number): number =>
      eighty(scale).hosts.reduce((sum, { capacity }) => sum + (capacity?.law === 'bucket' ? capacity.perSecond : 0), 0)

    expect(total(0.2)).toBeCloseTo(201, -1)
    expect(total(1)).toBeCloseTo(1_005, -2)
  })
})
