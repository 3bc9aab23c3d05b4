// Which hosts the table shows, and what each row says: in turn the first of each kind that matters, each once, until there is no more room.
//
// Chosen anew every two seconds only: a table whose lines change places four times a second cannot be read.
import type { CrawlStatus, Explanation, HostStatus } from '@avocet/core/tools'
import { foundRpsOf } from '@avocet/project/plan'
import { given } from '@avocet/project/options'
import { byName } from '../text/by-name.ts'
import type { AnswerHistory } from './answer-history.ts'
import { HOST_CONDITIONS } from '../text/left-undone.ts'
import type { HostRow, Scene } from './scene.ts'

const CHOOSE_MS = 2_000

/** Keeps the choice between frames. */
export class HostPicks {
  #chosen: readonly string[] = []
  #chosenAt = -Infinity
  #phase: HostLook['phase'] = 'running'
  #room = 0

  /** At most `room` rows. Hosts with nothing to do are left out, and their places filled at once. */
  pick(views: ReadonlyMap<string, HostLook>, wanted: Wanted): Pick<Scene, 'rows' | 'workingHosts'> {
    const { room, now } = wanted
    const working = [...views.values()].filter(isAtWork)
    const isThin = this.#present(views) < Math.min(room, working.length)
    const [{ phase } = { phase: this.#phase }] = views.values()
    const isOther = phase !== this.#phase || room !== this.#room
    if (now - this.#chosenAt >= CHOOSE_MS || isOther || isThin) {
      this.#chosen = choose(working, room)
      this.#chosenAt = now
      this.#phase = phase
      this.#room = room
    }
    return { rows: rowsOf(this.#chosen, views), workingHosts: working.length }
  }

  /** How many of the chosen still have something to do. */
  #present(views: ReadonlyMap<string, HostLook>): number {
    return this.#chosen.filter((hostKey) => {
      const view = views.get(hostKey)
      return view !== undefined && isAtWork(view)
    }).length
  }
}

/** Which hosts are wanted. */
interface Wanted {
  readonly room: number
  readonly now: number
}

function rowsOf(chosen: readonly string[], views: ReadonlyMap<string, HostLook>): readonly HostRow[] {
  return chosen.flatMap((hostKey) => {
    const view = views.get(hostKey)
    return view && isAtWork(view) ? [rowOf(view)] : []
  })
}

/** A crawl that drains begins nothing more: what waits is no work of this run. */
function isAtWork({ status, phase }: HostLook): boolean {
  return status.inFlight > 0 || (status.waiting > 0 && phase !== 'draining')
}

/** Keys of the chosen hosts, in the order of the table. */
function choose(views: readonly HostLook[], room: number): readonly string[] {
  const chosen: HostLook[] = []
  const queues = HOST_CONDITIONS.map((state) => busiestFirst(views.filter((view) => view.state === state)))
  for (let n = 0; chosen.length < Math.min(room, views.length); n++)
    chosen.push(...queues.flatMap((queue) => queue[n] ?? []).slice(0, room - chosen.length))
  const rank = ({ state }: HostLook): number => HOST_CONDITIONS.indexOf(state)
  return chosen.sort((a, b) => rank(a) - rank(b) || byName(a.status, b.status)).map(({ status }) => status.hostKey)
}

/** By what went wrong in the last minute, then by what went well; of those with nothing, first what takes longest. */
function busiestFirst(views: readonly HostLook[]): readonly HostLook[] {
  const weighed = views.map((view) => {
    const { history, status, now } = view
    return { view, bad: history.lastMinute(now, 'bad'), good: history.lastMinute(now, 'good'), tookMs: tookMsOf(status, now) }
  })
  return weighed
    .sort((a, b) => b.bad - a.bad || b.good - a.good || b.tookMs - a.tookMs || byName(a.view.status, b.view.status))
    .map(({ view }) => view)
}

/** A host that waits no longer than this is held by nothing that a person could want to know. */
const SOON_MS = 5_000

/** What is known of one host at `now`. */
export interface HostLook extends Pick<HostRow, 'state' | 'why'> {
  readonly status: HostStatus
  readonly history: AnswerHistory
  /** What each plugin knows of it. All of them are asked: for a host that is shown. */
  readonly values: () => Explanation['values']
  /** Of the crawl. */
  readonly phase: CrawlStatus['phase']
  readonly now: number
  /** Epoch ms at which the run began. */
  readonly startedAt: number
}

/** What keeps the host from being asked for longer than `soonMs`: with nothing in flight, and until a moment that is known. */
export function heldBy({ status, now }: Pick<HostLook, 'status' | 'now'>, soonMs: number = SOON_MS): HostStatus['hold'] {
  const { hold, inFlight, waiting } = status
  return hold && inFlight === 0 && waiting > 0 && Number.isFinite(hold.until) && hold.until > now + soonMs ? hold : undefined
}

/** The last exchange, or the one in flight if it has taken longer already: a host that hangs has no last one. */
function tookMsOf({ inFlight, lastStartAt, lastDurationMs }: HostStatus, now: number): number {
  return inFlight > 0 ? Math.max(lastDurationMs, now - lastStartAt) : lastDurationMs
}

/** The state of its breaker, by any plugin that explains one. */
function breakerIn(values: Explanation['values']): string | undefined {
  return Object.values(values)
    .map(({ state }) => state)
    .find((state) => typeof state === 'string')
}

/** The row of a host. */
function rowOf(view: HostLook): HostRow {
  const { status, state, why, history, now, startedAt } = view
  const values = view.values()
  const seconds = Math.min(60, Math.max(1, (now - startedAt) / 1_000))
  const { hostKey, inFlight, waiting, items, refused, hold } = status
  return {
    ...{ hostKey, state, why },
    // Of a host that never answered well nothing was found yet.
    ...(status.proven && given('foundRps', foundRpsOf(values))),
    answeredRps: history.lastMinute(now, 'good') / seconds,
    ...given('breaker', breakerIn(values)),
    slices: history.slices(now),
    inFlight,
    waiting,
    items,
    refused,
    tookMs: tookMsOf(status, now),
    ...(hold && hold.until > now && { hold }),
  }
}
