// Watches a crawl for whoever shows it: the status, what the hooks report, what the store knows of the hosts that are shown. Gives scenes.
//
// Four times a second over 800 hosts: what is done for all of them is a look at their status; history is counted as it comes, and only the
// hosts in the table are asked about, a few a scene.
import {
  messageOf,
  type Counts,
  type Crawl,
  type CrawlConfig,
  type CrawlStatus,
  type FrontierReader,
  type HostStatus,
} from '@avocet/core'
import { HostAnswers } from './host-answers.ts'
import { heldBy, HostPicks, type HostLook } from './host-picks.ts'
import { HostWatch, type HostNote } from './host-watch.ts'
import { Pace } from './pace.ts'
import type { HostRow, Scene } from './scene.ts'

/** Questions a scene: of hosts that went out of hand, and of shown ones. */
const MAX_GONE = 4
const MAX_SHOWN = 4
/** An answer about a shown host is asked for again after this. */
const STALE_MS = 4_000

/** What a watcher watches. */
export interface Watched {
  readonly crawl: Pick<Crawl, 'hooks' | 'status' | 'withStore'>
  readonly reader: FrontierReader
  readonly config: Partial<CrawlConfig>
}

/** One for each crawl, made before it runs. */
export class CrawlWatcher {
  readonly #crawl: Pick<Crawl, 'hooks' | 'status' | 'withStore'>
  readonly #reader: FrontierReader
  readonly #watch: HostWatch
  readonly #answers: HostAnswers
  readonly #pace: Pace
  readonly #picks = new HostPicks()
  /** Of earlier runs. */
  #before: Pick<Counts, 'moved' | 'failed'> = { moved: 0, failed: 0 }

  constructor({ crawl, reader, config }: Watched) {
    this.#crawl = crawl
    this.#reader = reader
    this.#watch = new HostWatch(crawl)
    this.#answers = new HostAnswers({ reader, config })
    this.#pace = new Pace(config.patienceMs)
  }

  /** Reads what earlier runs did, with the patience of the crawl. Call once the frontier is open. Returns in one line what it had to do without. */
  async open(): Promise<string | undefined> {
    try {
      this.#before = await this.#crawl.withStore('totals', () => this.#reader.counts())
      return undefined
    } catch (error) {
      // It costs the display something, and must not cost the crawl.
      return `the totals of earlier runs cannot be read, so "done" includes what failed in them: ${messageOf(error)}`
    }
  }

  /** The crawl as it is now, with at most `room` hosts. */
  look(room: number): Scene {
    const status = this.#crawl.status()
    const { now, run, settled } = status
    this.#watch.saw(status.hosts, now)
    const parked = this.#parked(now)
    const views = this.#views([...status.hosts, ...parked], status)
    const rows = this.#picks.rows(views, room, now)
    this.#askShown(rows, now)
    const failed = this.#before.failed + run.failed
    return {
      glance: this.#pace.glance(status, parked),
      done: Math.max(0, settled - failed - this.#before.moved - run.moved),
      failed,
      failures: this.#watch.failures,
      troubles: this.#watch.troubles,
      parkedHosts: parked.length,
      ...heldOf([...views.values()], status.inFlight === 0),
      rows,
    }
  }

  /** Hosts that went out of hand with something waiting, as far as the store has been asked about them. */
  #parked(now: number): readonly HostStatus[] {
    const parked: HostStatus[] = []
    let questions = 0
    for (const [hostKey, note] of this.#watch.notes) {
      if (note.goneAt === undefined || note.retired) continue
      const answer = this.#answers.answer(hostKey)
      if (answer === undefined || answer.askedAt < note.goneAt) {
        if (questions++ < MAX_GONE) void this.#answers.ask(hostKey, now)
        continue
      }
      if (answer.isGivenUp || answer.waiting === 0) continue
      const { hold: _, ...last } = note.last ?? unseen(hostKey)
      parked.push({ ...last, inFlight: 0, waiting: answer.waiting, ...(answer.hold && { hold: answer.hold }) })
    }
    return parked
  }

  #views(hosts: readonly HostStatus[], { now, startedAt }: CrawlStatus): ReadonlyMap<string, HostLook> {
    const views = new Map<string, HostLook>()
    for (const status of hosts) {
      const note: HostNote = this.#watch.note(status.hostKey)
      views.set(status.hostKey, { status, note, answer: this.#answers.answer(status.hostKey), now, startedAt })
    }
    return views
  }

  /** The shown hosts with the oldest answers. */
  #askShown(rows: readonly HostRow[], now: number): void {
    const stale = rows
      .map(({ hostKey }) => ({ hostKey, askedAt: this.#answers.answer(hostKey)?.askedAt ?? -Infinity }))
      .filter(({ askedAt }) => now - askedAt >= STALE_MS)
      .sort((a, b) => a.askedAt - b.askedAt)
    for (const { hostKey } of stale.slice(0, MAX_SHOWN)) void this.#answers.ask(hostKey, now)
  }
}

/** With nothing under way at all a person asks sooner what is being waited for. */
const SOON_WHEN_IDLE_MS = 1_000

/** Hosts that are held, and the first that goes on. */
function heldOf(views: readonly HostLook[], isIdle: boolean): Pick<Scene, 'heldHosts' | 'firstHeld'> {
  let heldHosts = 0
  let firstHeld: Scene['firstHeld']
  for (const view of views) {
    const hold = isIdle ? heldBy(view, SOON_WHEN_IDLE_MS) : heldBy(view)
    if (!hold) continue
    heldHosts++
    if (firstHeld === undefined || hold.until < firstHeld.hold.until) firstHeld = { hostKey: view.status.hostKey, hold }
  }
  return { heldHosts, ...(firstHeld && { firstHeld }) }
}

/** A host that came and went between two scenes. */
function unseen(hostKey: string): HostStatus {
  return {
    hostKey,
    inFlight: 0,
    waiting: 0,
    proven: false,
    consecutiveFailures: 0,
    lastStartAt: 0,
    lastDurationMs: 0,
    answered: 0,
    refused: 0,
    failed: 0,
  }
}
