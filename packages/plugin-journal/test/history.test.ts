// The history of a crawl: its sums are what the hosts felt, at every resolution, over restarts, and with several processes.
import { crawl, memoryFrontier, spider } from 'avocet'
import { sleepUntil, type Frontier } from '@avocet/core/store'
import { atRest } from '@avocet/at-rest'
import { simulatedWeb, siteModel, VirtualClock, type Felt, type HostSpec } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { crawlHistory, journal, type CrawlHistory, type HistoryQuery } from '../src/index.ts'

const HOUR = 3_600_000

const HOSTS: readonly HostSpec[] = [
  { name: 'quick.example', pages: { kind: 'list', pages: 300 } },
  { name: 'strict.example', pages: { kind: 'list', pages: 50 }, refuseRatio: 0.3, latency: { law: 'fixed', ms: 400 } },
  { name: 'dead.example', pages: { kind: 'list', pages: 2 }, death: 'hang' },
]

interface Ran {
  readonly felt: Pick<Felt, 'requests' | 'refused'>
  readonly frontier: Frontier
  history(query?: HistoryQuery): Promise<CrawlHistory>
}

/** In runs of so many pages, one after another on one store, with three hours between two of them. */
async function crawled(pagesOfRun = Infinity): Promise<Ran> {
  const model = siteModel({ seed: 'history', hosts: HOSTS })
  const clock = new VirtualClock()
  const web = simulatedWeb(model, { clock })
  const frontier = memoryFrontier()
  for (let ended = ''; ended !== 'done';) {
    const one = crawl({
      policies: [],
      spider: spider({
        name: 'history',
        seeds: model.seeds(),
        handlers: {
          *start(page) {
            yield { title: String(page.url) }
            yield* page.links('a')
          },
        },
      }),
      frontier,
      clock,
      fetcher: web,
      plugins: [journal()],
      ...(pagesOfRun < Infinity && { maxPages: pagesOfRun }),
    })
    ;({ ended } = await clock.run(() => one.run()))
    if (ended === 'limit') await clock.run(() => sleepUntil(clock, clock.now() + 3 * HOUR))
  }
  const felt = HOSTS.map(({ name }) => web.felt(name))
  return {
    felt: { requests: added(felt, 'requests'), refused: added(felt, 'refused') },
    frontier,
    history: async (query) => crawlHistory(await atRest(frontier.reader), query),
  }
}

function added<Field extends string>(counts: readonly Readonly<Record<Field, number>>[], field: Field): number {
  return counts.reduce((sum, one) => sum + one[field], 0)
}

describe('the history of a crawl', () => {
  it('has every request, refusal, failure, page and item that there was, at every resolution', async () => {
    const { felt, frontier, history } = await crawled()
    const { done, items } = await frontier.reader.counts()

    for (const points of [2, 7, 60, 400]) {
      const { steps } = await history({ points })
      expect(added(steps, 'requests')).toBe(felt.requests)
      expect(added(steps, 'refusals')).toBe(felt.refused)
      expect(felt.refused).toBeGreaterThan(5)
      expect(added(steps, 'failures')).toBe(
        added(
          steps.map(({ failuresBy }) => failuresBy),
          'timeout',
        ),
      )
      expect(added(steps, 'failures')).toBeGreaterThan(0)
      expect(added(steps, 'pages')).toBe(done)
      expect(added(steps, 'items')).toBe(items)
      expect(items).toBe(350)
      expect(steps.length).toBeLessThanOrEqual(points)
      expect(steps[0]?.quantiles?.p50Ms).toBe(64)
    }
  })

  it('has a slot taken all the while that a host hangs, and no more', async () => {
    const { history } = await crawled()

    const { steps } = await history()

    for (const { inFlight } of steps) expect(inFlight).toBeGreaterThan(0)
    for (const { inFlight } of steps) expect(inFlight).toBeLessThanOrEqual(3.1)
  })

  it('has never more in flight than there are slots, also at a stop that lets all of them go', async () => {
    const clock = new VirtualClock()
    const hosts = Array.from({ length: 100 }, (_, n): HostSpec => ({
      name: `s${n}.example`,
      pages: { kind: 'list', pages: 60 },
      latency: { law: 'uniform', minMs: 1_000, maxMs: 20_000 },
    }))
    const model = siteModel({ seed: 'stopped', hosts })
    const frontier = memoryFrontier()
    const run = crawl({
      policies: [],
      spider: spider({ name: 'stopped', seeds: model.seeds(), handlers: { start: (page) => page.links('a') } }),
      plugins: [journal()],
      fetcher: simulatedWeb(model, { clock }),
      frontier,
      clock,
      concurrency: 40,
      maxTimeMs: 120_000,
      drainMs: 0,
    })
    await clock.run(() => run.run())

    const { steps } = crawlHistory(await atRest(frontier.reader), { points: 400 })

    expect(steps.length).toBeGreaterThanOrEqual(12)
    for (const { inFlight } of steps) expect(inFlight).toBeLessThanOrEqual(40)
    expect(Math.max(...steps.map(({ inFlight }) => inFlight))).toBeGreaterThan(30)
  })

  it('has them over restarts as well, each once, and the rest between them as a gap', async () => {
    const { felt, frontier, history } = await crawled(40)
    const { done, items } = await frontier.reader.counts()

    const { steps, widthMs } = await history()

    expect(added(steps, 'requests')).toBe(felt.requests)
    expect(added(steps, 'pages')).toBe(done)
    expect(added(steps, 'items')).toBe(items)
    const gaps = steps.slice(1).filter(({ at }, n) => at - (steps[n]?.at ?? 0) > 2 * HOUR)
    expect(gaps.length).toBeGreaterThan(5)
    expect(widthMs).toBeLessThan(HOUR)
  })
})
