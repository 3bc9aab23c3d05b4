// Runs of bench:floor -- --beside: other crawlers on its two worlds, in the same rounds.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { median } from '../median.ts'
import { CRAWLEE_HOME, otherCrawlers, type OtherCrawler } from './other-crawlers.ts'
import type { HeldRuns, Round } from './parts.ts'
import { checkItems, seedsOf, type Cost, type Job } from './runs.ts'
import { WORLDS, type WorldName } from './worlds.ts'

type Held = keyof HeldRuns

/** What it took, and how many of the pages it fetched. */
interface Run extends Cost {
  readonly pages: number
}

/** Counts all threads, and children. */
const TIME = ['/usr/bin/time', '-q', '-o', 'time.txt', '-f', '%U %S %M'] as const
/** Fewer pages than this part are no crawl. */
const LEAST = 0.98

/** Other crawlers, and what they took so far. */
export class Beside {
  readonly #runs = new Map(otherCrawlers().map((crawler) => [crawler, { large: [] as Run[], small: [] as Run[] }]))

  /** Each of them once on both worlds. */
  async measure(ports: Readonly<Record<WorldName, number>>): Promise<void> {
    for (const [crawler, runs] of this.#runs) {
      for (const world of ['large', 'small'] as const) {
        const taken = await run(crawler, { world, items: true, port: ports[world] })
        runs[world].push(taken)
        const { pages, cpuMs, peakMb } = taken
        console.error(
          `${crawler.name}: ${pages} ${world} pages, ${rounded(cpuMs / pages)} ms each, peak ${Math.round(peakMb)} MB`,
        )
      }
    }
  }

  /** A table of medians: CPU a page, how many times the floor's of the same round, and the peak of memory; and what each does otherwise. */
  report(rounds: readonly Round[]): void {
    const row = (of: (world: Held) => readonly Run[]): Readonly<Record<string, number>> =>
      Object.fromEntries(
        (['large', 'small'] as const).flatMap((world) => {
          const floors = rounds.map(({ floor }) => floor[world].cpuMs / WORLDS[world].pages)
          const pages = of(world).map((one) => one.cpuMs / one.pages)
          return [
            [`${world}: ms a page`, rounded(median(pages))],
            [`${world}: times the floor`, rounded(median(pages.map((ms, round) => ms / (floors[round] ?? Number.NaN))))],
            [`${world}: peak MB`, Math.round(median(of(world).map(({ peakMb }) => peakMb)))],
            [`${world}: pages`, Math.min(...of(world).map((one) => one.pages))],
          ]
        }),
      )
    const own =
      (whose: 'floor' | 'command') =>
      (world: Held): readonly Run[] =>
        rounds.map((round) => ({ ...round[whose][world], pages: WORLDS[world].pages }))
    const others = [...this.#runs].map(([{ name }, runs]) => [name, row((world) => runs[world])] as const)
    console.table(Object.fromEntries([['floor', row(own('floor'))], ['avocet crawl', row(own('command'))], ...others]))
    for (const { name, but } of this.#runs.keys()) console.log(`${name}: ${but}`)
  }
}

async function run(crawler: OtherCrawler, job: Job): Promise<Run> {
  const { perHost, hosts, pages: all } = WORLDS[job.world]
  const folder = mkdtempSync(join(tmpdir(), 'avocet-beside-'))
  try {
    for (const [name, text] of Object.entries(crawler.files)) writeFileSync(join(folder, name), text)
    symlinkSync(join(CRAWLEE_HOME, 'node_modules'), join(folder, 'node_modules'))
    await served(job)
    const words = [...TIME.slice(1), ...crawler.command(seedsOf(job).split(' '), hosts * perHost, perHost)]
    const child = spawn(TIME[0], words, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
    const [stderr] = await Promise.all([text(child.stderr), once(child, 'close')])
    const pages = await served(job)
    if (pages < LEAST * all) throw new Error(`expected ${crawler.name} to fetch ${all} pages, got ${pages}: ${stderr}`)
    if (crawler.hasItems) checkItems(folder, job)
    const [user = 0, system = 0, peakKb = 0] = readFileSync(join(folder, 'time.txt'), 'utf8').split(' ').map(Number)
    return { cpuMs: 1e3 * (user + system), peakMb: peakKb / 1024, pages }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Different pages that the site gave since the last such question. */
async function served({ port }: Job): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}/served`)
  return ((await answer.json()) as { pages: number }).pages
}

function rounded(value: number): number {
  return Number(value.toFixed(3))
}
