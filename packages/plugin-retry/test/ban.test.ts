// Bans in whole crawls on virtual time: a ban costs at most the one page that looked private, and private pages are left in peace.
import { crawl, memoryFrontier, type Plugin } from 'avocet'
import { atRest } from '@avocet/at-rest'
import { aimd } from '@avocet/plugin-aimd'
import { breaker } from '@avocet/plugin-breaker'
import { robots } from '@avocet/plugin-robots'
import { seeded, simulatedWeb, siteModel, VirtualClock, type HostSpec } from '@avocet/simulator'
import { WORLDS } from '@avocet/stress/worlds'
import { describe, expect, it } from 'vitest'
import { pathSpider, run, type Ran } from '../../../test/crawl/harness.ts'
import type { Answer } from '../../../test/crawl/scripted-web.ts'
import { retry } from '../src/index.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const HOST = 'http://club.test'
const page: Answer = { body: 'ok' }
const forbidden: Answer = { status: 403 }

/** The host of the world `banning` (50 requests in 10 s, and it bans for 10 min) with fewer pages, crawled to the end. */
async function banning(plugins: readonly Plugin[], delayMs: number, more: Partial<HostSpec> = {}) {
  const [host] = WORLDS['banning']?.().hosts ?? []
  if (host?.ban === undefined) throw new Error('expected a host that bans')
  const { banSeconds } = more.ban ?? host.ban
  const model = siteModel({ seed: 'banning', hosts: [{ ...host, pages: { kind: 'list', pages: 400 }, ...more }] })
  const clock = new VirtualClock()
  const web = simulatedWeb(model, { clock })
  const subject = crawl({
    policies: [],
    spider: pathSpider(model.seeds()),
    frontier: memoryFrontier(),
    clock,
    fetcher: web,
    plugins,
    delayMs,
    patienceMs: 7 * DAY,
    randomSeed: 'banning',
  })
  const { counts } = await clock.run(() => subject.run())
  let [bans, bannedAt] = [0, -Infinity]
  for (const { at, status } of web.felt(host.name).log) {
    if (status !== 403 || at < bannedAt + banSeconds * 1_000) continue
    bans++
    bannedAt = at
  }
  return { ...counts, bans }
}

/** With so many pages that none begins among the last ten: nobody holds a host for so few, and three attempts do not outlast an hour. */
const HOUR_LONG: Partial<HostSpec> = {
  ban: { requests: 50, windowSeconds: 10, banSeconds: 3_600 },
  pages: { kind: 'list', pages: 390 },
}

describe('a ban costs one page', () => {
  it.each<[string, readonly Plugin[], number, Partial<HostSpec>]>([
    ['behind a rate and a breaker', [aimd(), breaker()], 0, {}],
    ['behind a breaker alone', [breaker()], 125, {}],
    ['behind nothing', [], 125, {}],
    ['that lasts an hour', [aimd(), breaker()], 0, HOUR_LONG],
    ['of a host that answers out of order', [aimd(), breaker()], 0, { latency: { law: 'uniform', minMs: 50, maxMs: 1_500 } }],
  ])('%s', async (_what, plugins, delayMs, more) => {
    const { known, done, failed, waiting, bans } = await banning([...plugins, retry()], delayMs, more)

    expect(bans).toBeGreaterThan(0)
    expect(failed).toBeLessThanOrEqual(bans)
    expect([done + failed, waiting]).toEqual([known, 0])
  })
})

/** Pages /0 to /n-1 of which those are forbidden that `isForbidden` says; or that answer as it says. */
function site(n: number, answer: (nth: number) => Answer | readonly Answer[]): Record<string, Answer | readonly Answer[]> {
  return Object.fromEntries(Array.from({ length: n }, (_, nth) => [`${HOST}/${String(nth)}`, answer(nth)]))
}

const crawled = (
  script: Record<string, Answer | readonly Answer[]>,
  options: Parameters<typeof retry>[0] = {},
  plugins: readonly Plugin[] = [],
): Promise<Ran> =>
  run(script, { spider: pathSpider(Object.keys(script)), plugins: [...plugins, retry(options)], delayMs: 100, patienceMs: DAY })

const timesOf = ({ asked }: Ran, path: string): number[] =>
  asked.filter((line) => line.endsWith(` ${path}`)).map((line) => Number(line.split(' ')[0]))

describe('a forbidden page', () => {
  const row = site(4, (nth) => (nth === 0 ? page : forbidden))

  const gapsOf = (ran: Ran, path: string): number[] =>
    timesOf(ran, path)
      .map((at, n, all) => (at - (all[n - 1] ?? 0)) / MINUTE)
      .slice(1)

  it('in a row is requested again three times, twelve to fifteen minutes later each time, and then given up', async () => {
    const ran = await crawled(row)

    expect(gapsOf(ran, '/3')).toHaveLength(3)
    for (const gap of gapsOf(ran, '/3')) {
      expect(gap).toBeGreaterThanOrEqual(12)
      expect(gap).toBeLessThan(15.1)
    }
    expect(timesOf(ran, '/1')).toHaveLength(1)
    expect(ran.report.failures).toEqual([{ reason: 'http-403', count: 3 }])
  })

  it('that is the second of a row is requested a minute later, to find out', async () => {
    const [first, ...others] = gapsOf(await crawled(row), '/2')

    expect(first).toBeGreaterThanOrEqual(1)
    expect(first).toBeLessThan(1.6)
    expect(Math.min(...others)).toBeGreaterThanOrEqual(12)
  })

  it('beside another one, between pages that are served, does not keep a crawl waiting', async () => {
    const { asked, report } = await crawled(site(30, (nth) => (nth === 10 || nth === 11 ? forbidden : page)))

    expect(asked).toHaveLength(31)
    expect(report.failures).toEqual([{ reason: 'http-403', count: 2 }])
    expect(report.endedAt - report.startedAt).toBeLessThan(2 * MINUTE)
  })

  it.each([
    [401, 4],
    [403, 4],
    [407, 4],
    [451, 4],
    [999, 4],
    [404, 1],
    [410, 1],
  ])('of status %i, third in a row, is requested %i times', async (status, times) => {
    const ran = await crawled(site(4, (nth) => (nth === 0 ? page : { status })))
    expect(timesOf(ran, '/3')).toHaveLength(times)
  })

  it('is not requested again where the user allows one attempt', async () => {
    expect((await crawled(row, { maxAttempts: 1 })).asked).toHaveLength(4)
  })

  it('is not requested again where the spider wants such answers', async () => {
    const spider = pathSpider(Object.keys(row), { accepts: (status) => status === 200 || status === 403 })
    const { asked, report, frontier } = await run(row, { spider, plugins: [retry()] })
    const record = (await frontier.reader.hosts({ hostKey: 'club.test' }))[0] ?? expect.fail('a host')

    expect([asked.length, report.counts.done]).toEqual([4, 4])
    const crawl = await atRest(frontier.reader)
    expect(crawl.explain(record, { plugins: [retry()], now: 0 }).values['retry']).toEqual({
      tokens: 10,
      retries: 0,
      crawlTokens: 60,
    })
  })
})

describe('private pages are left in peace', () => {
  it('where every other page is one', async () => {
    expect((await crawled(site(200, (nth) => (nth % 2 === 0 ? page : forbidden)))).asked).toHaveLength(200)
  })

  it('where half of them are, at random: not one in a hundred is requested again', async () => {
    const chance = seeded('private')
    const { asked } = await crawled(site(1_000, (nth) => (chance(nth) < 0.5 ? page : forbidden)))
    expect(asked.length).toBeGreaterThan(1_000)
    expect(asked.length).toBeLessThanOrEqual(1_010)
  })

  it('where no page was ever served, though robots.txt was', async () => {
    const script = { ...site(20, () => forbidden), [`${HOST}/robots.txt`]: { body: 'User-agent: *\nAllow: /' } }
    const spider = pathSpider(Object.keys(script).filter((url) => !url.endsWith('.txt')))
    const { asked } = await run(script, { spider, plugins: [robots(), retry()], patienceMs: DAY })
    expect(asked).toHaveLength(21)
  })
})
