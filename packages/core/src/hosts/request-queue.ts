// The requests of one host that are in RAM: those that may go now, best first, and those that must wait until their `notBefore`.
//
// Two queues, so that one delayed retry never blocks what is ready. A few hundred entries at most (see live-host.ts): the rest stays in the frontier.
import { sessionOf } from '../ports/identity.ts'
import type { Leased } from '../ports/request.ts'

/** Requests of one host: ready ones by priority, then first visits by order of discovery and later ones by their moment; delayed ones by time. */
export class RequestQueue {
  /** Sorted, the best last, so that taking it is a pop. */
  readonly #ready: Leased[] = []
  /** Sorted, the earliest last. */
  readonly #delayed: Leased[] = []

  get size(): number {
    return this.#ready.length + this.#delayed.length
  }

  /** Puts a request where it belongs at `now`. */
  add(request: Leased, now: number): void {
    if ((request.notBefore ?? 0) > now) insert(this.#delayed, request, earlier)
    else insert(this.#ready, request, better)
  }

  /** Epoch ms at which a request can go: 0 when one can now, Infinity when there is none. */
  readyAt(): number {
    if (this.#ready.length > 0) return 0
    return this.#delayed.at(-1)?.notBefore ?? Infinity
  }

  /** What `take` would take at `now`. */
  peek(now: number): Leased | undefined {
    this.#promote(now)
    return this.#ready.at(-1)
  }

  /** The sessions of its requests, in the order in which they would be taken. */
  sessions(): readonly (string | undefined)[] {
    return [...new Set([...this.#ready.toReversed(), ...this.#delayed.toReversed()].map(({ identity }) => sessionOf(identity)))]
  }

  /** Takes the best request that may go at `now`. */
  take(now: number): Leased | undefined {
    this.#promote(now)
    return this.#ready.pop()
  }

  /** Moves what has become due among the ready ones. */
  #promote(now: number): void {
    while ((this.#delayed.at(-1)?.notBefore ?? Infinity) <= now) {
      const due = this.#delayed.pop()
      if (due !== undefined) insert(this.#ready, due, better)
    }
  }

  /** Takes out the `n` worst of those that may go; fewer when there are fewer. */
  takeWorst(n: number): Leased[] {
    return this.#ready.splice(0, n)
  }

  /** Lowest priority among the ready ones; -Infinity when there is none. */
  lowestPriority(): number {
    return this.#ready[0]?.priority ?? -Infinity
  }
}

function better(a: Leased, b: Leased): boolean {
  if (a.priority !== b.priority) return a.priority > b.priority
  // First visits go first: without this of a host that cannot keep up only the oldest pages would be requested.
  const aDueAt = a.earlier?.dueAt ?? -Infinity
  const bDueAt = b.earlier?.dueAt ?? -Infinity
  return aDueAt < bDueAt || (aDueAt === bDueAt && a.id < b.id)
}

function earlier(a: Leased, b: Leased): boolean {
  const at = a.notBefore ?? 0
  const bt = b.notBefore ?? 0
  return at < bt || (at === bt && better(a, b))
}

/** Inserts into a list that is sorted worst first. */
function insert(list: Leased[], request: Leased, first: (a: Leased, b: Leased) => boolean): void {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >> 1
    const other = list[middle]
    if (other !== undefined && first(request, other)) low = middle + 1
    else high = middle
  }
  list.splice(low, 0, request)
}
