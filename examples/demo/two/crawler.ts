// One of the two processes: the real command, on the store that both share. What it says goes into a file beside what it finds.
import { spawn, type ChildProcess } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../../..')
const COMMAND = join(ROOT, 'packages/cli/bin/avocet.js')

/** What a process is given. */
export interface CrawlerPlan {
  /** As the servers hear it. */
  readonly name: string
  /** Words of `avocet crawl`. */
  readonly words: readonly string[]
  readonly password: string
  /** Gets what it says. */
  readonly log: string
}

/** A process that crawls. */
export interface Crawler {
  readonly name: string
  /** Its exit code, once it has ended; null after a kill. */
  readonly ended: Promise<number | null>
  kill(signal: NodeJS.Signals): void
}

/** Starts it, at the root of the clone. */
export function startCrawler({ name, words, password, log }: CrawlerPlan): Crawler {
  const file = openSync(log, 'w')
  const child: ChildProcess = spawn(process.execPath, [COMMAND, 'crawl', ...words], {
    cwd: ROOT,
    env: { ...process.env, PGPASSWORD: password, DEMO_PROCESS: name },
    stdio: ['ignore', file, file],
  })
  closeSync(file)
  return {
    name,
    ended: new Promise((resolve, reject) => child.once('error', reject).once('exit', resolve)),
    kill: (signal) => void child.kill(signal),
  }
}
