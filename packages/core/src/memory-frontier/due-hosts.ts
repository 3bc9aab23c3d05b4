// Free hosts by the moment they are due, in two heaps: those whose time has come, and those that are due later.
//
// A lease looks at the hosts it hands out and no others, and the next moment of the rest is the top of the second heap: O(log hosts) each,
// with 100,000 hosts as with ten.
import { IndexedHeap } from '../scheduler/indexed-heap.ts'
import type { MemoryHost } from './memory-host.ts'

/** The hosts that may be leased, now or later. */
export class DueHosts {
  readonly #now: IndexedHeap<MemoryHost> = new IndexedHeap()
  readonly #later: IndexedHeap<MemoryHost> = new IndexedHeap()
  readonly #heapOf = new Map<MemoryHost, IndexedHeap<MemoryHost>>()

  /** Call after anything changed when `host` is due. */
  place(host: MemoryHost): void {
    const dueAt = host.dueAt()
    const heap = this.#heapOf.get(host)
    if (heap !== undefined && host.heapKey === dueAt) return
    heap?.remove(host)
    this.#heapOf.delete(host)
    host.heapKey = dueAt
    if (dueAt < Infinity) this.#put(host, this.#later)
  }

  /** Takes out the host that has been due longest; undefined when none is due at `now`. */
  take(now: number): MemoryHost | undefined {
    this.#advance(now)
    const host = this.#now.peek()
    if (host === undefined || host.heapKey > now) return undefined
    this.#now.remove(host)
    this.#heapOf.delete(host)
    return host
  }

  /** Earliest epoch ms at which a host that is not due at `now` will be. */
  nextAfter(now: number): number | undefined {
    this.#advance(now)
    return this.#later.peek()?.heapKey
  }

  #advance(now: number): void {
    for (let next = this.#later.peek(); next !== undefined && next.heapKey <= now; next = this.#later.peek()) {
      this.#later.remove(next)
      this.#put(next, this.#now)
    }
  }

  #put(host: MemoryHost, heap: IndexedHeap<MemoryHost>): void {
    heap.push(host)
    this.#heapOf.set(host, heap)
  }
}
