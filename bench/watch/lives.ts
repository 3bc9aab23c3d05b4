// A crawl of days in several lives: each but the last is killed, and the next one opens the same store, seconds or hours later.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { drawsOf, HOUR_MS } from '@avocet/stress/shops'
import type { Kill, LifeJob } from './life.ts'
import { readVisits } from './visit-log.ts'
import { endOf, START_AT, type WorldNumbers } from './watched-world.ts'

const LIFE = join(import.meta.dirname, 'life.ts')
const FLAGS = ['--conditions=@avocet/source', '--disable-warning=ExperimentalWarning', '--max-old-space-size=4096']
const HOWS: readonly Kill['how'][] = ['before commit', 'after commit', 'at once']
/** In the minutes after a full hour most pages are visited: that is when a kill has something to destroy. */
const RUSH_MS = 60_000
const MINUTE_MS = 60_000

/** How a world is crawled. `kills`: so many lives are killed. */
export interface Lives extends Pick<LifeJob, 'isExamined'> {
  readonly kills: number
}

/** Runs all lives in `folder`. */
export async function liveAll(folder: string, world: WorldNumbers, { kills, isExamined }: Lives): Promise<void> {
  const endAt = endOf(world)
  const draws = drawsOf(world.seed, 'kills')
  const moments = Array.from({ length: kills }, () => {
    const hour = draws.whole(0, Math.max(0, Math.floor(world.days * 24) - 2))
    return START_AT + hour * HOUR_MS + (draws.isHit(0.8) ? draws.between(100, RUSH_MS) : draws.between(0, HOUR_MS))
  }).toSorted((a, b) => a - b)
  let startAt = START_AT
  for (const moment of [...moments, Infinity]) {
    const at = Math.max(Math.round(moment), startAt + 1_000)
    // A later one finds nothing to destroy.
    const kill = at > endAt - HOUR_MS ? undefined : { at, how: draws.pick(HOWS) }
    await live({ folder, world, startAt, endAt, isExamined, ...(kill && { kill }) })
    if (kill === undefined) return
    const died = readVisits(join(folder, 'visits.tsv')).deaths.at(-1) ?? kill.at
    startAt = died + Math.round(draws.isHit(0.8) ? draws.between(1_000, 5 * MINUTE_MS) : draws.between(0.1, 4) * HOUR_MS)
  }
}

async function live(job: LifeJob): Promise<void> {
  const path = join(job.folder, 'job.json')
  writeFileSync(path, JSON.stringify(job))
  const child = spawn(process.execPath, [...FLAGS, LIFE, path], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'avocet-watch-cache') },
  })
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
  if (signal === 'SIGKILL' && job.kill !== undefined) return
  if (code !== 0)
    throw new Error(`expected a life to ${job.kill ? 'be killed' : 'end well'}, got ${signal ?? `exit code ${String(code)}`}`)
  if (job.kill !== undefined) throw new Error(`expected a life to be killed at ${String(job.kill.at)}, got its end`)
}
