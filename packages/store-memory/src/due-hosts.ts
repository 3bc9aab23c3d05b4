// Free hosts by the moment they are due: those that are due later in one heap, those whose time has come in two, by priority and by time.
//
// A lease looks at the hosts it hands out and no others, and the next moment of the rest is the top of a heap: O(log hosts) each, with
// 100,000 hosts as with ten. Hosts on probation have heaps of their own, so that a lease can leave them where they are.
import { type HeapEntry, IndexedHeap } from '@avocet/core/store'
import type { MemoryHost } from './memory-host.ts'

/** The hosts that may be leased, now or later. */
export class DueHosts {
  readonly #later: IndexedHeap<Place> = new IndexedHeap()
  readonly #well = new Due()
  readonly #onProbation = new Due()
  readonly #places = new Map<MemoryHost, Places>()
  /** Hosts taken so far: by priority and by time in turns. */
  #taken = 0

  /** Call after anything changed when `host` is due, or for what. */
  place(host: MemoryHost): void {
    const dueAt = host.dueAt()
    const places = this.#places.get(host)
    if (places?.isAt(dueAt, host) === true) return
    if (places !== undefined) this.#remove(places)
    if (dueAt === Infinity) return
    const placed = new Places(host, dueAt)
    this.#places.set(host, placed)
    this.#later.push(placed.byTime)
  }

  /** Takes out the host whose turn it is; undefined when none is due at `now`. One on probation only if that is allowed. */
  take(now: number, { onProbation }: { onProbation: boolean }): MemoryHost | undefined {
    this.#advance(now)
    const heap = this.#taken % 2 === 0 ? 'byPriority' : 'byTime'
    const well = this.#well[heap].peek()
    const other = onProbation ? this.#onProbation[heap].peek() : undefined
    const first = well === undefined || (other !== undefined && isBefore(other, well)) ? other : well
    // The clock of a second run on the same frontier may be behind that of the first.
    if (first === undefined || first.host.dueAt() > now) return undefined
    this.#taken++
    const places = this.#places.get(first.host)
    if (places !== undefined) this.#remove(places)
    return first.host
  }

  /** Whether any host on probation was due at the last search for a host. */
  get hasOnProbation(): boolean {
    return this.#onProbation.byTime.size > 0
  }

  /** Earliest epoch ms at which a host that is not due at `now` will be. */
  nextAfter(now: number): number | undefined {
    this.#advance(now)
    return this.#later.peek()?.heapKey
  }

  #advance(now: number): void {
    for (let next = this.#later.peek(); next !== undefined && next.heapKey <= now; next = this.#later.peek()) {
      this.#later.remove(next)
      const places = this.#places.get(next.host)
      if (places === undefined) continue
      const due = next.host.onProbation ? this.#onProbation : this.#well
      due.byTime.push(places.byTime)
      due.byPriority.push(places.byPriority)
      places.due = due
    }
  }

  #remove(places: Places): void {
    this.#places.delete(places.byTime.host)
    if (places.due === undefined) return this.#later.remove(places.byTime)
    places.due.byTime.remove(places.byTime)
    places.due.byPriority.remove(places.byPriority)
  }
}

/** Hosts whose time has come. */
class Due {
  readonly byTime: IndexedHeap<Place> = new IndexedHeap()
  readonly byPriority: IndexedHeap<Place> = new IndexedHeap()
}

interface Place extends HeapEntry {
  readonly host: MemoryHost
}

/** Where a host stands: by time among those due later, or by time and by priority among those that are due. */
class Places {
  readonly byTime: Place
  readonly byPriority: Place
  /** Undefined while it is due later. */
  due: Due | undefined

  constructor(host: MemoryHost, dueAt: number) {
    this.byTime = { host, heapKey: dueAt, heapOrder: host.order, heapIndex: -1 }
    this.byPriority = { host, heapKey: host.rank, heapOrder: dueAt, heapIndex: -1 }
  }

  isAt(dueAt: number, { rank }: MemoryHost): boolean {
    return this.byTime.heapKey === dueAt && this.byPriority.heapKey === rank
  }
}

function isBefore(a: Place, b: Place): boolean {
  return a.heapKey < b.heapKey || (a.heapKey === b.heapKey && a.heapOrder < b.heapOrder)
}
