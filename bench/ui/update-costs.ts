// CPU per update of each view, of a crawl of 800 hosts that stands still in the middle of its work.
import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crawl, spider, type CrawlConfig } from '@avocet/core'
import { sqlite } from '@avocet/plugin-sqlite'
import { polite } from '@avocet/preset-polite'
import { simulatedWeb, VirtualClock, WORLDS } from '@avocet/simulator'
import { RunSight } from '../../packages/cli/src/ui/run-sight.ts'
import { WatchedCrawl } from '../../packages/cli/src/ui/watched-crawl.ts'
import { EventClient } from '../../packages/dashboard/src/server/event-client.ts'
import { viewParts } from '../../packages/dashboard/src/server/view-parts.ts'
import { FIRST_WISH, type ViewName } from '../../packages/dashboard/src/view-wish.ts'

/** Of one view. */
export interface UpdateCost {
  readonly view: ViewName
  readonly hosts: number
  readonly microseconds: number
  /** On average. */
  readonly bytes: number
}

/** By then nearly all sites have been met, and few are done. */
const AT_MS = 8_000
const UPDATE_MS = 250
const WARM_UP = 100

/** A reader that takes everything, and counts it. */
class Counting extends EventEmitter {
  bytes = 0
  readonly destroyed = false
  readonly writableEnded = false

  writeHead(): void {}
  flushHeaders(): void {}

  write(text: string): boolean {
    this.bytes += text.length
    return true
  }
}

/** Measures so many updates of each view that is open for long. */
export async function updateCosts(updates: number): Promise<readonly UpdateCost[]> {
  const model = WORLDS['eight-hundred']?.()
  if (model === undefined) throw new Error('the simulator has no world eight-hundred')
  const folder = await mkdtemp(join(tmpdir(), 'avocet-bench-ui-'))
  const clock = new VirtualClock()
  const frontier = sqlite(join(folder, 'ui.db'), { synchronous: 'normal', clock })
  const config: CrawlConfig = {
    spider: spider({ name: 'ui', seeds: model.seeds(), handlers: { *start() {} } }),
    ...{ frontier, policies: polite(), concurrency: 1_000, randomSeed: 'ui', clock },
    fetcher: simulatedWeb(model, { clock }),
  }
  const run = crawl({ policies: [], ...config })
  const ahead = { ms: 0 }
  /** The crawl stands still, the page's time goes on. */
  const pageClock = {
    now: () => clock.now() + ahead.ms,
    monotonic: () => clock.now() + ahead.ms,
    at: clock.at.bind(clock),
    hold: clock.hold.bind(clock),
  }
  const sight = new RunSight({ run, reader: frontier.reader, config, clock: pageClock, sinkName: (name) => name })
  const source = new WatchedCrawl({
    name: 'ui',
    store: ':memory:',
    reader: frontier.reader,
    config,
    clock: pageClock,
    folder,
    live: sight,
    isOpen: () => sight.isOpen,
  })
  const costs: UpdateCost[] = []
  clock.at(clock.now() + AT_MS, () => {
    const hold = clock.hold('bench')
    void (async () => {
      for (const view of ['now', 'hosts'] as const) costs.push(await costOf(view))
      sight[Symbol.dispose]()
      run.abort()
      hold[Symbol.dispose]()
    })()
  })
  try {
    await clock.run(() => run.run())
  } finally {
    await frontier.close()
    await rm(folder, { recursive: true, force: true })
  }
  return costs

  async function costOf(view: ViewName): Promise<UpdateCost> {
    const reader = new Counting()
    const client = new EventClient('bench', reader as unknown as ServerResponse)
    client.wishes({ ...FIRST_WISH, view, crawl: 'ui', count: 60 }, 1)
    const shelf = { crawls: async () => [], crawl: async () => ({ source, steering: { offers: [], act: async () => '' } }) }
    const turn = async (): Promise<void> => {
      ahead.ms += UPDATE_MS
      await client.turn(pageClock.now(), (wish) => viewParts(shelf, wish))
      await new Promise((done) => setImmediate(done))
    }
    for (let n = 0; n < WARM_UP; n++) await turn()
    reader.bytes = 0
    const from = process.cpuUsage()
    for (let n = 0; n < updates; n++) await turn()
    const { user, system } = process.cpuUsage(from)
    return {
      view,
      hosts: run.status().liveHosts,
      microseconds: Math.round((user + system) / updates),
      bytes: Math.round(reader.bytes / updates),
    }
  }
}
