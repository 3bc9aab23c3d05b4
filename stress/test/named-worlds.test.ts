// The worlds by name: each can be written to a file and read again, and answers a request; what a file says wrongly is named by its path.
import { describe, expect, it } from 'vitest'
import { eighty, WORLDS } from '@avocet/stress/worlds'
import { eightHundred, modelFrom } from '@avocet/simulator'

describe('the named worlds', () => {
  it.each(Object.entries(WORLDS))('%s survives being written down, and its seeds are there', (_name, make) => {
    const model = make()

    const again = modelFrom(JSON.parse(JSON.stringify(model.spec)))

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

describe('a model from a file', () => {
  const host = { name: 'a.test', pages: { kind: 'list', pages: 2 } }

  it.each<[unknown, string]>([
    [7, 'expected model to be an object, got 7'],
    [{ hosts: [] }, 'expected model.seed to be a text that is not empty, got nothing'],
    [{ seed: 'a', hosts: {} }, 'expected model.hosts to be a list, got an object'],
    [
      { seed: 'a', hosts: [{ ...host, pages: { kind: 'blog' } }] },
      `expected model.hosts[0].pages.kind to be 'tree', 'shop', 'quotes', 'list', 'plain' or 'directory', got 'blog'`,
    ],
    [
      { seed: 'a', hosts: [host, { ...host, latency: { law: 'fixed', ms: -1 } }] },
      'expected model.hosts[1].latency.ms to be a number of at least 0, got -1',
    ],
    [
      { seed: 'a', hosts: [{ ...host, colour: 1 }] },
      "model.hosts[0] has no option 'colour'; the options are name, pages, latency,",
    ],
    [
      { seed: 'a', hosts: [{ ...host, refuseRatio: 2 }] },
      'expected model.hosts[0].refuseRatio to be a number from 0 to 1, got 2',
    ],
    [{ seed: 'a', hosts: [host, host] }, 'each host of a model needs a name of its own, "a.test" came twice'],
  ])('%j is refused', (json, message) => {
    expect(() => modelFrom(json)).toThrow(
      expect.objectContaining({ code: 'AVO_CONFIG_INVALID', message: expect.stringContaining(message) as string }) as Error,
    )
  })
})
