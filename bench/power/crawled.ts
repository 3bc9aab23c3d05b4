// Crawls the small web on virtual time with the real store and the real exporter, and says what came of it.
import { crawl, type CrawlReport } from 'avocet'
import { systemClock, type Frontier } from '@avocet/core/store'
import { polite } from '@avocet/preset-polite'
import { VirtualClock } from '@avocet/simulator'
import { basename, dirname, join } from 'node:path'
import { DrivenSink } from '../../packages/cli/test/drive-sink.ts'
import { openOutputs } from '../../packages/cli/src/export/outputs.ts'
import type { PowerWorld } from './world.ts'

/** Where a crawl goes. */
export interface CrawledOptions {
  readonly frontier: (clock: VirtualClock) => Frontier
  /** Of the items, behind what stands there. */
  readonly output: string
  /** Beside it the store is; the name under which the output is known follows from that. */
  readonly store: string
  /** Commits between two rounds of the exporter. */
  readonly exportEvery?: number
  /** Epoch ms. */
  readonly startAt?: number
  readonly maxPages?: number
}

/** What came of it. */
export interface Crawled {
  readonly report: CrawlReport
  /** URLs that were asked for, robots.txt aside. */
  readonly asked: readonly string[]
  /** What the exporter said. */
  readonly said: readonly string[]
}

/** Crawls to the end. */
export async function crawled(world: PowerWorld, options: CrawledOptions): Promise<Crawled> {
  const { frontier: made, output, store, exportEvery = 8, startAt, maxPages } = options
  const clock = new VirtualClock({ ...(startAt !== undefined && { startAt }), stuckAfterMs: 20_000 })
  const fetcher = world.fetcher(clock)
  const frontier = made(clock)
  const said: string[] = []
  const place = {
    folder: dirname(output),
    stdout: process.stdout,
    clock: systemClock(),
    storePath: store,
    say: (line: string) => void said.push(line),
  }
  const [target] = await openOutputs([{ path: join(dirname(output), basename(output)), mode: 'append' }], place)
  if (target === undefined) throw new Error('expected an output')
  const driven = new DrivenSink(target, frontier)
  let commits = 0
  let begun = false
  const catchUp = async (): Promise<void> => {
    if (!begun) await driven.begin()
    begun = true
    await driven.catchUp()
  }
  const exporting: Frontier = {
    ...frontier,
    async commit(turns) {
      const results = await frontier.commit(turns)
      if (++commits % exportEvery === 0) await catchUp()
      return results
    },
  }
  try {
    const plugins = polite({ robots: false })
    const report = await clock.run(() =>
      crawl({
        policies: [],
        spider: world.spider,
        clock,
        fetcher,
        frontier: exporting,
        plugins,
        randomSeed: 'power',
        ...(maxPages !== undefined && { maxPages }),
      }).run(),
    )
    await catchUp()
    return { report, asked: fetcher.asked, said }
  } finally {
    await frontier.close()
    await target.close()
  }
}
