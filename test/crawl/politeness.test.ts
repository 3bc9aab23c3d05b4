// What a crawl without any plugin does to a host, and what it does when the host has had enough.
import { memoryFrontier } from 'avocet'
import { aimd, fixedRate } from '@avocet/plugin-aimd'
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { pathSpider, run } from './harness.ts'

const DAY_MS = 24 * 3_600_000
const HOST = 'http://shop.test'
const seeds = (n: number): string[] => Array.from({ length: n }, (_, i) => `${HOST}/${i + 1}`)
const ok = { body: 'ok' }

describe('a spacing beside a plugin that paces', () => {
  const script = Object.fromEntries(seeds(4).map((url) => [url, { ...ok, afterMs: 3_000 }]))
  const paced = { spider: pathSpider(seeds(4)), plugins: [aimd({ law: fixedRate({ rps: 10 }) })] }

  it('is kept between any two starts at a host', async () => {
    const { asked } = await run(script, { ...paced, delayMs: 5_000 })

    expect(asked).toEqual(['+0 /1', '+5000 /2', '+10000 /3', '+15000 /4'])
  })

  it('is no shorter than what is said of all hosts, and gives way to what is said of one', async () => {
    const least = await run(script, { ...paced, delayMs: 4_000, hosts: { '*': { delayMs: 6_000 } } })
    const own = await run(script, { ...paced, delayMs: 5_000, hosts: { 'shop.test': { delayMs: 4_000 } } })

    expect(least.asked[1]).toBe('+6000 /2')
    expect(own.asked[1]).toBe('+4000 /2')
  })

  it('leaves the pace alone where nobody asked for one', async () => {
    const { asked } = await run(script, paced)

    expect(asked.at(-1)).toMatch(/^\+[34]\d\d\d /)
  })

  it('comes with a number of requests at once, which is kept as well', async () => {
    const { asked } = await run(script, { ...paced, maxPerHost: 1 })

    expect(asked.map((line) => Number(/\d+/.exec(line)?.[0]))).toEqual([0, 3_000, 6_000, 9_000])
  })
})

describe('the default politeness', () => {
  it('asks a host once a second, one request at a time', async () => {
    const { asked } = await run({ [`${HOST}/1`]: ok, [`${HOST}/2`]: ok, [`${HOST}/3`]: ok }, { spider: pathSpider(seeds(3)) })

    expect(asked).toEqual(['+0 /1', '+1000 /2', '+2000 /3'])
  })

  it('leaves a slow host alone for as long as it took to answer', async () => {
    const slow = { ...ok, afterMs: 15_000 }
    const { asked } = await run({ [`${HOST}/1`]: slow, [`${HOST}/2`]: slow }, { spider: pathSpider(seeds(2)) })

    expect(asked).toEqual(['+0 /1', '+30000 /2'])
  })

  it('waits out a Retry-After, at most a tenth longer, and loses no page', async () => {
    const refusal = { status: 429, headers: { 'retry-after': '120' } }
    const { asked, report, items } = await run(
      { [`${HOST}/1`]: [refusal, ok], [`${HOST}/2`]: ok },
      { spider: pathSpider(seeds(2)) },
    )

    const [, again = 0] = asked.map((line) => Number.parseInt(line))
    expect(asked.map((line) => line.split(' ')[1])).toEqual(['/1', '/1', '/2'])
    expect(again).toBeGreaterThanOrEqual(120_010)
    expect(again).toBeLessThanOrEqual(132_010)
    expect(items).toHaveLength(2)
    expect(report.run).toMatchObject({ pages: 2, retried: 1, failed: 0 })
  })

  it('takes one burst of refusals for one refusal, and recalls what was not sent yet', async () => {
    const refused = { status: 503, headers: {}, afterMs: 100 }
    const held = { ...ok, sentAfterMs: 500 }
    const script = {
      [`${HOST}/1`]: ok,
      [`${HOST}/2`]: [refused, ok],
      [`${HOST}/3`]: [refused, ok],
      [`${HOST}/4`]: held,
      [`${HOST}/5`]: held,
    }
    const { asked, items } = await run(script, { spider: pathSpider(seeds(5)), maxPerHost: 4, delayMs: 0 })

    // /1 proves the host; /2 to /5 are booked together; at the first 503 the unsent /4 and /5 go back, and the host rests 3.75 to 6.25 s.
    const resumed = asked.slice(3).map((line) => Number(/\d+/.exec(line)?.[0]))
    expect(asked.slice(0, 3).map((line) => line.split(' ')[1])).toEqual(['/1', '/2', '/3'])
    expect(Math.min(...resumed)).toBeGreaterThan(3_750)
    expect(Math.max(...resumed)).toBeLessThan(7_500)
    expect(items).toHaveLength(5)
  })

  it('goes back to the first pause after a success', async () => {
    const refusal = { status: 429, headers: {} }
    const { asked } = await run(
      { [`${HOST}/1`]: [refusal, refusal, ok], [`${HOST}/2`]: [refusal, ok] },
      { spider: pathSpider(seeds(2)) },
    )
    const at = asked.map((line) => Number(/\d+/.exec(line)?.[0]))
    const gap = (n: number): number => (at[n] ?? 0) - (at[n - 1] ?? 0)

    expect(gap(1)).toBeLessThan(6_300)
    expect(gap(2)).toBeGreaterThan(7_500)
    expect(gap(4)).toBeLessThan(6_300)
  })

  it('waits before the first request when the last holder of the host died, for nobody knows what that one sent last', async () => {
    const frontier = memoryFrontier()
    const lease = frontier.lease.bind(frontier)
    frontier.lease = async (want) => {
      const found = await lease(want)
      return { ...found, leases: found.leases.map((lease) => ({ ...lease, takenOver: true })) }
    }
    const { asked } = await run({ [`${HOST}/1`]: ok }, { spider: pathSpider(seeds(1)), frontier })

    expect(asked).toEqual(['+1000 /1'])
  })

  it('parks a host for three days when it asks for three days, also over restarts', async () => {
    const [frontier, clock] = [memoryFrontier(), new VirtualClock()]
    const startedAt = clock.now()
    const site = { [`${HOST}/1`]: [{ status: 429, headers: { 'retry-after': String(3 * 86_400) } }, ok], [`${HOST}/2`]: ok }
    const config = { spider: pathSpider(seeds(2)), frontier, clock }
    const first = await run(site, config)
    await clock.run(() => new Promise<void>((resume) => clock.at(startedAt + 2 * DAY_MS, resume)))
    const second = await run({ [`${HOST}/1`]: ok, [`${HOST}/2`]: ok }, config)
    const third = await run({ [`${HOST}/1`]: ok, [`${HOST}/2`]: ok }, { ...config, patienceMs: 2 * DAY_MS })

    expect([first, second, third].map(({ report }) => report.ended)).toEqual(['patience', 'patience', 'done'])
    expect(first.report).toMatchObject({
      retiredHosts: [],
      waitingHosts: [{ waiting: 2, why: 'core: the host said until when to wait' }],
    })
    expect([first, second].map(({ seen }) => seen.length)).toEqual([1, 0])
    expect(((third.seen[0]?.at ?? 0) - startedAt) / DAY_MS).toBeCloseTo(3, 2)
  })

  it.each([
    ['delay seconds', '31536000'],
    ['a date', 'Sat, 01 Jan 2050 00:00:00 GMT'],
    ['ms for seconds', '9999999999999999999'],
  ])('takes 30 days for the most that anybody can mean, and says so: %s', async (_what, field) => {
    const refusals = [{ status: 429, headers: { 'retry-after': field } }, ok]
    const { report, seen } = await run({ [`${HOST}/1`]: refusals }, { spider: pathSpider(seeds(1)), patienceMs: 40 * DAY_MS })

    expect(report).toMatchObject({ ended: 'done', counts: { done: 1 }, retiredHosts: [] })
    expect(((seen[1]?.at ?? 0) - (seen[0]?.at ?? 0)) / DAY_MS).toBeCloseTo(30, 2)
    expect(report.problems).toEqual([
      {
        message: 'shop.test asked for more than 30 days without requests (Retry-After): it will be requested again after 30 days',
        count: 1,
      },
    ])
  })
})
