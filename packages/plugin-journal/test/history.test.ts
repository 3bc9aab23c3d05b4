// The history of a crawl: its sums are what the hosts felt, at every resolution, over restarts, and with several processes.
import { crawl, memoryFrontier, spider } from '@avocet/core'
import type { Frontier } from '@avocet/core/store'
import { simulatedWeb, siteModel, VirtualClock, type HostSpec, type SimulatedWeb } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { crawlHistory, journal, type CrawlHistory, type HistoryQuery } from '../src/index.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

const HOSTS: readonly HostSpec[] = [
  { name: 'quick.example', pages: { kind: 'list', pages: 300 } },
  { name: 'strict.example', pages: { kind: 'list', pages: 100 }, capacity: { rps: 0.2 } },
  { name: 'gone.example', pages: { kind: 'list', pages: 5 }, faults: [{ kind: 'dns-not-found' }] },
] as unknown as readonly HostSpec[]

interface Ran {
  readonly web: SimulatedWeb
  readonly frontier: Frontier
  readonly clock: VirtualClock
  history(query?: HistoryQuery): Promise<CrawlHistory>
}

/** In runs of so many pages, one after another on one store. */
async function crawled(pagesOfRun = Infinity): Promise<Ran> {
  const model = siteModel({ seed: 'history', hosts: [{ name: 'quick.example', pages: { kind: 'list', pages: 300 } }] })
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
            yield { title: page.url }
            yield* page.follow('a')
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
  }
  return { web, frontier, clock, history: async (query) => crawlHistory(await frontier.reader.crawlMemories(), query) }
}

const sumOf = ({ steps }: CrawlHistory, field: 'requests' | 'pages' | 'items' | 'refusals' | 'failures' | 'wireBytes'): number =>
  steps.reduce((sum, step) => sum + step[field], 0)

describe('the history of a crawl', () => {
  it('has every request, page and item that there was, at every resolution', async () => {
    const { web, frontier, history } = await crawled()
    const counts = await frontier.reader.counts()

    for (const points of [1, 7, 60, 400]) {
      const known = await history({ points })
      expect(sumOf(known, 'requests')).toBe(web.felt('quick.example').requests)
      expect(sumOf(known, 'pages')).toBe(counts.done)
      expect(sumOf(known, 'items')).toBe(counts.items)
      expect(known.steps.length).toBeLessThanOrEqual(points)
    }
  })

  it('has them over restarts as well', async () => {
    const { web, frontier, history } = await crawled(20)
    const counts = await frontier.reader.counts()

    const known = await history()

    expect(sumOf(known, 'requests')).toBe(web.felt('quick.example').requests)
    expect(sumOf(known, 'pages')).toBe(counts.done)
    expect(sumOf(known, 'items')).toBe(counts.items)
  })
})
