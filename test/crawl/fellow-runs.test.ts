// Runs that one command has started on one store: pages are granted to each, and the last items are delivered when all are over.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crawl, spider } from 'avocet'
import type { SinkBatch } from '@avocet/core/sink'
import { sleepUntil, type FellowRuns, type PageGrant, type PagesOfRun } from '@avocet/core/store'
import { sqlite } from '@avocet/plugin-sqlite'
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it, onTestFinished } from 'vitest'
import { wideSpider, wideWeb } from './links/wide-web.ts'

const HOSTS = ['a.test', 'b.test', 'c.test']

/** A grant that a test sets. */
class Granted implements PageGrant {
  pages: number
  isSpent = false
  /** Times that the run could have gone on. */
  short = 0
  #run: PagesOfRun | undefined

  constructor(pages: number) {
    this.pages = pages
  }

  begin(run: PagesOfRun): void {
    this.#run = run
  }

  runShort(): void {
    this.short++
  }

  get inUse(): number {
    return this.#run?.inUse() ?? 0
  }

  set(pages: number): void {
    this.pages = pages
    this.#run?.changed()
  }

  spend(): void {
    this.isSpent = true
    this.#run?.changed()
  }
}

function crawled(clock: VirtualClock, fellows: FellowRuns) {
  return crawl({
    policies: [],
    spider: wideSpider(HOSTS),
    concurrency: 3,
    maxPerHost: 1,
    delayMs: 0,
    maxPages: 100,
    clock,
    fetcher: wideWeb(clock, () => ({ latencyMs: 1_000 })),
    fellows,
  })
}

describe('pages that are granted to a run', () => {
  it('are the most that it begins; more let it go on at once, and the end of all is its end', async () => {
    const clock = new VirtualClock()
    const startedAt = clock.now()
    const grant = new Granted(5)
    const run = crawled(clock, { pages: grant, allOver: () => Promise.resolve() })
    const later = async (): Promise<readonly number[]> => {
      await sleepUntil(clock, startedAt + 60_000)
      const first = run.status().run.pages
      grant.set(8)
      await sleepUntil(clock, startedAt + 61_500)
      const second = run.status().run.pages
      grant.spend()
      return [first, second]
    }

    const [report, seen] = await clock.run(Promise.all([run.run(), later()]))

    expect(seen).toEqual([5, 8])
    expect(grant.short).toBeGreaterThan(0)
    expect(report).toMatchObject({ ended: 'limit', why: 'maxPages (100) is reached', run: { pages: 8 } })
  })

  it('may be taken back down to those in use, which it finishes', async () => {
    const clock = new VirtualClock()
    const startedAt = clock.now()
    const grant = new Granted(50)
    const run = crawled(clock, { pages: grant, allOver: () => Promise.resolve() })
    const takeBack = async (): Promise<number> => {
      await sleepUntil(clock, startedAt + 2_500)
      const { inUse } = grant
      grant.set(inUse)
      await sleepUntil(clock, startedAt + 30_000)
      grant.spend()
      return inUse
    }

    const [report, inUse] = await clock.run(Promise.all([run.run(), takeBack()]))

    expect(inUse).toBeGreaterThan(3)
    expect(report.run.pages).toBe(inUse)
  })

  it('do not keep a run going that has nothing to do', async () => {
    const clock = new VirtualClock()
    const run = crawl({
      policies: [],
      spider: wideSpider(['a.test'], { pages: 3 }),
      delayMs: 0,
      clock,
      fetcher: wideWeb(clock, () => ({ latencyMs: 10 })),
      fellows: { pages: new Granted(3), allOver: () => Promise.resolve() },
    })

    const report = await clock.run(run.run())

    expect(report).toMatchObject({ ended: 'done', run: { pages: 3 } })
  })
})

describe('the last items of several runs', () => {
  it('are delivered by the one that has the sink, however long the other takes', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'avocet-fellows-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const clock = new VirtualClock()
    const written: unknown[] = []
    const all = Promise.withResolvers<void>()
    let over = 0
    const runs = [0, 500].map(async (startMs) => {
      await sleepUntil(clock, clock.now() + startMs)
      const frontier = sqlite(join(folder, 'store.db'), { clock, synchronous: 'normal' })
      const run = crawl({
        policies: [],
        spider: spider({
          name: 'fellows',
          seeds: HOSTS.map((host) => `http://${host}/0`),
          handlers: {
            *start({ url }) {
              yield { url: url.href }
              yield* []
            },
          },
        }),
        frontier,
        concurrency: 2,
        delayMs: 0,
        clock,
        fetcher: wideWeb(clock, (host) => ({ latencyMs: host === 'c.test' ? 4_000 : 100 })),
        sinks: [{ name: 'kept', write: async ({ items }: SinkBatch) => void written.push(...items) }],
        fellows: {
          async allOver() {
            if (++over === 2) all.resolve()
            await all.promise
          },
        },
      })
      const report = await run.run()
      await frontier.close()
      return report.ended
    })

    const ended = await clock.run(Promise.all(runs))

    expect([ended, written.length]).toEqual([['done', 'done'], 3])
  })
})
