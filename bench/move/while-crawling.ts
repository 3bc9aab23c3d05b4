// What looks cost a crawl: pages a second of four processes on the store, in phases in which nobody watches, one person, or several, in turn.
//
// Each person asks one thing again and again, as `watch -n 2` does: two seconds after the last answer. One alone asks for the status. Slots and the site's
// answers bound the crawl, not the processor, as far as this machine lets them: how much of it was idle is printed beside the ratio, and where that is
// nothing, the processor is what the looks take. The first pages are not counted: processes begin with a few slots.
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { cpus } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { medianOf, type AvocetCommand } from './avocet-command.ts'
import type { SlowSite } from './site.ts'

const PROCESSES = 4
const WARM_UP_MS = 15_000
const PHASE_MS = 10_000
const ROUNDS = 4
/** On a machine that is too busy for more, fewer rounds are measured. */
const ALL_PHASES_MS = 120_000
const WATCH_MS = 2_000
const END_MS = 20_000

/** What was measured. */
export interface WatchedCrawl {
  readonly alone: Pace
  /** By the number of people. */
  readonly watched: readonly WatchedPace[]
}

/** How fast it goes: medians of the phases. */
interface Pace {
  readonly pagesPerSecond: number
  /** Share of the processor. */
  readonly idle: number
}

/** How fast it goes while people watch. */
interface WatchedPace extends Pace {
  readonly people: number
  /** Of all of them. */
  readonly looks: number
  /** Of each phase: its pages a second by those of the phase before in which nobody watched. */
  readonly ratios: readonly number[]
}

/** Crawls, and looks. `during`: what else is measured while all of them crawl. */
export async function crawlWatched<During>(
  { command, site, store, slots }: { command: AvocetCommand; site: SlowSite; store: string; slots: number },
  looks: readonly (readonly string[])[],
  during: () => Promise<During>,
): Promise<{ readonly watched: WatchedCrawl; readonly during: During }> {
  const seed = `http://127.1.0.0:${String(site.port)}/`
  const words = ['--store', store, '--allow-private', '--concurrency', String(slots), '--log-level', 'error']
  const crawls = Array.from({ length: PROCESSES }, () => command.started('crawl', seed, ...words))
  try {
    await pause(WARM_UP_MS)
    const watched = await inPhases(site, command, looks)
    const measured = await during()
    const ended = crawls.filter(({ exitCode }) => exitCode !== null).length
    if (ended > 0) throw new Error(`expected four processes that crawl, got ${String(ended)} that ended`)
    return { watched, during: measured }
  } finally {
    await Promise.all(crawls.map(end))
  }
}

async function inPhases(site: SlowSite, command: AvocetCommand, looks: readonly (readonly string[])[]): Promise<WatchedCrawl> {
  const alone: Pace[] = []
  const crowds = [looks.slice(0, 1), looks].map((asked) => ({ asked, paces: [] as Pace[], ratios: [] as number[], looks: 0 }))
  const until = Date.now() + ALL_PHASES_MS
  for (let round = 0; round < ROUNDS && Date.now() < until; round++) {
    const nobody = await phase(site)
    alone.push(nobody)
    for (const crowd of crowds) {
      const end = Date.now() + PHASE_MS
      const people = crowd.asked.map((words) => looksUntil(end, () => command.took(...words)))
      const pace = await phase(site)
      crowd.paces.push(pace)
      crowd.ratios.push(pace.pagesPerSecond / nobody.pagesPerSecond)
      for (const asked of await Promise.all(people)) crowd.looks += asked
    }
  }
  const watched = crowds.map(({ asked, paces, ratios, looks: all }) => ({
    ...medianPace(paces),
    people: asked.length,
    looks: all,
    ratios,
  }))
  return { alone: medianPace(alone), watched }
}

/** As `watch -n 2` does; how often. */
async function looksUntil(end: number, look: () => Promise<unknown>): Promise<number> {
  let looks = 0
  for (; Date.now() < end; looks++) {
    await look()
    await pause(Math.max(0, Math.min(WATCH_MS, end - Date.now())))
  }
  return looks
}

function medianPace(paces: readonly Pace[]): Pace {
  return {
    pagesPerSecond: medianOf(paces.map(({ pagesPerSecond }) => pagesPerSecond)),
    idle: medianOf(paces.map(({ idle }) => idle)),
  }
}

async function phase(site: SlowSite): Promise<Pace> {
  const [served, since, before] = [site.served, performance.now(), processorTimes()]
  await pause(PHASE_MS)
  const after = processorTimes()
  return {
    pagesPerSecond: (site.served - served) / ((performance.now() - since) / 1_000),
    idle: (after.idle - before.idle) / (after.all - before.all),
  }
}

function processorTimes(): { readonly idle: number; readonly all: number } {
  const times = cpus().map((each) => each.times)
  const idle = times.reduce((sum, each) => sum + each.idle, 0)
  return { idle, all: times.reduce((sum, { user, nice, sys, irq }) => sum + user + nice + sys + irq, idle) }
}

/** As Ctrl-C does; one that does not end is killed. */
async function end(crawl: ChildProcess): Promise<void> {
  if (crawl.exitCode !== null) return
  const exit = once(crawl, 'exit')
  crawl.kill('SIGINT')
  const killer = setTimeout(() => crawl.kill('SIGKILL'), END_MS)
  await exit
  clearTimeout(killer)
}
