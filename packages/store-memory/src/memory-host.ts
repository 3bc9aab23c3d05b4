// A host in RAM: its queues, its lease and its memory.
import { type HostRecord, hostLaws, IndexedHeap, isUntilResumed, type MemoryParts, type Gain } from '@avocet/core/store'
import type { MemoryRequest } from './memory-request.ts'

/** One host. Among the due hosts exactly while it is free, has something waiting, and is not given up for this run. */
export class MemoryHost {
  readonly key: string
  epoch = 0
  held = false
  /** True when its last holder died holding it. */
  abandoned = false
  /** As the laws say. */
  row: Parameters<typeof hostLaws.dueAtOf>[0] = { readyAt: 0, retiredFor: null, probeAt: null }
  /** Never given back as one that answers. */
  onProbation = true
  /** Settled requests; `again`: due again. */
  readonly counts: Record<keyof Gain, number> = { done: 0, moved: 0, failed: 0, again: 0 }
  retried = 0
  memory: Record<string, string> = {}
  /** Best first: priority, then first visits by id, then later ones by when they were due. */
  readonly ready: IndexedHeap<MemoryRequest> = new IndexedHeap()
  /** By `notBefore`. */
  readonly delayed: IndexedHeap<MemoryRequest> = new IndexedHeap()
  /** Handed out under the present lease and not settled. */
  readonly out: Map<number, MemoryRequest> = new Map()
  /** Those of `ready` that were delayed until the present lease. */
  readonly #promoted: Set<MemoryRequest> = new Set()
  /** Put back under this lease: a repeated commit of theirs is harmless. */
  readonly returned: Set<number> = new Set()
  /** Of discovery. */
  readonly order: number

  constructor(key: string, order: number) {
    this.key = key
    this.order = order
  }

  /** Waiting or due again. */
  get queued(): number {
    return this.ready.size + this.delayed.size + this.out.size
  }

  get waiting(): number {
    return this.queued - this.counts.again
  }

  /** Earliest epoch ms at which it has something to do; Infinity while it is held, empty, or retired without a moment for its probe. */
  dueAt(): number {
    if (this.held) return Infinity
    return hostLaws.dueAtOf(this.row, { ready: this.ready.size, firstDelayedAt: () => this.delayed.peek()?.heapKey ?? Infinity })
  }

  /** -priority of what it has to offer: the best that is not delayed, else what is due first. Of a free host. */
  get rank(): number {
    return this.ready.peek()?.heapKey ?? -(this.delayed.peek()?.request.priority ?? 0)
  }

  /** Puts a waiting request in its queue. */
  enqueue(request: MemoryRequest): void {
    request.heapOrder = request.order
    const { notBefore } = request.row
    request.heapKey = notBefore ?? -request.request.priority
    request.queue = notBefore === null ? this.ready : this.delayed
    request.queue.push(request)
  }

  /** Takes a request that is not handed out from where it waits. */
  withdraw(request: MemoryRequest): void {
    if (request.heapIndex >= 0) request.queue?.remove(request)
    this.#promoted.delete(request)
  }

  /** Hands out up to `n` due requests, best first. */
  handOut(n: number, now: number): MemoryRequest[] {
    this.#promote(now)
    const requests: MemoryRequest[] = []
    while (requests.length < n) {
      const request = this.ready.pop()
      if (request === undefined) break
      this.out.set(request.id, request)
      this.#promoted.delete(request)
      this.returned.delete(request.id)
      requests.push(request)
    }
    return requests
  }

  /** Takes back what was handed out: it waits like the others. */
  putBack(id: number): void {
    const request = this.out.get(id)
    if (request === undefined) return
    this.out.delete(id)
    this.enqueue(request)
  }

  /** Ends the lease: what was handed out is simply waiting. */
  free(): void {
    this.held = false
    for (const request of this.#promoted) this.ready.remove(request)
    for (const request of [...this.#promoted, ...this.out.values()]) this.enqueue(request)
    this.#promoted.clear()
    this.out.clear()
    this.returned.clear()
  }

  remember(parts: MemoryParts): void {
    for (const name in parts) this.memory[name] = parts[name] ?? ''
  }

  /** `parts`: of its memory. Default: all. */
  toRecord(parts: readonly string[] = Object.keys(this.memory)): HostRecord {
    const { key: hostKey, waiting, retried, held, memory } = this
    const { retiredFor, probeAt } = this.row
    const isDue = retiredFor === null && !held && this.ready.size + this.delayed.size > 0
    const readyAt = isDue ? this.dueAt() : this.row.readyAt
    const { again, ...settled } = this.counts
    return {
      hostKey,
      waiting,
      ...settled,
      retried,
      readyAt: isUntilResumed(readyAt) ? Infinity : readyAt,
      held,
      memory: Object.fromEntries(parts.flatMap((part) => (memory[part] === undefined ? [] : [[part, memory[part]]]))),
      ...(again > 0 && { again }),
      ...(retiredFor !== null && { retiredFor, ...(probeAt !== null && { probeAt }) }),
    }
  }

  /** A delayed request whose time has come is as ready as any other. */
  #promote(now: number): void {
    for (let next = this.delayed.peek(); next !== undefined && next.heapKey <= now; next = this.delayed.peek()) {
      this.delayed.remove(next)
      next.heapKey = -next.request.priority
      next.queue = this.ready
      this.ready.push(next)
      this.#promoted.add(next)
    }
  }
}
