// What the memory frontier knows: requests by id, fingerprints, hosts, and the hosts that are due, soonest first.
//
// A request is in at most one heap. Nothing here is asynchronous, so every call of the port is one transaction.
import type { Counts } from '../frontier-reader.ts'
import type { ExportMark, ReopenQuery } from '../frontier.ts'
import type { Fingerprint, NewRequest } from '../request.ts'
import { DueHosts } from './due-hosts.ts'
import { MemoryHost } from './memory-host.ts'
import { MemoryRequest } from './memory-request.ts'

/** An item in RAM. */
export interface MemoryItem {
  readonly requestId: number
  readonly ordinal: number
  readonly json: string
}

/** The state of the memory frontier. */
export class MemoryStore {
  readonly requests: MemoryRequest[] = []
  readonly known: Set<Fingerprint> = new Set()
  readonly hosts: Map<string, MemoryHost> = new Map()
  readonly due: DueHosts = new DueHosts()
  readonly items: MemoryItem[] = []
  /** `requestId/ordinal` of every item: exactly once. */
  readonly itemKeys: Set<string> = new Set()
  readonly exports: Map<string, ExportMark> = new Map()
  readonly failures: Map<string, number> = new Map()
  /** Ids of the pages that are being worked on. */
  inHand: readonly number[] = []
  crawlMemory: Record<string, string> = {}
  done = 0
  moved = 0
  failed = 0

  get settled(): number {
    return this.done + this.moved + this.failed
  }

  request(id: number): MemoryRequest | undefined {
    return this.requests[id - 1]
  }

  /** Takes a request that is not known. */
  insert(request: NewRequest): MemoryHost {
    const parent = request.parentId === undefined ? undefined : this.request(request.parentId)?.request.url
    const stored = new MemoryRequest(this.requests.length + 1, request, parent)
    this.requests.push(stored)
    this.known.add(request.fingerprint)
    const host = this.#host(request.hostKey)
    host.enqueue(stored)
    this.due.place(host)
    return host
  }

  /** Counts a request that was just settled. */
  settle(request: MemoryRequest, host: MemoryHost): void {
    if (request.state === 'waiting') return
    host[request.state]++
    this[request.state]++
    if (request.state === 'failed' && request.reason !== undefined) {
      this.failures.set(request.reason, (this.failures.get(request.reason) ?? 0) + 1)
    }
  }

  /** Has failed requests wait again, oldest first; returns how many. */
  reopen({ hostKey, reasons, ids, limit }: ReopenQuery): number {
    const wanted = this.requests.filter(
      ({ id, state, reason = '', request }) =>
        state === 'failed' &&
        (hostKey === undefined || hostKey === request.hostKey) &&
        (reasons === undefined || reasons.includes(reason)) &&
        (ids === undefined || ids.includes(id)),
    )
    const taken = wanted.slice(0, limit)
    for (const request of taken) this.#reopen(request)
    return taken.length
  }

  counts(): Counts {
    const retired = [...this.hosts.values()].filter((host) => host.retiredFor !== undefined)
    return {
      known: this.requests.length,
      waiting: this.requests.length - this.settled,
      done: this.done,
      moved: this.moved,
      failed: this.failed,
      items: this.items.length,
      hosts: this.hosts.size,
      retiredHosts: retired.length,
      retired: retired.reduce((sum, host) => sum + host.waiting, 0),
    }
  }

  #reopen(request: MemoryRequest): void {
    const host = this.#host(request.request.hostKey)
    const { reason = '' } = request
    const left = (this.failures.get(reason) ?? 0) - 1
    if (left > 0) this.failures.set(reason, left)
    else this.failures.delete(reason)
    host.failed--
    this.failed--
    request.reopen()
    host.enqueue(request)
    this.due.place(host)
  }

  #host(key: string): MemoryHost {
    const met = this.hosts.get(key)
    if (met !== undefined) return met
    const host = new MemoryHost(key, this.hosts.size)
    this.hosts.set(key, host)
    return host
  }
}
