// What hosts feel of a crawl that `aimd` paces: whole crawls on virtual time.
import { crawl, definePlugin, memoryFrontier, type CrawlConfig, type Json, type Plugin } from 'avocet'
import type { Frontier } from '@avocet/core/store'
import { atRest } from '@avocet/at-rest'
import { aimd, delayFactor, fixedRate, textbook } from '@avocet/plugin-aimd'
import { simulatedWeb, siteModel, VirtualClock, type HostSpec } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { pathSpider, run, type Ran } from '../../../test/crawl/harness.ts'
import { scriptedWeb, type Answer } from '../../../test/crawl/scripted-web.ts'
import { CrashStore } from '../../testkit/src/contracts/crash-store.ts'

const HOST = 'http://shop.test'
const ok: Answer = { body: 'ok' }

/** Puts refused pages back, uncounted, as plugin-retry would. */
const patient: Plugin = definePlugin({
  name: 'patient',
  onResponse(answer) {
    const { status } = answer.response
    if (status === 429 || status === 503) answer.retry(answer.now, `http-${status}`, { counted: false })
  },
})

/** Pages /1 to /n, all well, except for those in `others`. */
function site(
  n: number,
  others: Readonly<Record<number, Answer | readonly Answer[]>> = {},
): Record<string, Answer | readonly Answer[]> {
  return Object.fromEntries(Array.from({ length: n }, (_, i) => [`${HOST}/${i + 1}`, others[i + 1] ?? ok]))
}

const crawled = (
  script: Record<string, Answer | readonly Answer[]>,
  plugins: Plugin | readonly Plugin[],
  more: Partial<CrawlConfig> = {},
): Promise<Ran> =>
  run(script, {
    spider: pathSpider(Object.keys(script)),
    plugins: [...[plugins].flat(), patient],
    patienceMs: 86_400_000,
    ...more,
  })

/** Ms since the start at which `path` was asked for, each time. */
const timesOf = ({ asked }: Ran, path: string): number[] =>
  asked.filter((line) => line.endsWith(` ${path}`)).map((line) => Number(line.split(' ')[0]))

/** What `avocet why` would say. */
async function known(frontier: Frontier, plugin: Plugin, now = 0): Promise<Readonly<Record<string, Json>>> {
  const [record] = await frontier.reader.hosts({ hostKey: 'shop.test' })
  if (record === undefined) throw new Error('the host is not known')
  return (await atRest(frontier.reader)).explain(record, { plugins: [plugin], now }).values[plugin.name] ?? {}
}

describe('a rendered page', () => {
  it.each([
    ['its host', {}],
    ['a limit that hosts share', { limits: [{ match: 'shop.test', maxRps: 1 }] }],
  ])('costs %s as many requests as it made', async (_, more) => {
    const script = site(3, { 1: { body: 'ok', loads: 9 } })

    const ran = await crawled(script, aimd({ law: fixedRate(), maxRps: 'limits' in more ? 100 : 1 }), more)

    const [first = 0, second = 0, third = 0] = [1, 2, 3].flatMap((n) => timesOf(ran, `/${n}`))
    expect([second - first, third - second]).toEqual([10_000, 1_000])
  })
})

describe('under a fixed rate', () => {
  it('each host is asked exactly that often, also while many answers are under way', async () => {
    const host = (name: string): HostSpec => ({
      name,
      pages: { kind: 'list', pages: 20 },
      latency: { law: 'fixed', ms: 1_500 },
    })
    const model = siteModel({ seed: 'fixed', hosts: [host('a.test'), host('b.test'), host('api.test')] })
    const clock = new VirtualClock()
    const web = simulatedWeb(model, { clock })
    const subject = crawl({
      policies: [],
      spider: pathSpider(model.seeds()),
      clock,
      fetcher: web,
      plugins: [aimd({ law: fixedRate({ rps: 1 }) })],
      hosts: { 'api.test': { maxRps: 4 } },
    })
    await clock.run(() => subject.run())
    // The second request of a host waits for the first success (probation); from then on the pace alone counts. A new connection takes 1 ms.
    const gaps = (name: string): readonly [least: number, most: number] => {
      const at = web.felt(name).log.map((entry) => entry.at)
      const all = at.slice(2).map((time, n) => Math.round(time - (at[n + 1] ?? 0)))
      return [Math.min(...all), Math.max(...all)]
    }

    expect(gaps('a.test')).toEqual([999, 1_001])
    expect(gaps('b.test')).toEqual([999, 1_001])
    expect(gaps('api.test')).toEqual([249, 251])
    expect(web.felt('api.test').maxInFlight).toBeGreaterThan(5)
  })

  it('a burst goes back to back, and the rest evenly', async () => {
    const { asked } = await crawled(site(7), aimd({ law: fixedRate({ rps: 5, burst: 4 }) }))

    expect(asked).toEqual(['+0 /1', '+10 /2', '+10 /3', '+10 /4', '+200 /5', '+400 /6', '+600 /7'])
  })

  it('the least spacing and the greatest number in flight are kept', async () => {
    const slow = { ...ok, afterMs: 3_000 }
    const spaced = await crawled(site(3), aimd({ law: fixedRate({ rps: 100 }) }), { delayMs: 2_000 })
    const single = await crawled(site(3, { 1: slow, 2: slow }), aimd({ law: fixedRate({ rps: 100 }), maxInFlight: 1 }))

    expect(spaced.asked).toEqual(['+0 /1', '+2000 /2', '+4000 /3'])
    expect(single.asked).toEqual(['+0 /1', '+3000 /2', '+6000 /3'])
  })
})

describe('what was booked and is not sent', () => {
  it('leaves the pace where it was', async () => {
    const later = definePlugin({
      name: 'later',
      beforeRequest(outgoing) {
        if (
          outgoing.exchange.request.url.endsWith('/2') &&
          outgoing.now < outgoing.exchange.admittedAt + 1 &&
          !passed.has('/2')
        ) {
          passed.add('/2')
          outgoing.retry(outgoing.now + 10_000, 'not yet')
        }
      },
    })
    const passed = new Set<string>()
    const { asked } = await crawled(site(4), [aimd({ law: fixedRate({ rps: 1 }) }), later])

    expect(asked).toEqual(['+0 /1', '+1000 /3', '+2000 /4', '+11000 /2'])
  })

  it('goes back at the first refusal: from its headers to the end of the hold no first byte is written', async () => {
    const refused: Answer = { status: 429, headers: {}, afterMs: 100 }
    const unsent: Answer = { ...ok, sentAfterMs: 400 }
    const script = site(7, { 2: [refused, ok], 3: { ...ok, afterMs: 3_000 }, 4: unsent, 5: unsent, 6: unsent })
    const ran = await crawled(script, aimd({ law: fixedRate({ rps: 50, burst: 8 }) }))
    // /1 proves the host at 10 ms; /2 to /7 are booked together; /2 is refused at 110 ms; /3 comes back at 3010 ms.
    const afterRefusal = ran.asked.map((line) => Number(line.split(' ')[0])).filter((at) => at > 110)

    expect(ran.asked.slice(0, 4)).toEqual(['+0 /1', '+10 /2', '+10 /3', '+10 /7'])
    expect(Math.min(...afterRefusal)).toBeGreaterThanOrEqual(3_010)
    expect(ran.items).toHaveLength(7)
  })

  it('a hold does not wait for one endless page: five seconds, and the crawl goes on', async () => {
    const refused: Answer = { status: 429, headers: {}, afterMs: 100 }
    const script = site(4, { 2: [refused, ok], 3: { ...ok, afterMs: 25_000 } })
    const ran = await crawled(script, aimd({ law: fixedRate({ rps: 50, burst: 3 }) }))

    expect(ran.asked.filter((line) => Number(line.split(' ')[0]) > 110)[0]).toMatch(/^\+5110 /)
  })
})

describe('Retry-After', () => {
  const refused: Answer = { status: 429, headers: { 'retry-after': '600' } }

  it('is kept in full, and a little longer, and nothing follows it in a burst', async () => {
    const ran = await crawled(site(6, { 3: [refused, ok] }), aimd({ law: fixedRate({ rps: 5, burst: 5 }) }))
    const after = ran.asked.map((line) => Number(line.split(' ')[0])).filter((at) => at > 1_000)

    expect(after[0]).toBeGreaterThanOrEqual(600_020)
    expect(after[0]).toBeLessThan(660_030)
    expect(after.slice(1).every((at, n) => Math.round(at - (after[n] ?? 0)) >= 199)).toBe(true)
    expect(ran.items).toHaveLength(6)
  })

  it('of several refusals the latest moment counts, also of one that belongs to an older epoch', async () => {
    const later: Answer = { status: 503, headers: { 'retry-after': '900' }, afterMs: 50 }
    const ran = await crawled(site(4, { 2: [refused, ok], 3: [later, ok] }), aimd({ law: fixedRate({ rps: 5, burst: 5 }) }))
    const again = Math.min(...[...timesOf(ran, '/2'), ...timesOf(ran, '/3')].filter((at) => at > 1_000))

    expect(again).toBeGreaterThanOrEqual(900_060)
  })

  it('is kept by the process that goes on after a crash', async () => {
    const store = new CrashStore(memoryFrontier())
    let startAt = Date.UTC(2026, 0, 1)
    const live = async (
      others: Parameters<typeof site>[1],
      cut?: { commit: number; written: boolean },
    ): Promise<readonly number[]> => {
      const clock = new VirtualClock({ startAt })
      const { frontier, died } = store.live(cut)
      const fetcher = scriptedWeb(clock, site(5, others))
      const spider = pathSpider(Object.keys(site(5)))
      const subject = crawl({
        policies: [],
        spider,
        frontier,
        clock,
        fetcher,
        plugins: [aimd(), patient],
        patienceMs: 86_400_000,
      })
      await clock.run(() => Promise.race([subject.run(), died]))
      startAt = clock.now()
      return fetcher.seen.map(({ at }) => at)
    }
    // The second commit holds the refusal of /2: the process dies when it is written.
    const [, refusedAt = 0] = await live({ 2: refused }, { commit: 2, written: true })
    const resumedAt = startAt
    const asked = await live({})

    expect(resumedAt - refusedAt).toBeLessThan(1_000)
    expect(asked).toHaveLength(4)
    expect(Math.min(...asked) - refusedAt).toBeGreaterThanOrEqual(600_000)
    expect(Math.min(...asked) - refusedAt).toBeLessThan(661_000)
  })

  it('beyond a day parks the host until then, and keeps its requests', async () => {
    const { report } = await crawled(site(2, { 1: { status: 429, headers: { 'retry-after': '90000' } } }), aimd())

    expect(report).toMatchObject({ ended: 'patience', retiredHosts: [] })
    expect(report.waitingHosts).toMatchObject([
      { hostKey: 'shop.test', waiting: 2, why: 'aimd: the host said until when to wait' },
    ])
    expect((report.waitingHosts[0]?.until ?? 0) - report.startedAt).toBeGreaterThanOrEqual(90_000_000)
  })
})

describe('a bucket under the law of the textbook', () => {
  it('is used well, refuses little, and loses no page', async () => {
    const model = siteModel({
      seed: 'bucket',
      hosts: [
        {
          name: 'bucket.test',
          pages: { kind: 'list', pages: 1_500 },
          latency: { law: 'fixed', ms: 80 },
          capacity: { law: 'bucket', perSecond: 2, burst: 2 },
        },
      ],
    })
    const clock = new VirtualClock()
    const web = simulatedWeb(model, { clock })
    const law = textbook({ stepRps: 0.005 })
    const subject = crawl({
      policies: [],
      spider: pathSpider(model.seeds()),
      clock,
      fetcher: web,
      plugins: [aimd({ law }), patient],
    })
    const report = await clock.run(() => subject.run())
    const { log, refused, requests } = web.felt('bucket.test')
    const served = log.filter(({ status }) => status === 200)
    const half = served[750]?.at ?? 0
    const perSecond = 749_000 / ((served.at(-1)?.at ?? 0) - half)

    expect(report.run.pages).toBe(1_500)
    expect(perSecond).toBeGreaterThan(2 * 0.92)
    expect(refused / requests).toBeLessThan(0.012)
  })
})

describe('the delay factor', () => {
  it('leaves a slow host alone for as long as it took to answer', async () => {
    const slow = { ...ok, afterMs: 15_000 }
    const { asked } = await crawled(site(3, { 1: slow, 2: slow }), aimd({ law: delayFactor() }))

    expect(asked).toEqual(['+0 /1', '+30000 /2', '+60000 /3'])
  })
})

describe('resets', () => {
  it('three among twenty are taken for a refusal; two are not', async () => {
    const reset: Answer = { fails: 'AVO_RESET' }
    const plugin = aimd({ law: textbook() })
    const two = await crawled(site(9, { 3: reset, 5: reset }), plugin)
    const three = await crawled(site(9, { 3: reset, 5: reset, 7: reset }), plugin)

    expect(await known(two.frontier, plugin)).not.toHaveProperty('refusals')
    expect(await known(three.frontier, plugin)).toMatchObject({ refusals: 1 })
  })

  it('in a row are an outage, and the host is asked as often as before when it is back', async () => {
    const reset: Answer = { fails: 'AVO_RESET' }
    const plugin = aimd({ law: textbook() })
    const { frontier } = await crawled(site(12, { 3: reset, 4: reset, 5: reset, 6: reset, 7: reset, 8: reset }), plugin)

    expect(await known(frontier, plugin)).not.toHaveProperty('refusals')
  })
})

describe('the last holder of a host', () => {
  it('may have died: nobody knows what it sent last, so the pace begins anew', async () => {
    const frontier = memoryFrontier()
    const lease = frontier.lease.bind(frontier)
    frontier.lease = async (want) => {
      const found = await lease(want)
      return { ...found, leases: found.leases.map((lease) => ({ ...lease, takenOver: true })) }
    }
    const { asked } = await run(site(1), { spider: pathSpider([`${HOST}/1`]), plugins: [aimd()], frontier })

    expect(asked).toEqual(['+1000 /1'])
  })
})

describe('why', () => {
  it('says law, rate, limits, refusals and the pause', async () => {
    const plugin = aimd({ law: textbook(), window: false })
    const script = site(3, { 3: { status: 429, headers: { 'retry-after': '3600' } } })
    const ran = await run(script, { spider: pathSpider(Object.keys(script)), plugins: [plugin, patient], patienceMs: 1_000 })
    const seen = ran.seen.at(-1)?.at ?? 0
    const values = await known(ran.frontier, plugin, seen + 1_000)

    expect(values).toEqual({
      law: 'aimd',
      foundRps: 0.8837,
      inFlightLimit: 8,
      pausedUntil: expect.any(Number) as number,
      pausedFor: 'retry-after',
      refusedAt: Math.round(seen + 10),
      refusals: 1,
      refusedInEpoch: 1,
    })
  })
})
