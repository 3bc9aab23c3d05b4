// A host that this process holds: its queue, its numbers, its memory, and what holds it at the moment.
import { blockingOf } from './blocking.ts'
import type { Blocking, Exchange, HostView, LateBlob } from '../ports/exchange.ts'
import type { HostLease } from '../ports/frontier.ts'
import { BLOB_PREFIX } from '../ports/frontier-reader.ts'
import type { LeaseToken } from '../ports/change.ts'
import type { HostOptions } from '../ports/host-options.ts'
import type { CrawledPage } from '../ports/page.ts'
import { notAnswer } from '../ports/plugin-answer.ts'
import type { Hold } from '../ports/report.ts'
import type { Leased } from '../ports/request.ts'
import type { Requirement } from '../ports/document-handler.ts'
import type { HeapEntry } from '../values/indexed-heap.ts'
import type { CoreHostMemory } from './core-memory.ts'
import { RequestQueue } from './request-queue.ts'

/** How many more when a host's queue runs low. */
export const REFILL = 64
/** Requests of one host in RAM, about: when better ones come, the worst go back to the store. */
const MAX_QUEUE = 256

/** Characters of a blob. A robots copy is at most 500 KiB by RFC 9309 §2.5. */
const MAX_BLOB = 512 * 1024

/** Why a host is given up, and epoch ms of the next probe; Infinity = in a later run. */
export interface Retirement {
  readonly reason: string
  readonly probeAt: number
}

/** What `admit` said when it was last asked. */
export interface Constraint {
  /** Epoch ms. */
  readonly readyAt: number
  readonly atMost: number
  /** Infinity: nobody paces it. */
  readonly pacedRps: number
  /** The answer that binds, for `why`. */
  readonly hold: Hold | undefined
  /** A document that must be fetched first, and the plugins that want it: they share one fetch. */
  readonly required: Requirement | undefined
}

/** An exchange whose answer is a page. */
export interface PageExchange extends Exchange {
  readonly host: LiveHost
  /** Where somebody looked at it before its handler. */
  readonly page: CrawledPage | undefined
}

/** An exchange as the scheduler needs it: something that can be taken back before it is sent. */
export interface Recallable extends Exchange {
  readonly isSent: boolean
  /** A stop takes it back if it is not sent; `alsoSent`: also where it is, and may be sent twice. */
  takeBack(alsoSent: boolean): void
  recall(): void
  abort(): void
}

/** What a host is made of, beside its lease. */
export interface RestoredHost {
  /** Of leasing: breaks ties. */
  readonly order: number
  readonly core: CoreHostMemory
  readonly options: HostOptions
  /** Epoch ms. Default: it is not paused. */
  readonly pausedUntil?: number
  readonly memory: readonly unknown[]
  readonly virtualTime: number
  /** Epoch ms. */
  readonly leasedAt: number
}

/** A held host. */
export class LiveHost implements HostView, HeapEntry {
  readonly key: string
  readonly token: LeaseToken
  readonly queue: RequestQueue = new RequestQueue()
  readonly core: CoreHostMemory
  /** Those of the configuration, with the limits that were ordered. */
  options: HostOptions
  /** Epoch ms until which an operator has it paused; 0 = it is not. */
  pausedUntil: number
  acceptedAt = 0
  /** Memory of each plugin, in the order of the plugins. */
  memory: readonly unknown[]
  /** JSON text of each part as the store has it. */
  readonly savedParts: Map<string, string>
  /** Blobs that changed since the last commit; an empty text deletes. */
  readonly keptBlobs: Map<string, string> = new Map()
  /** Asked when it is given back. */
  readonly lateBlobs: Map<string, LateBlob> = new Map()
  /** Links of its pages that were handed to the store and are not committed. */
  pendingLinks = 0
  /** Booked and not over. */
  readonly exchanges: Set<Recallable> = new Set()

  // Heap entry. The key is an epoch ms while waiting, a virtual time while ready.
  heapKey = 0
  heapIndex = -1
  readonly heapOrder: number
  /** Which heap it is in. */
  place: 'none' | 'waiting' | 'proven' | 'probation' = 'none'
  /** Slot-milliseconds used, relative to the others: the smallest goes first. */
  virtualTime = 0
  readonly leasedAt: number
  readonly #joinedAt: number

  constraint: Constraint = { readyAt: 0, atMost: 1, pacedRps: Infinity, hold: undefined, required: undefined }
  /** Waiting in the store and not handed out. */
  storeWaiting: number
  /** How often that changed here: an answer of the store that is older than the last time is none. */
  storeMoves = 0
  /** Whether some of them may go now; the others are delayed. */
  storeDue: boolean
  /** Earliest of the delayed ones among them; Infinity when there is none. */
  storeDelayedAt: number
  /** Requests that left the queue and whose unit is not committed yet. */
  unsettled = 0
  refilling = false
  /** What waits in the store changed while a refill was in progress, which may have seen it or not. */
  #changedMeanwhile = false
  /** Set once it is to be given up; it is then not admitted again under this lease. */
  retiring: Retirement | undefined
  /** Why it was given up, while it is held for a probe: one exchange, and all its requests once the host has answered. */
  probing: string | undefined
  /** Handed out with a probe, and not sent before the host is back. */
  spare: readonly Leased[] = []
  /** To be given back once nothing of it is in flight; until then nothing more begins. */
  leaving = false
  /** Its policies are to begin anew once nothing of it is in flight; until then nothing more begins. */
  forgetting = false
  /** Whether it is still held: false after a release or a fence. */
  live = true
  /** Until when (epoch ms) it rests because its last failure may have been ours, and why. */
  rest: { readonly until: number; readonly why: string } = { until: 0, why: '' }
  /** A required document is in flight, or waits to be read: nothing else begins. */
  requiring = false
  /** So many required documents were taken since the last of its requests, the first of them at `documentsSince`, epoch ms. */
  documentsInRow = 0
  documentsSince = 0

  /** When its last request would have started, had all started evenly at its `maxRps`; epoch ms, 0 = none has. */
  evenStartAt: number

  // Counters of this run, for status and reports.
  answered = 0
  refused = 0
  failed = 0

  constructor(lease: HostLease, restored: RestoredHost) {
    this.key = lease.hostKey
    this.token = { hostKey: lease.hostKey, epoch: lease.epoch }
    this.heapOrder = restored.order
    this.core = restored.core
    this.options = restored.options
    this.pausedUntil = restored.pausedUntil ?? 0
    this.evenStartAt = Math.max(restored.core.lastStartAt, restored.core.lastSentAt ?? 0)
    this.memory = restored.memory
    this.virtualTime = this.#joinedAt = restored.virtualTime
    this.leasedAt = restored.leasedAt
    this.probing = lease.retired
    this.savedParts = new Map(Object.entries(lease.memory))
    this.storeWaiting = lease.waiting
    this.storeDue = lease.waiting > 0
    this.storeDelayedAt = lease.nextDelayedAt ?? Infinity
  }

  /** A request was sent. */
  sent({ admittedAt, sentAt = admittedAt }: { readonly admittedAt: number; readonly sentAt?: number }): void {
    this.core.lastSentAt = Math.max(this.core.lastSentAt ?? 0, sentAt)
  }

  get inFlight(): number {
    return this.exchanges.size
  }
  /** When the oldest exchange in flight was booked, epoch ms. */
  get inFlightSince(): number | undefined {
    for (const { admittedAt } of this.exchanges) return admittedAt
    return undefined
  }
  get proven(): boolean {
    return this.core.proven
  }
  get consecutiveFailures(): number {
    return this.core.consecutiveFailures
  }
  get pacedRps(): number {
    return this.constraint.pacedRps
  }
  get blocking(): Blocking {
    const { forbidden, served, proven } = this.core
    return blockingOf(forbidden, served === true, proven)
  }
  get seq(): number {
    return this.core.seq
  }
  get lastStartAt(): number {
    return this.core.lastStartAt
  }
  /** As `Admission.delayFrom` says: a name to resolve, a connection to open and a busy machine come before its server hears of a request. */
  delayFrom(now: number): number {
    for (const { isSent } of this.exchanges) if (!isSent) return now
    return Math.max(this.core.lastStartAt, this.core.lastSentAt ?? 0)
  }
  get lastEndAt(): number {
    return this.core.lastEndAt
  }
  get lastDurationMs(): number {
    return this.core.lastDurationMs
  }

  /** Unproven and failing hosts share a small part of the slots: hanging sites cannot starve healthy ones. */
  get onProbation(): boolean {
    return !this.core.proven || this.core.consecutiveFailures >= 2
  }

  /** Waiting requests, in RAM and in the store. */
  get waiting(): number {
    return this.queue.size + this.storeWaiting
  }

  /** Nothing to do and nothing in flight. */
  get isSpent(): boolean {
    return this.waiting === 0 && this.isIdle
  }

  /** Nothing of it is in flight, or waited for. */
  get isIdle(): boolean {
    const { inFlight, unsettled, refilling, requiring } = this
    return inFlight + unsettled === 0 && !refilling && !requiring
  }

  /** Whether more of its requests may come from the store. */
  get mayRefill(): boolean {
    return !this.refilling && !this.leaving && this.retiring === undefined && this.probing === undefined
  }

  /** Whether it has used slot time since it was leased. */
  get isServed(): boolean {
    return this.virtualTime > this.#joinedAt
  }

  /** Epoch ms before which nothing can be requested from it; in the past when something can. */
  get restsUntil(): number {
    return Math.max(this.constraint.readyAt, Math.min(this.queue.readyAt(), this.storeDelayedAt))
  }

  /** So many requests of it were added to the store. */
  gained(count: number): void {
    this.storeMoves++
    this.storeWaiting += count
    this.storeDue = true
    this.#changedMeanwhile ||= this.refilling
  }

  /** Makes room for a refill: the worst requests of a full queue go back to the store; their ids. */
  putBack(): readonly number[] {
    const worst = this.queue.takeWorst(Math.max(0, this.queue.size + REFILL - MAX_QUEUE))
    this.storeMoves++
    this.storeWaiting += worst.length
    return worst.map(({ id }) => id)
  }

  /** So many were handed out. `isAll`: all that are due; `nextDelayedAt`: epoch ms of the first that is not. */
  refilled(count: number, { isAll, nextDelayedAt = Infinity }: { isAll: boolean; nextDelayedAt: number | undefined }): void {
    const isOld = this.#changedMeanwhile
    this.#changedMeanwhile = false
    this.storeMoves++
    const isEmpty = isAll && nextDelayedAt === Infinity && !isOld
    this.storeWaiting = isEmpty ? 0 : Math.max(0, this.storeWaiting - count)
    this.storeDue = !isAll || isOld
    this.storeDelayedAt = isOld ? Math.min(this.storeDelayedAt, nextDelayedAt) : nextDelayedAt
  }

  /** One of its requests went back to the store until `at`. */
  retryAt(at: number): void {
    this.storeMoves++
    this.storeWaiting++
    this.storeDelayedAt = Math.min(this.storeDelayedAt, at)
    this.#changedMeanwhile ||= this.refilling
  }

  blob(name: string): string | undefined {
    return this.keptBlobs.get(name) ?? this.savedParts.get(BLOB_PREFIX + name)
  }

  keepBlob(name: string, text: string | undefined | LateBlob): void {
    if (typeof text === 'function') return void this.lateBlobs.set(name, text)
    if (typeof name !== 'string' || (text !== undefined && typeof text !== 'string'))
      throw notAnswer('keepBlob(name, text)', 'texts', typeof name === 'string' ? text : name)
    if (text !== undefined && text.length > MAX_BLOB)
      throw notAnswer(`keepBlob('${name}', text)`, `at most ${MAX_BLOB} characters`, text.length)
    this.keptBlobs.set(name, text ?? '')
  }
}
