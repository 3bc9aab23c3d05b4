// Which hosts the table shows: in turn the first of each kind that matters, each once, until there is no more room.
//
// Chosen anew every two seconds only: a table whose lines change places four times a second cannot be read.
import type { HostLabel, HostRow } from './scene.ts'
import { rowOf, weightOf, type HostLook } from './host-look.ts'

/** In the order of the table. */
const LABELS = ['open', 'held', 'failing', 'refused', 'slow', 'busy'] as const satisfies readonly HostLabel[]
const CHOOSE_MS = 2_000

/** Keeps the choice between frames. */
export class HostPicks {
  #chosen: ReadonlyMap<string, readonly HostLabel[]> = new Map()
  #chosenAt = -Infinity
  #room = 0

  /** At most `room` rows. Hosts with nothing to do are left out, and their places filled at once. */
  rows(views: ReadonlyMap<string, HostLook>, room: number, now: number): readonly HostRow[] {
    const atWork = [...views.values()].filter(isAtWork)
    const isThin = this.#present(views) < Math.min(room, atWork.length)
    if (now - this.#chosenAt >= CHOOSE_MS || room !== this.#room || isThin) {
      this.#chosen = choose(atWork, room)
      this.#chosenAt = now
      this.#room = room
    }
    return rowsOf(this.#chosen, views)
  }

  /** How many of the chosen still have something to do. */
  #present(views: ReadonlyMap<string, HostLook>): number {
    return [...this.#chosen.keys()].filter((hostKey) => {
      const view = views.get(hostKey)
      return view !== undefined && isAtWork(view)
    }).length
  }
}

function rowsOf(chosen: ReadonlyMap<string, readonly HostLabel[]>, views: ReadonlyMap<string, HostLook>): readonly HostRow[] {
  return [...chosen].flatMap(([hostKey, labels]) => {
    const view = views.get(hostKey)
    return view && isAtWork(view) ? [rowOf(view, labels)] : []
  })
}

function isAtWork({ status }: HostLook): boolean {
  return status.waiting + status.inFlight > 0
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
    .sort((a, b) => b.weight - a.weight || (a.hostKey < b.hostKey ? -1 : 1))
    .slice(0, room)
    .map(({ hostKey }) => hostKey)
}

/** All that hold; every host is busy, so that this is said only of those that are nothing else. */
function labelsOf(view: HostLook | undefined): readonly HostLabel[] {
  const labels = LABELS.filter((label) => label !== 'busy' && view !== undefined && weightOf(view, label) > 0)
  // That an open circuit is held and has failed is no news.
  const told = labels.includes('open') ? labels.filter((label) => label !== 'held' && label !== 'failing') : labels
  return told.length === 0 ? ['busy'] : told
}

function rankOf([first = 'busy']: readonly HostLabel[]): number {
  return LABELS.indexOf(first)
}
