// CPU per update of each view, of a crawl of 800 hosts in the middle of its work. It goes on between updates, and stands still while one is made.
import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crawl, spider, type CrawlConfig } from 'avocet'
import { sqlite } from '@avocet/plugin-sqlite'
import { polite } from '@avocet/preset-polite'
import { simulatedWeb, VirtualClock, WORLDS } from '@avocet/simulator'
import { WatchedCrawl } from '../../packages/cli/src/ui/watched-crawl.ts'
import { CrawlWatcher } from '../../packages/cli/src/view/crawl-watcher.ts'
import { EventClient } from '../../packages/dashboard/src/server/event-streams.ts'
import { viewParts } from '../../packages/dashboard/src/server/view-parts.ts'
import { FIRST_WISH, type ViewName } from '../../packages/dashboard/src/view-wish.ts'

/** Of one view. */
export interface UpdateCost {
  readonly view: ViewName
  readonly hosts: number
  readonly microseconds: number
  /** On average; so are the others. */
  readonly bytes: number
}

/** By then nearly all sites have been met, and few are done. */
const AT_MS = 8_000
const UPDATE_MS = 250
/** Over 5 s nearly all sites stay in hand. */
const UPDATES_A_CRAWL = 20
/** Of the event loop: by then the crawl has done what it had begun. */
const SETTLING_TURNS = 50

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

/** Measures so many updates of each view that is open for long, over as many crawls as it takes. */
export async function updateCosts(updates: number): Promise<readonly UpdateCost[]> {
  const costs: UpdateCost[] = []
  for (const view of ['now', 'hosts'] as const) {
    // The first warms up.
    await costOf(view)
    const rounds: UpdateCost[] = []
    while (rounds.length * UPDATES_A_CRAWL < updates) rounds.push(await costOf(view))
    const mean = (name: 'hosts' | 'microseconds' | 'bytes'): number =>
      Math.round(rounds.reduce((sum, round) => sum + round[name], 0) / rounds.length)
    costs.push({ view, hosts: mean('hosts'), microseconds: mean('microseconds'), bytes: mean('bytes') })
  }
  return costs
}

/** Of one crawl. */
async function costOf(view: ViewName): Promise<UpdateCost> {
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
  const watcher = new CrawlWatcher({ crawl: run, config })
  const source = new WatchedCrawl({
    name: 'ui',
    store: ':memory:',
    reader: frontier.reader,
    config,
    clock,
    folder,
    live: () => watcher.look(0),
  })
  let cost: UpdateCost | undefined
  let hold: Disposable | undefined
  clock.at(clock.now() + AT_MS, () => {
    hold = clock.hold('bench')
    void (async () => {
      cost = await measured()
      run.abort()
      hold?.[Symbol.dispose]()
    })()
  })
  try {
    await clock.run(() => run.run())
  } finally {
    await frontier.close()
    await rm(folder, { recursive: true, force: true })
  }
  if (cost === undefined) throw new Error('expected updates before the end of the crawl, got none')
  return cost

  async function measured(): Promise<UpdateCost> {
    const reader = new Counting()
    const client = new EventClient('bench', reader as unknown as ServerResponse)
    client.wishes({ ...FIRST_WISH, view, crawl: 'ui', count: 60 }, 1)
    const shelf = { crawls: async () => [], crawl: async () => ({ source, steering: { offers: [], act: async () => '' } }) }
    const turn = (): Promise<void> => client.turn(clock.now(), (wish) => viewParts(shelf, wish))
    await turn()
    reader.bytes = 0
    let [microseconds, hosts] = [0, 0]
    for (let n = 0; n < UPDATES_A_CRAWL; n++) {
      await goOn()
      const from = process.cpuUsage()
      await turn()
      const { user, system } = process.cpuUsage(from)
      microseconds += user + system
      hosts += run.status().liveHosts
    }
    return {
      view,
      hosts: Math.round(hosts / UPDATES_A_CRAWL),
      microseconds: Math.round(microseconds / UPDATES_A_CRAWL),
      bytes: Math.round(reader.bytes / UPDATES_A_CRAWL),
    }
  }
  /** The crawl does its work until the next update, and stands still again. */
  async function goOn(): Promise<void> {
    await new Promise<void>((done) => {
      clock.at(clock.now() + UPDATE_MS, () => {
        hold = clock.hold('bench')
        done()
      })
      hold?.[Symbol.dispose]()
    })
    for (let n = 0; n < SETTLING_TURNS; n++) await new Promise((done) => setImmediate(done))
  }
}
