// The machine's clock was ahead once, and is right again: the waits that it wrote into the store must not outlive the mistake.
import { crawl, definePlugin, memoryFrontier, spider, type CrawlReport, type Plugin } from 'avocet'
import type { Frontier } from '@avocet/core/store'
import { simulatedWeb, siteModel, VirtualClock, type HostSpec, type SimulatedWeb } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { polite } from '../src/index.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** What the clock shows when it is right. */
const RIGHT = 1_767_225_600_000

const latency = { law: 'fixed', ms: 100 } as const
const hosts: readonly HostSpec[] = [
  { name: 'well.test', pages: { kind: 'list', pages: 120 }, latency },
  {
    name: 'busy.test',
    pages: { kind: 'list', pages: 40 },
    latency,
    capacity: { law: 'window', requests: 5, seconds: 20 },
    refusal: { status: 429, retryAfter: 'seconds' },
  },
  {
    name: 'down.test',
    pages: { kind: 'list', pages: 5 },
    latency,
    outages: [{ style: 'reset', fromMs: 0, untilMs: 40 * SECOND }],
  },
]

interface Life {
  readonly report: CrawlReport
  readonly web: SimulatedWeb
  readonly tookMs: number
}

/** One run on `frontier` by a clock that shows `startAt` at its beginning. */
async function live(
  frontier: Frontier,
  how: { startAt: number; forMs?: number; plugins?: readonly Plugin[]; everyMs?: number; offline?: boolean },
): Promise<Life> {
  const clock = new VirtualClock({ startAt: how.startAt })
  const clientOutages = how.offline === true ? [{ style: 'unreachable', fromMs: 0, untilMs: Infinity } as const] : []
  const model = siteModel({ seed: 'clock', hosts, clientOutages })
  const web = simulatedWeb(model, { clock })
  const pages = spider({
    name: 'clock',
    seeds: model.seeds(),
    handlers: {
      *start(page) {
        yield* page.links()
      },
    },
  })
  const run = crawl({
    policies: [],
    spider: pages,
    plugins: how.plugins ?? polite(),
    clock,
    fetcher: web,
    frontier,
    randomSeed: 'clock',
    ...(how.everyMs !== undefined && { recrawl: [{ everyMs: how.everyMs }] }),
  })
  using _end = clock.at(how.startAt + (how.forMs ?? Infinity), () => run.abort())
  const report = await clock.run(() => run.run())
  return { report, web, tookMs: clock.now() - how.startAt }
}

const BACK = [
  ['five minutes', 5 * MINUTE],
  ['two hours', 2 * HOUR],
  ['three days', 3 * DAY],
  ['a year', 365 * DAY],
] as const

describe('a crawl whose clock was ahead in the run before', () => {
  it.each(BACK)('by %s goes on at once, and gives no host up', async (_what, aheadMs) => {
    const frontier = memoryFrontier()
    const wrong = await live(frontier, { startAt: RIGHT + aheadMs, forMs: 20 * SECOND })
    expect(wrong.report.run.pages).toBeGreaterThan(5)

    const right = await live(frontier, { startAt: RIGHT + 30 * SECOND })

    expect(right.report).toMatchObject({ ended: 'done', retiredHosts: [], counts: { waiting: 0, failed: 0 } })
    expect(right.tookMs).toBeLessThan(10 * MINUTE)
    const first = Math.min(...hosts.flatMap(({ name }) => right.web.felt(name).log.map(({ at }) => at)))
    expect(first - (RIGHT + 30 * SECOND)).toBeLessThan(5 * SECOND)
  })

  it.each(BACK)('by %s, and which had no network, goes on at once', async (_what, aheadMs) => {
    const frontier = memoryFrontier()
    await live(frontier, { startAt: RIGHT, forMs: 20 * SECOND })
    await live(frontier, { startAt: RIGHT + aheadMs + MINUTE, forMs: 2 * MINUTE, offline: true })

    const right = await live(frontier, { startAt: RIGHT + 4 * MINUTE })

    expect(right.report).toMatchObject({ ended: 'done', retiredHosts: [], counts: { waiting: 0, failed: 0 } })
    expect(right.tookMs).toBeLessThan(10 * MINUTE)
  })

  it('says so', async () => {
    const frontier = memoryFrontier()
    await live(frontier, { startAt: RIGHT + 2 * HOUR, forMs: 20 * SECOND })

    const { report } = await live(frontier, { startAt: RIGHT })

    expect(report.problems.map(({ message }) => message).join()).toMatch(
      /^the clock is 2 h behind the last run, so it was ahead: all waits were moved back/,
    )
  })

  it('keeps what was left of each wait', async () => {
    const frontier = memoryFrontier()
    const before = await live(frontier, { startAt: RIGHT + 2 * HOUR, forMs: 12 * SECOND })
    const refused = before.web.felt('busy.test').log.find(({ status }) => status === 429)
    if (refused === undefined) throw new Error('expected a refusal in the first run')

    const after = await live(frontier, { startAt: RIGHT })

    const asked = after.web.felt('busy.test').log.map(({ at }) => at)
    const leftMs = refused.at + 15 * SECOND - (RIGHT + 2 * HOUR + 12 * SECOND)
    expect(asked[0]).toBeGreaterThan(RIGHT + Math.min(leftMs, 3 * SECOND))
  })

  it('visits pages again in their round', async () => {
    const frontier = memoryFrontier()
    await live(frontier, { startAt: RIGHT + 3 * DAY, forMs: 10 * MINUTE, everyMs: HOUR })

    const right = await live(frontier, { startAt: RIGHT, forMs: 3 * HOUR, everyMs: HOUR })

    const visits = right.web.felt('well.test').log.filter(({ path }) => path === '/item/1').length
    expect(visits).toBe(3)
  })

  it('keeps the memory of a plugin, with its moments moved back', async () => {
    const counter = definePlugin({
      name: 'pages',
      hostMemory: () => ({ answers: 0, firstAt: 0 }),
      onResponse({ now }, host) {
        host.answers++
        host.firstAt ||= now
      },
    })
    const frontier = memoryFrontier()

    await live(frontier, { startAt: RIGHT + DAY, forMs: 20 * SECOND, plugins: [counter] })
    await live(frontier, { startAt: RIGHT, forMs: 5 * SECOND, plugins: [counter] })

    const memory: unknown = JSON.parse((await frontier.reader.hosts({ hostKey: 'well.test' }))[0]?.memory['pages'] ?? '')
    expect(memory).toMatchObject([
      1,
      {
        answers: expect.toSatisfy((n: number) => n > 20) as number,
        firstAt: expect.toSatisfy((at: number) => at < RIGHT + SECOND) as number,
      },
    ])
  })
})
