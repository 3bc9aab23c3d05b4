// One life of the process that crawls the shops, on virtual time, until the end of the world or its own: it is killed by SIGKILL in the middle of its work.
//
// `node life.ts JOB.json`. The world, what the servers write down and the virtual clock of the next life outlive it.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crawl } from 'avocet'
import type { Clock, Frontier } from '@avocet/core/store'
import { sqlite } from '@avocet/plugin-sqlite'
import { health as healthPlugin } from '@avocet/plugin-health'
import { polite } from '@avocet/preset-polite'
import { VirtualClock } from '@avocet/simulator'
import { HOUR_MS, shopsWeb } from '@avocet/stress/shops'
import { watching } from './changes-watched.ts'
import { shopsSpider } from './shops-spider.ts'
import { DeliveredLog } from './delivered-log.ts'
import { logSuspects } from './suspects-log.ts'
import { VisitLog } from './visit-log.ts'
import { watchedWorld, type WorldNumbers } from './watched-world.ts'
import { wrongItemsSink } from './wrong-items.ts'

/** When a life is killed: at the first commit after a moment, before it is written, after it, or at the moment itself. */
export interface Kill {
  readonly at: number
  readonly how: 'before commit' | 'after commit' | 'at once'
}

/** What a life is told. */
export interface LifeJob {
  readonly folder: string
  readonly world: WorldNumbers
  readonly startAt: number
  readonly endAt: number
  readonly kill?: Kill
  /** Whether plugin-health looks on, and each item is held against the truth. */
  readonly isExamined: boolean
}

/** Real ms without any progress: a large store takes its time to open. */
const STUCK_AFTER_MS = 60_000

const [, , jobPath = ''] = process.argv
const job = JSON.parse(readFileSync(jobPath, 'utf8')) as LifeJob
await live(job)

async function live({ folder, world: numbers, startAt, endAt, kill, isExamined }: LifeJob): Promise<void> {
  const clock = new VirtualClock({ startAt, stuckAfterMs: STUCK_AFTER_MS })
  const world = watchedWorld(numbers)
  using log = new VisitLog(join(folder, 'visits.tsv'))
  const die = (): void => {
    log.died(clock.now())
    process.kill(process.pid, 'SIGKILL')
  }
  using delivered = new DeliveredLog(join(folder, 'delivered.tsv'), clock)
  const frontier = sqlite(join(folder, 'store.db'), { synchronous: 'normal', clock })
  const plugin = healthPlugin()
  const run = crawl({
    spider: watching(shopsSpider(world.seeds)),
    recrawl: [{ everyMs: HOUR_MS }],
    policies: polite(),
    plugins: isExamined ? [plugin] : [],
    sinks: [delivered.sink, ...(isExamined ? [wrongItemsSink(join(folder, 'wrong-items.tsv'), world)] : [])],
    userAgent: 'watch (+https://example.org/bot)',
    ...{ concurrency: 200, maxPerHost: 1, maxTimeMs: Math.max(1, endAt - startAt), randomSeed: numbers.seed },
    ...{
      clock,
      fetcher: shopsWeb(world, clock, (visit) => log.visit(visit)),
      frontier: kill ? mortal(frontier, { clock, kill, die }) : frontier,
    },
  })
  using _kill = kill?.how === 'at once' ? clock.at(kill.at, die) : undefined
  if (isExamined) void logSuspects({ path: join(folder, 'suspects.tsv'), clock, reader: frontier.reader, plugin, until: endAt })
  const report = await clock.run(() => run.run())
  await clock.run(frontier.close())
  writeFileSync(join(folder, 'report.json'), JSON.stringify({ report, cpuMs: process.cpuUsage() }))
  if (report.ended === 'failed') throw new Error(report.why)
}

/** The store of a process that dies at its first commit after a moment. */
function mortal(frontier: Frontier, { clock, kill, die }: { clock: Clock; kill: Kill; die: () => void }): Frontier {
  return new Proxy(frontier, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key, target)
      if (key !== 'commit' || typeof member !== 'function') return member
      return async (...units: unknown[]): Promise<unknown> => {
        const isDue = kill.how !== 'at once' && clock.now() >= kill.at
        if (isDue && kill.how === 'before commit') die()
        const results: unknown = await Reflect.apply(member, target, units)
        if (isDue) die()
        return results
      }
    },
  })
}
