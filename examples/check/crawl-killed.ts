// Crawls the own site of an example through the real command, kills it as often as told, and gives what it wrote.
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { ServedSite, ServeOptions } from './serve-site.ts'

/** How it is run. */
export interface KilledOptions {
  /** The command gets a SIGKILL while it waits for the answers to the requests of these numbers, and is run again each time. Default: never. */
  readonly killsAt?: readonly number[]
}

/** An example with a site of its own: `spider.ts`, which takes `-a site=…`, and `avocet.config.ts`. */
export interface OwnSite<Site extends ServedSite> extends KilledOptions {
  readonly folder: string
  readonly open: (options: ServeOptions) => Promise<Site>
  readonly env?: Readonly<Record<string, string>>
}

/** What came of it, while the site is open and its files are there. */
export interface KilledRun<Site> {
  readonly site: Site
  /** Where the store and `items.jsonl` are. */
  readonly folder: string
  /** Lines of items. */
  readonly written: readonly string[]
  /** Processes that were killed. */
  readonly kills: number
  /** The end of what the last run said, if it failed. */
  readonly failed: readonly string[]
}

const COMMAND = join(import.meta.dirname, '../../packages/cli/bin/avocet.js')
/** The site is ours. */
const HURRY = ['--rate', 'fixed', '--delay', '1ms', '--max-time', '3m']

/** Crawls it, and gives what `look` makes of that. */
export async function crawlKilled<Site extends ServedSite, Found>(
  { folder: example, open, env = {}, killsAt = [] }: OwnSite<Site>,
  look: (run: KilledRun<Site>) => Found | Promise<Found>,
): Promise<Found> {
  const folder = await mkdtemp(join(tmpdir(), 'avocet-example-'))
  let kill = (): void => {}
  const site = await open({ onRequest: (number) => killsAt.includes(number) && kill() })
  try {
    const files = [join(example, 'spider.ts'), '--config', join(example, 'avocet.config.ts')]
    const words = [COMMAND, 'crawl', ...files, '-a', `site=${site.origin}`, '-O', 'items.jsonl', ...HURRY]
    let kills = 0
    for (;;) {
      const child = spawn(process.execPath, words, {
        cwd: folder,
        env: { ...process.env, ...env },
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      kill = () => void child.kill('SIGKILL')
      const { said, exitCode, signal } = await ended(child)
      // A number comes once, so this ends.
      if (signal === 'SIGKILL' && ++kills <= killsAt.length) continue
      const written = (await readFile(join(folder, 'items.jsonl'), 'utf8').catch(() => ''))
        .split('\n')
        .filter((line) => line !== '')
      const failed = exitCode === 0 ? [] : [said.trim().split('\n').slice(-3).join(' / ')]
      return await look({ site, folder, written, kills, failed })
    }
  } finally {
    await site.close()
    await rm(folder, { recursive: true, force: true })
  }
}

interface Ended {
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  readonly said: string
}

async function ended(child: ReturnType<typeof spawn>): Promise<Ended> {
  const over = new Promise<Pick<Ended, 'exitCode' | 'signal'>>((resolve) => {
    child.once('close', (exitCode, signal) => resolve({ exitCode, signal }))
  })
  const said = child.stderr === null ? '' : await text(child.stderr)
  return { ...(await over), said }
}
