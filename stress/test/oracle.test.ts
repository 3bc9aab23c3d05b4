// The oracle: what nobody can do better, by hand; and that a client who knows everything comes within a twentieth of it, and is never refused.
import { describe, expect, it } from 'vitest'
import { leastMs, makespanBound, mostAccepted } from '@avocet/stress/oracle'
import { eightHundred, siteModel, type HostSpec } from '@avocet/simulator'
import { eighty } from '@avocet/stress/worlds'
import { clairvoyant } from './clairvoyant.ts'

const seed = 'a'
const host = (spec: Partial<HostSpec>, pages = 20): HostSpec => ({
  name: 'h.test',
  pages: { kind: 'list', pages, textBytes: 0 },
  latency: { law: 'fixed', ms: 100 },
  ...spec,
})

describe('the most that a host accepts', () => {
  it.each<[string, Partial<HostSpec>, [number, number], number]>([
    ['a bucket gives its burst and what flows in', { capacity: { law: 'bucket', perSecond: 5, burst: 10 } }, [0, 60_000], 310],
    [
      'a bucket that halves',
      { capacity: { law: 'bucket', perSecond: 5, burst: 0, changes: [{ atMs: 30_000, factor: 0.5 }] } },
      [0, 60_000],
      225,
    ],
    [
      'a bucket on a wave, over a whole one',
      { capacity: { law: 'penalising', perSecond: 5, burst: 0, wave: { ratio: 0.3, periodMs: 60_000 } } },
      [0, 60_000],
      300,
    ],
    [
      'windows give the quota of each that is touched',
      { capacity: { law: 'window', requests: 10, seconds: 60 } },
      [30_000, 90_000],
      20,
    ],
    ['a sliding window', { capacity: { law: 'sliding', requests: 10, seconds: 60 } }, [30_000, 90_001], 20],
    ['workers get done what they get done', { capacity: { law: 'servers', servers: 4 } }, [0, 60_000], 2_400],
    ['a ban is a quota too', { ban: { requests: 12, windowSeconds: 5, banSeconds: 600 } }, [0, 10_000], 24],
    ['the dead accept nothing', { death: 'hang' }, [0, 60_000], 0],
  ])('%s', (_name, spec, [fromMs, untilMs], most) => {
    expect(mostAccepted(host(spec), { fromMs, untilMs, seed })).toBeCloseTo(most)
  })

  it('is less for a client that holds itself back', () => {
    const span = { fromMs: 0, untilMs: 10_000, seed }

    expect(mostAccepted(host({}), span, { delayMs: 1_000 })).toBe(11)
    expect(mostAccepted(host({}), span, { maxInFlightPerHost: 2 })).toBeCloseTo(200)
  })
})

describe('the least time that a host takes', () => {
  it.each<[string, Partial<HostSpec>, number]>([
    ['all at once', {}, 100],
    ['a bucket', { capacity: { law: 'bucket', perSecond: 2, burst: 10 } }, 5_100],
    ['a window', { capacity: { law: 'window', requests: 10, seconds: 60 } }, 60_100],
    ['a ban', { ban: { requests: 12, windowSeconds: 5, banSeconds: 600 } }, 5_100],
    ['workers', { capacity: { law: 'servers', servers: 4 } }, 500],
    ['for ever', { death: 'refuse' }, Infinity],
  ])('%s', (_name, spec, least) => {
    expect(leastMs(host(spec), 20, { seed })).toBeCloseTo(least)
  })

  it('is more for a client that holds itself back', () => {
    expect(leastMs(host({}), 20, { seed, delayMs: 1_000 })).toBe(19_100)
    expect(leastMs(host({}), 20, { seed, maxInFlightPerHost: 2 })).toBeCloseTo(1_000)
  })
})

describe('the bound of a whole model', () => {
  it('is the slowest host, or the slots, or the bytes', () => {
    const model = siteModel({
      seed,
      hosts: [
        host({}),
        host({ name: 'slow.test', capacity: { law: 'bucket', perSecond: 1, burst: 1 } }, 5),
        host({ name: 'dead.test', death: 'hang' }),
      ],
    })

    expect(makespanBound(model, { slots: 100 })).toMatchObject({
      ms: 4_100,
      byHost: { host: 'slow.test', ms: 4_100 },
      requests: 25,
    })
    expect(makespanBound(model, { slots: 0.5 }).ms).toBeCloseTo(5_000)
    const { byBytesMs } = makespanBound(model, { slots: 100, bytesPerSecond: 1_000 })
    expect(byBytesMs).toBeGreaterThan(25 * 100)
  })

  const inSmall = (...hosts: HostSpec[]) =>
    siteModel({ seed, hosts: hosts.map((one, n) => ({ ...one, name: `h${String(n)}.test` })) })

  it.each([
    ['eight hundred sites', () => eightHundred(), 100],
    ['eighty hosts of many rates', () => eighty(0.2), 200],
    ['a bucket alone', () => inSmall(host({ capacity: { law: 'bucket', perSecond: 3, burst: 5 } }, 100)), 100],
    [
      'a window and a ban',
      () =>
        inSmall(
          host({ capacity: { law: 'window', requests: 10, seconds: 60 } }, 55),
          host({ ban: { requests: 12, windowSeconds: 5, banSeconds: 600 } }, 100),
        ),
      100,
    ],
    ['workers', () => inSmall(host({ capacity: { law: 'servers', servers: 4 } }, 400), host({}, 1_000)), 20],
    [
      'a bucket that halves and swings',
      () =>
        inSmall(
          host(
            {
              capacity: {
                law: 'bucket',
                perSecond: 5,
                burst: 2,
                changes: [{ atMs: 20_000, factor: 0.5 }],
                wave: { ratio: 0.3, periodMs: 10_000 },
              },
            },
            200,
          ),
        ),
      100,
    ],
  ])('is nearly reached by a client that knows everything: %s', async (_name, make, slots) => {
    const model = make()

    const { tookMs, web } = await clairvoyant(model, slots)

    const { ms } = makespanBound(model, { slots })
    expect(ms / tookMs).toBeGreaterThanOrEqual(0.95)
    // And it is a bound: nothing is faster.
    expect(ms / tookMs).toBeLessThanOrEqual(1)
    const felt = model.hosts.map(({ name }) => web.felt(name))
    expect(felt.reduce((sum, { refused, banned, failed }) => sum + refused + banned + failed, 0)).toBe(0)
  })
})
