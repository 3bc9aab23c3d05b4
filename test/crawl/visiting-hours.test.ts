// Hours in which hosts may be visited: nothing is begun outside of them, and a crawl waits for them.
import { crawl, definePlugin, memoryFrontier, type CrawlConfig, type Plugin } from 'avocet'
import { retry } from '@avocet/plugin-retry'
import { robots } from '@avocet/plugin-robots'
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { pathSpider, run, type Ran } from './harness.ts'
import { scriptedWeb, type Answer } from './scripted-web.ts'

const A = 'http://a.test'
const B = 'http://b.test'
const HOUR_MS = 3_600_000
const NIGHT = { between: ['20:00', '08:00'], timeZone: 'Europe/Berlin' } as const
/** A quarter of an hour a day. */
const SHORT = { between: ['12:00', '12:15'], timeZone: 'UTC' } as const
const noon = Date.parse('2026-01-15T11:00Z')
const ok: Answer = { body: 'ok' }
const seeds = (n: number, host = A): string[] => Array.from({ length: n }, (_, i) => `${host}/${i + 1}`)
const pages = (urls: readonly string[], answer = ok): Record<string, Answer> =>
  Object.fromEntries(urls.map((url) => [url, answer]))

/** When each request was sent, in hours since noon in Berlin, and where to. */
function sentOf({ seen }: Ran): readonly string[] {
  return seen.map(({ at, outbound }) => `${((at - noon) / HOUR_MS).toFixed(1)} ${outbound.url}`)
}

/** The moments outside of a window, as its clock shows them. */
function outside({ seen }: Pick<Ran, 'seen'>, { between, timeZone }: typeof NIGHT | typeof SHORT): readonly string[] {
  const clock = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' })
  const [begin, end] = between
  const isInside = (time: string): boolean => (begin < end ? time >= begin && time < end : time >= begin || time < end)
  return seen.map(({ at }) => clock.format(at)).filter((time) => !isInside(time))
}

async function runFromNoon(script: Parameters<typeof run>[0], config: CrawlConfig): Promise<Ran> {
  return run(script, { clock: new VirtualClock({ startAt: noon }), ...config })
}

describe('a host with hours', () => {
  it('is asked for nothing while it is closed, and the crawl waits for longer than its patience', async () => {
    const script = { ...pages(seeds(3)), [`${A}/robots.txt`]: ok }
    const waits = { hosts: { '*': NIGHT }, patienceMs: 60_000 }
    const ran = await runFromNoon(script, { spider: pathSpider(seeds(3)), plugins: [robots()], ...waits })

    expect(ran.report).toMatchObject({ ended: 'done', counts: { done: 3 } })
    expect(outside(ran, NIGHT)).toEqual([])
    expect(sentOf(ran)[0]).toMatch(/^8\.[01] .*\/robots\.txt$/)
  })

  it('does not hold the others', async () => {
    const script = { ...pages(seeds(2)), ...pages(seeds(2, B)) }
    const ran = await runFromNoon(script, { spider: pathSpider([...seeds(2), ...seeds(2, B)]), hosts: { 'a.test': NIGHT } })

    expect(sentOf(ran).map((line) => line.slice(0, 2))).toEqual(['0.', '0.', '8.', '8.'])
  })

  it('is open at any time where it says so of itself', async () => {
    const hosts = { '*': NIGHT, 'a.test': { between: ['00:00', '24:00'], timeZone: 'UTC' } } as const
    const ran = await runFromNoon(pages(seeds(1)), { spider: pathSpider(seeds(1)), hosts })

    expect(sentOf(ran)).toEqual([`0.0 ${A}/1`])
  })

  it('is left at the end of its hours, and what is in flight ends', async () => {
    const slow = { ...ok, afterMs: 100_000 }
    const ran = await runFromNoon(pages(seeds(30), slow), { spider: pathSpider(seeds(30)), hosts: { '*': SHORT } })

    expect(ran.report).toMatchObject({ ended: 'done', counts: { done: 30 }, run: { retried: 0, failed: 0 } })
    expect(outside(ran, SHORT)).toEqual([])
    expect(new Set(ran.seen.map(({ at }) => Math.floor(at / (24 * HOUR_MS)))).size).toBeGreaterThan(5)
  })

  it('is asked for nothing whose connection would take until after its end', async () => {
    const late = { ...ok, sentAfterMs: 25_000 }
    const hosts = { '*': { ...SHORT, delayMs: 0 } }
    const ran = await runFromNoon(pages(seeds(300), late), { spider: pathSpider(seeds(300)), hosts, maxPerHost: 2 })

    expect(ran.report.counts).toMatchObject({ done: 300 })
    expect(outside(ran, SHORT)).toEqual([])
  })

  it('keeps its hours on the day on which its clock is put back', async () => {
    const clock = new VirtualClock({ startAt: Date.parse('2026-10-24T18:00Z') })
    const hours = { between: ['20:00', '02:30'], timeZone: 'Europe/Berlin' } as const
    const ran = await run(pages(seeds(800)), {
      spider: pathSpider(seeds(800)),
      hosts: { '*': { ...hours, delayMs: 60_000 } },
      clock,
    })
    const first = ran.seen.filter(({ at }) => at < Date.parse('2026-10-25T12:00Z'))

    expect(new Date(first.at(-1)?.at ?? 0).toISOString()).toMatch(/^2026-10-25T00:29/)
  })
})

describe('hours hold on every path', () => {
  it('for a retry, which waits for the next opening', async () => {
    const script = { [`${A}/1`]: [{ status: 500, afterMs: 100_000 }, ok] }
    const hosts = { '*': { between: ['12:00', '12:02'], timeZone: 'UTC' } } as const
    const ran = await runFromNoon(script, { spider: pathSpider(seeds(1)), plugins: [retry()], hosts })

    expect(sentOf(ran)).toEqual([`1.0 ${A}/1`, `25.0 ${A}/1`])
  })

  it('for the target of a redirect on another host', async () => {
    const script = { [`${A}/1`]: { status: 301, headers: { location: `${B}/1` } }, [`${B}/1`]: ok }
    const ran = await runFromNoon(script, {
      spider: pathSpider([`${A}/1`], { scope: { within: 'any' } }),
      hosts: { 'b.test': NIGHT },
    })

    expect(sentOf(ran)).toEqual([`0.0 ${A}/1`, expect.stringMatching(/^8\.[01] http:\/\/b\.test\/1/)])
  })

  it('for a robots.txt that is on another host, and the host that needs it waits for it', async () => {
    const script = {
      [`${A}/robots.txt`]: { status: 301, headers: { location: `${B}/robots.txt` } },
      [`${B}/robots.txt`]: ok,
      [`${A}/1`]: ok,
    }
    const ran = await runFromNoon(script, { spider: pathSpider([`${A}/1`]), plugins: [robots()], hosts: { 'b.test': NIGHT } })

    expect(sentOf(ran).map((line) => line.replace(/8\.\d/, '8'))).toEqual([
      `0.0 ${A}/robots.txt`,
      `8 ${B}/robots.txt`,
      `8 ${A}/1`,
    ])
    expect(ran.report.counts).toMatchObject({ done: 1 })
  })

  it('for a request of its own that a plugin makes at another host', async () => {
    const got: string[] = []
    const own: Plugin = definePlugin({
      name: 'own',
      hostMemory: () => ({ read: false }),
      admit(ask, memory) {
        if (memory.read) return
        ask.require({ url: `${B}/login`, method: 'POST', session: undefined, known: `${B}/login` }, ({ result }) => {
          memory.read = true
          got.push(result.kind === 'failed' ? result.failure.code : 'answered')
        })
      },
    })
    const script = { ...pages(seeds(1)), [`${B}/login`]: ok }
    const spider = pathSpider(seeds(1), { scope: { within: 'any' } })
    const ran = await runFromNoon(script, { spider, plugins: [own], hosts: { 'b.test': NIGHT } })

    expect(got).toEqual(['AVO_REQUIRED_ELSEWHERE'])
    expect(sentOf(ran)).toEqual([`0.0 ${A}/1`])
  })

  it('for what a rendered page loads beside its document, wherever from', async () => {
    const clock = new VirtualClock({ startAt: noon })
    const dialled: string[] = []
    const dial = ({ hostname }: { readonly hostname: string }): Promise<never> => {
      dialled.push(hostname)
      return Promise.reject(new Error('a test has no network'))
    }
    const refused: string[] = []
    const target = { isPlain: false, privateAllowed: false, signal: new AbortController().signal }
    const browser: NonNullable<CrawlConfig['browser']> = ({ http }) => ({
      fetch(outbound, receiver) {
        for (const [hostname, port] of [
          ['a.test', 80],
          ['b.test', 443],
          ['b.test', 8_443],
          ['open.test', 443],
        ] as const)
          void http.dial?.({ hostname, port, ...target }).catch(({ message }: Error) => refused.push(message))
        return http.fetch(outbound, receiver)
      },
      close: () => http.close(),
    })
    const made = crawl({
      spider: pathSpider(seeds(1)),
      policies: [],
      hosts: { 'a.test': SHORT, 'b.test': NIGHT },
      clock,
      fetcher: { ...scriptedWeb(clock, pages(seeds(1))), dial },
      browser,
    })
    const report = await clock.run(() => made.run())

    expect(report.counts.done).toBe(1)
    expect(dialled).toEqual(['a.test', 'open.test'])
    expect(refused.filter((message) => message.includes('closed'))).toEqual([
      'expected a host that is open, got b.test, which is closed at this time of its day',
      'expected a host that is open, got b.test:8443, which is closed at this time of its day',
    ])
  })

  it('for the probe of a host that was given up', async () => {
    const script = { ...pages(seeds(6), { fails: 'AVO_CONNECT_REFUSED' }), [`${B}/1`]: ok }
    const ran = await runFromNoon(script, {
      spider: pathSpider([...seeds(6), `${B}/1`]),
      hosts: { 'a.test': SHORT },
      plugins: [retry()],
      recrawl: [{ everyMs: HOUR_MS, match: /b\.test/ }],
      maxTimeMs: 20 * 24 * HOUR_MS,
    })
    const asked = ran.seen.filter(({ outbound }) => outbound.url.startsWith(A))

    expect(asked.length).toBeGreaterThan(4)
    expect(outside({ seen: asked }, SHORT)).toEqual([])
  })
})

describe('hours beside other limits', () => {
  it('hold with a delay and a rate', async () => {
    const hosts = { '*': { ...SHORT, delayMs: 40_000, maxRps: 1 } }
    const ran = await runFromNoon(pages(seeds(40)), { spider: pathSpider(seeds(40)), hosts })
    const apart = ran.seen.slice(1).map(({ at }, index) => at - (ran.seen[index]?.at ?? 0))

    expect(ran.report.counts).toMatchObject({ done: 40 })
    expect(outside(ran, SHORT)).toEqual([])
    expect(Math.min(...apart)).toBeGreaterThanOrEqual(40_000)
  })

  it('hold with a Crawl-delay', async () => {
    const script = { ...pages(seeds(40)), [`${A}/robots.txt`]: { body: 'User-agent: *\nCrawl-delay: 50' } }
    const ran = await runFromNoon(script, { spider: pathSpider(seeds(40)), plugins: [robots()], hosts: { '*': SHORT } })

    expect(ran.report.counts).toMatchObject({ done: 40 })
    expect(outside(ran, SHORT)).toEqual([])
  })

  it('hold with an hourly recrawl, whose missed rounds are one visit at the next opening', async () => {
    const hosts = { '*': { between: ['12:00', '12:30'], timeZone: 'UTC' } } as const
    const ran = await runFromNoon(pages(seeds(5)), {
      spider: pathSpider(seeds(5)),
      hosts,
      recrawl: [{ everyMs: HOUR_MS }],
      maxTimeMs: 5 * 24 * HOUR_MS,
    })

    expect(outside(ran, { between: ['12:00', '12:30'] as never, timeZone: 'UTC' })).toEqual([])
    // Once for the rounds that were missed, and once where a round of its own comes within the half hour.
    const visits = ran.seen.map(({ at, outbound }) => `${Math.floor(at / (24 * HOUR_MS))} ${outbound.url}`)
    const times = [...Map.groupBy(visits, (visit) => visit)].map(([, all]) => all.length)
    expect([Math.min(...times), Math.max(...times)]).toEqual([1, 2])
    expect(ran.report.counts).toMatchObject({ done: 5 })
  })

  it('do not keep a crawl from ending when its time is up', async () => {
    const { report } = await runFromNoon(pages(seeds(1)), {
      spider: pathSpider(seeds(1)),
      hosts: { '*': NIGHT },
      maxTimeMs: HOUR_MS,
    })

    expect(report).toMatchObject({ ended: 'limit', why: 'the time is up', counts: { waiting: 1 } })
  })

  it('hold in each of two processes on one store', async () => {
    const clock = new VirtualClock({ startAt: noon })
    const [frontier, urls] = [memoryFrontier(), seeds(60)]
    const web = scriptedWeb(clock, pages(urls.map((url, n) => url.replace('a.test', `h${n}.test`))))
    const spider = pathSpider(Object.keys(pages(urls.map((url, n) => url.replace('a.test', `h${n}.test`)))))
    const made = [1, 2].map(() =>
      crawl({ spider, policies: [], hosts: { '*': NIGHT }, clock, fetcher: web, frontier, randomSeed: 'two' }),
    )
    await clock.run(() => Promise.all(made.map((each) => each.run())))

    expect(web.seen).toHaveLength(60)
    expect(outside({ seen: web.seen }, NIGHT)).toEqual([])
  })
})

describe('hosts that open at one moment', () => {
  it('begin over ten minutes', async () => {
    const urls = Array.from({ length: 300 }, (_, n) => `http://h${n}.test/`)
    const ran = await runFromNoon(pages(urls), { spider: pathSpider(urls), hosts: { '*': NIGHT }, concurrency: 300 })
    const minutes = ran.seen.map(({ at }) => Math.floor((at - noon - 8 * HOUR_MS) / 60_000))

    expect([Math.min(...minutes), Math.max(...minutes)]).toEqual([0, 9])
    expect(Math.max(...Array.from({ length: 10 }, (_, minute) => minutes.filter((each) => each === minute).length))).toBeLessThan(
      60,
    )
  })
})
