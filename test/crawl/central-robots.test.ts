// Ninety shops whose robots.txt lies on one central host, which is in trouble: they are asked as RFC 9309 wants it, and wait for it only briefly.
import { polite } from '@avocet/preset-polite'
import { VirtualClock } from '@avocet/simulator'
import type { CrawlConfig, Plugin } from '@avocet/core'
import type { Admission, RequiredDocument } from '@avocet/core/plugin'
import { describe, expect, it } from 'vitest'
import { pathSpider, run, type Ran } from './harness.ts'
import type { Answer } from './scripted-web.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const FILE = 'http://central.test/robots.txt'
const SHOPS = Array.from({ length: 90 }, (_, n) => `http://shop${n}.test`)

interface Watched extends Ran {
  /** Ms from a shop's redirect being asked for to the document, or to there being none. */
  readonly waits: readonly number[]
  /** Ms after the start at which pages were asked for. */
  readonly pagesAt: readonly number[]
}

/** `plugin`, each of whose documents `hear` gets first. */
function heardBy({ admit, ...plugin }: Plugin, hear: (document: RequiredDocument) => void): Plugin {
  const question = (ask: Admission): Admission => ({
    host: ask.host,
    now: ask.now,
    delayFrom: ask.delayFrom,
    nextUrl: ask.nextUrl,
    nextSession: undefined,
    probing: ask.probing,
    require: (url, take) =>
      ask.require(url, (document) => {
        hear(document)
        take(document)
      }),
    notBefore: (at, why) => ask.notBefore(at, why),
    giveUp: (reason) => ask.giveUp(reason),
    atMost: (n, why) => ask.atMost(n, why),
    paces: (rps) => ask.paces(rps),
  })
  return { ...plugin, ...(admit && { admit: (ask: Admission, ...memory) => admit(question(ask), ...memory) }) }
}

/** `central` answers by the ms since the start. */
async function shops(central: (ms: number) => Answer, config: Partial<CrawlConfig>): Promise<Watched> {
  const clock = new VirtualClock()
  const startedAt = clock.now()
  const script: Record<string, Answer> = {
    get [FILE]() {
      return central(clock.now() - startedAt)
    },
  }
  for (const shop of SHOPS) {
    script[`${shop}/robots.txt`] = { status: 302, headers: { location: FILE } }
    script[`${shop}/`] = { body: 'ok' }
  }
  const heard: { readonly key: string; readonly at: number }[] = []
  const spider = pathSpider(SHOPS.map((shop) => `${shop}/`))
  // The central host gets it, too: the document is its own robots.txt.
  const hear = ({ host, now }: RequiredDocument): void =>
    void (host.key !== 'central.test' && heard.push({ key: host.key, at: now }))
  const policies = polite().map((policy) => heardBy(policy, hear))
  const ran = await run(script, { spider, policies, clock, ...config })
  const waits = heard.map(({ key, at }) => {
    const asked = ran.seen.filter((one) => one.outbound.url === `http://${key}/robots.txt` && one.at <= at)
    return at - (asked.at(-1)?.at ?? -Infinity)
  })
  const pages = ran.seen.filter(({ outbound }) => outbound.url.endsWith('.test/'))
  return { ...ran, waits, pagesAt: pages.map(({ at }) => at - startedAt) }
}

describe('a central robots.txt that cannot be had', () => {
  it.each<[string, Answer]>([
    ['its host refuses connections', { fails: 'AVO_CONNECT_REFUSED' }],
    ['it answers 503', { status: 503 }],
    ['it answers 429 and wants to be left alone for five minutes', { status: 429, headers: { 'retry-after': '300' } }],
    ['it answers 429 and wants to be left alone for twenty seconds', { status: 429, headers: { 'retry-after': '20' } }],
    ['its host hangs', { fails: 'AVO_FIRST_BYTE_TIMEOUT', afterMs: 30 * SECOND }],
  ])('holds no shop for longer than the bounded wait while %s, and no page is asked for or failed', async (_what, answer) => {
    const { waits, pagesAt, report, seen } = await shops(() => answer, { maxTimeMs: 10 * MINUTE })

    expect(waits.length).toBeGreaterThanOrEqual(90)
    // Thirty seconds, and one exchange.
    expect(Math.max(...waits)).toBeLessThan(62 * SECOND)
    expect(pagesAt).toEqual([])
    expect(report.counts).toMatchObject({ waiting: 90, failed: 0 })
    expect(seen.filter(({ outbound }) => outbound.url === FILE).length).toBeLessThan(25)
  })

  it('for ten minutes costs no page once it is there again', async () => {
    const central = (ms: number): Answer => (ms < 10 * MINUTE ? { status: 503 } : { status: 404 })
    const { report, pagesAt } = await shops(central, {})

    expect(report).toMatchObject({ ended: 'done', counts: { done: 90, failed: 0 } })
    expect(Math.min(...pagesAt)).toBeGreaterThan(10 * MINUTE)
  })

  it.each<[string, Answer]>([
    ['its host refuses connections', { fails: 'AVO_CONNECT_REFUSED' }],
    ['it answers 503', { status: 503 }],
    ['it answers 429 and wants to be left alone for an hour', { status: 429, headers: { 'retry-after': '3600' } }],
  ])('leaves shops to the copy of the day before, in their round, while %s', async (_what, answer) => {
    const central = (ms: number): Answer => (ms < 20 * HOUR ? { body: 'User-agent: *\nDisallow: /cart' } : answer)
    const { pagesAt, report } = await shops(central, { recrawl: [{ everyMs: 26 * HOUR }], maxTimeMs: 53 * HOUR })

    const second = pagesAt.filter((ms) => ms > 20 * HOUR && ms < 50 * HOUR)
    // One shop in an hour asks whether it is there again, and waits as long as it is told to.
    expect(second.length).toBeGreaterThanOrEqual(89)
    expect(second.filter((ms) => ms < 26 * HOUR + 10 * MINUTE).length).toBeGreaterThanOrEqual(89)
    expect(report.counts).toMatchObject({ failed: 0 })
  })
})
