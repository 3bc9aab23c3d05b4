// Which hosts the table shows, and what each row says: in turn the first of each kind that matters, each once, until there is no more room.
//
// Chosen anew every two seconds only: a table whose lines change places four times a second cannot be read.
import type { CrawlStatus, Explanation, HostStatus } from '@avocet/core/tools'
import { foundRpsOf } from '../load/policies.ts'
import { byName } from '../text/by-name.ts'
import { given } from '../options/values.ts'
import type { AnswerHistory } from './answer-history.ts'
import type { HostLabel, HostRow, Scene } from './scene.ts'

/** In the order of the table. */
const LABELS = ['open', 'held', 'failing', 'refused', 'slow', 'busy', 'paused'] as const satisfies readonly HostLabel[]
const CHOOSE_MS = 2_000

/** Keeps the choice between frames. */
export class HostPicks {
  #chosen: ReadonlyMap<string, readonly HostLabel[]> = new Map()
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
    return [...this.#chosen.keys()].filter((hostKey) => {
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

function rowsOf(chosen: ReadonlyMap<string, readonly HostLabel[]>, views: ReadonlyMap<string, HostLook>): readonly HostRow[] {
  return [...chosen].flatMap(([hostKey, labels]) => {
    const view = views.get(hostKey)
    return view && isAtWork(view) ? [rowOf(view, labels)] : []
  })
}

/** A crawl that drains begins nothing more: what waits is no work of this run. */
function isAtWork({ status, phase }: HostLook): boolean {
  return status.inFlight > 0 || (status.waiting > 0 && phase !== 'draining')
}

/** The chosen hosts with their labels, in the order of the table. */
function choose(views: readonly HostLook[], room: number): ReadonlyMap<string, readonly HostLabel[]> {
  const queues = LABELS.map((label) => ({ label, queue: mostFirst(views, label, room) }))
  const chosen = new Map<string, HostLabel>()
  while (chosen.size < room && queues.some(({ queue }) => queue.length > 0)) {
    for (const { label, queue } of queues) {
      const next = queue.find((hostKey) => !chosen.has(hostKey))
      queue.splice(0, next === undefined ? queue.length : queue.indexOf(next) + 1)
      if (next !== undefined && chosen.size < room) chosen.set(next, label)
    }
  }
  const byKey = new Map(views.map((view) => [view.status.hostKey, view]))
  const rows = [...chosen.keys()].map((hostKey): [string, readonly HostLabel[]] => [hostKey, labelsOf(byKey.get(hostKey))])
  return new Map(rows.sort(([a, ofA], [b, ofB]) => rankOf(ofA) - rankOf(ofB) || (a < b ? -1 : 1)))
}

/** Keys of at most `room` hosts, those first that are most of all what `label` says. */
function mostFirst(views: readonly HostLook[], label: HostLabel, room: number): string[] {
  return views
    .map(({ status, ...rest }) => ({ hostKey: status.hostKey, weight: weightOf({ status, ...rest }, label) }))
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight || byName(a, b))
    .slice(0, room)
    .map(({ hostKey }) => hostKey)
}

/** All that hold; every host is busy or paused with the crawl, so that this is said only of those that are nothing else. */
function labelsOf(view: HostLook | undefined): readonly HostLabel[] {
  // What it was before somebody paused it is no matter until it is resumed.
  if (view !== undefined && isPaused(view)) return ['paused']
  const labels = LABELS.filter((label) => label !== 'busy' && view !== undefined && weightOf(view, label) > 0)
  // That an open circuit is held and has failed is no news.
  const shown = labels.includes('open') ? labels.filter((label) => label !== 'held' && label !== 'failing') : labels
  if (shown.length > 0) return shown
  return view?.phase === 'paused' && view.status.inFlight === 0 ? ['paused'] : ['busy']
}

function rankOf([first = 'busy']: readonly HostLabel[]): number {
  return LABELS.indexOf(first)
}

/** A host that waits no longer than this is held by nothing that a person could want to know. */
const SOON_MS = 5_000
/** An exchange that takes so long makes a host slow, however slow the others are. */
const SLOW_MS = 1_000
/** Waits of this length are not those of a pace: a plugin that holds a host for so long is asked for the reason. */
const ILL_MS = 1_000

/** What is known of one host at `now`. */
export interface HostLook {
  readonly status: HostStatus
  readonly history: AnswerHistory
  /** What each plugin knows of it. All of them are asked: for a host that is shown, or may be ill. */
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

/** How much the host is what `label` says; 0 = it is not. */
function weightOf(view: HostLook, label: HostLabel): number {
  const { status, history, now } = view
  if (label === 'open') return isOpen(view) ? 1 + nearness(status.hold, now) : 0
  if (label === 'held') return heldBy(view) && !isPaused(view) ? 1 + nearness(status.hold, now) : 0
  if (label === 'failing') return status.consecutiveFailures
  if (label === 'refused') return status.refused > 0 ? history.lastMinute(now, 'bad') : 0
  if (label === 'slow') return tookMsOf(status, now) >= SLOW_MS ? tookMsOf(status, now) : 0
  // Where the whole crawl is paused it is a word for the busy ones, which chooses none.
  if (label === 'paused') return isPaused(view) ? 1 : 0
  return history.lastMinute(now, 'good') + (status.inFlight > 0 ? 0.5 : 0.1)
}

/** Between 0 and 1: who goes on sooner is of more interest. */
function nearness(hold: HostStatus['hold'], now: number): number {
  return hold ? 1 / (1 + Math.max(0, hold.until - now)) : 0
}

/** By an order for this host. */
function isPaused({ status: { hold, inFlight }, now }: HostLook): boolean {
  return hold?.by === 'operator' && inFlight === 0 && hold.until > now
}

function isOpen(view: HostLook): boolean {
  const { refused, failed, consecutiveFailures } = view.status
  const isIll = refused + failed + consecutiveFailures > 0 || heldBy(view, ILL_MS) !== undefined
  return isIll && (breakerIn(view.values()) ?? 'closed') !== 'closed'
}

/** The state of its breaker, by any plugin that explains one. */
function breakerIn(values: Explanation['values']): string | undefined {
  return Object.values(values)
    .map(({ state }) => state)
    .find((state) => typeof state === 'string')
}

/** The row of a host. */
function rowOf(view: HostLook, labels: readonly HostLabel[]): HostRow {
  const { status, history, now, startedAt } = view
  const values = view.values()
  const seconds = Math.min(60, Math.max(1, (now - startedAt) / 1_000))
  const { hostKey, inFlight, waiting, items, refused, consecutiveFailures, hold } = status
  return {
    hostKey,
    labels,
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
    consecutiveFailures,
    ...(hold && hold.until > now && { hold }),
  }
}
