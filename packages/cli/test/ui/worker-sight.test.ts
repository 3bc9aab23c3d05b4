// What a worker tells and answers for the page of its supervisor, of a crawl on virtual time.
import { describe, expect, it } from 'vitest'
import { crawl, memoryFrontier, spider, type Crawl } from 'avocet'
import { polite } from '@avocet/preset-polite'
import { simulatedWeb, siteModel, VirtualClock } from '@avocet/simulator'
import { WorkerSight } from '../../src/ui/worker-sight.ts'
import { CrawlWatcher } from '../../src/view/crawl-watcher.ts'

const PART = { number: 1, of: 2 }

/** A crawl of 20 pages on virtual time; `seen` is called 5 s after it began, and the crawl ends after it. */
async function worked(seen: (sight: WorkerSight, run: Crawl, clock: VirtualClock) => void): Promise<void> {
  const clock = new VirtualClock()
  const model = siteModel({ seed: 'page', hosts: [{ name: 'quotes.test', pages: { kind: 'quotes', quotes: 100 } }] })
  const frontier = memoryFrontier()
  const config = {
    spider: spider({
      name: 'quotes',
      seeds: model.seeds(),
      handlers: {
        *start(page) {
          yield* page.links('a')
        },
      },
    }),
    ...{ policies: polite(), clock, frontier, fetcher: simulatedWeb(model, { clock }) },
  }
  const run = crawl(config)
  const watcher = new CrawlWatcher({ crawl: run, reader: frontier.reader, config, hasFellows: true })
  const sight = new WorkerSight({ run, watcher, part: PART })
  let failure: unknown
  clock.at(clock.now() + 5_000, () => {
    try {
      seen(sight, run, clock)
    } catch (error) {
      failure = error
    }
    run.stop()
  })
  await clock.run(() => run.run())
  if (failure instanceof Error) throw failure
}

describe('a worker', () => {
  it('tells what ended once: what it has told before is not told again', async () => {
    await worked((sight, run) => {
      const ended = sight.ended()

      expect(ended.reduce((sum, { requests }) => sum + requests, 0)).toBe(run.status().run.requests - run.status().inFlight)
      expect(ended.every(({ requests, latency }) => requests === latency.reduce((sum, [, answers]) => sum + answers, 0))).toBe(
        true,
      )
      expect(sight.ended()).toEqual([])
    })
  })

  it('answers what it knows of its hosts, and nothing of others', async () => {
    await worked((sight, run, clock) => {
      const now = clock.now()
      const hosts = sight.answer({ about: 'hosts', now })
      const rows = sight.answer({ about: 'rows', hostKeys: ['unknown.test', 'quotes.test'], now })
      const host = sight.answer({ about: 'host', hostKey: 'quotes.test', now })
      const unknown = sight.answer({ about: 'host', hostKey: 'unknown.test', now })

      const { waiting, answered, inFlight } = run.status().hosts[0] ?? {}
      expect(hosts).toMatchObject({ hosts: { atWork: [{ hostKey: 'quotes.test', waiting, answered, inFlight }], parked: [] } })
      expect(rows).toMatchObject({ rows: [null, { found: { breaker: 'closed' } }] })
      expect(host).toMatchObject({ host: { explained: { values: { breaker: { state: 'closed' } } } } })
      expect(unknown).toEqual({ about: 'host', host: { exchanges: [], stretches: [] } })
    })
  })

  it('goes on where it cannot answer', async () => {
    await worked((_sight, { hooks }, clock) => {
      const status = (): never => {
        throw new Error('no status')
      }
      const { reader } = memoryFrontier()
      const watcher = new CrawlWatcher({ crawl: { hooks, status, explain: status }, reader, config: {} })

      const sight = new WorkerSight({ run: { hooks, status }, watcher, part: PART })

      expect(sight.answer({ about: 'hosts', now: clock.now() })).toEqual({ about: 'nothing' })
    })
  })
})
