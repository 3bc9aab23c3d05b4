// What the memory frontier knows: requests by id, fingerprints, hosts, and the hosts that are due, soonest first.
//
// A request is in at most one heap. Nothing here is asynchronous, so every call of the port is one transaction.
import {
  type Counts,
  type Fingerprint,
  type Frontier,
  type HeldFate,
  type MemoryParts,
  type NewRequest,
  type Outcome,
  type RequestRecord,
  requestLaws,
  type SinkRecord,
  type SinkStanding,
  type StoredOrder,
  type RequestState,
  type Gain,
} from '@avocet/core/store'
import { DueHosts } from './due-hosts.ts'
import { ItemAges } from './item-ages.ts'
import { ErrorGroups } from './error-groups.ts'
import { MemoryHost } from './memory-host.ts'
import { MemoryRejects, type ItemPlace } from './memory-rejects.ts'
import { MemoryWatch } from './memory-watch.ts'
import { MemoryRequest } from './memory-request.ts'

/** An item in RAM. */
export interface MemoryItem {
  readonly requestId: number
  readonly ordinal: number
  /** Absent for the first. */
  readonly visit?: number
  readonly json: string
}

type Prune = NonNullable<Frontier['prune']>

/** Items that are looked at in one call. */
const PRUNED_AT_ONCE = 256

const COUNTED = ['done', 'moved', 'failed', 'again'] as const

/** The state of the memory frontier. */
export class MemoryStore {
  readonly requests: MemoryRequest[] = []
  readonly known: Map<Fingerprint, MemoryRequest> = new Map()
  /** Number of the run. */
  run = 0
  readonly hosts: Map<string, MemoryHost> = new Map()
  readonly due: DueHosts = new DueHosts()
  /** By number; undefined: it was removed. */
  readonly items: (MemoryItem | undefined)[] = []
  readonly #ages = new ItemAges()
  #itemsGone = 0
  readonly rejects: MemoryRejects = new MemoryRejects(this)
  readonly watched: MemoryWatch = new MemoryWatch()
  /** Numbers of items by `requestId/visit/ordinal`: exactly once. */
  readonly #seqAt = new Map<string, number>()
  /** Numbers of the items of a request, by its id. */
  readonly #seqsOf = new Map<number, number[]>()
  /** Of documents of plugins; each at the place that it has in `#recordAt`. */
  readonly records: MemoryItem[] = []
  readonly #recordAt = new Set<string>()
  readonly sinks: MemorySinks = new MemorySinks()
  readonly failures: Map<string, number> = new Map()
  readonly handlerErrors: ErrorGroups = new ErrorGroups()
  /** Ids of the pages that are being worked on. */
  inProgress: readonly number[] = []
  crawlMemory: Record<string, string> = {}
  orders: StoredOrder[] = []
  /** Settled requests of all hosts; `again`: due again. */
  readonly #counts: Record<keyof Gain, number> = { done: 0, moved: 0, failed: 0, again: 0 }

  request(id: number): MemoryRequest | undefined {
    return this.requests[id - 1]
  }

  /** Appends orders, and removes some. */
  order(jsons: readonly string[], { now, drop }: Parameters<Frontier['order']>[1]): void {
    for (const json of jsons) this.orders.push({ at: Math.max(now, (this.orders.at(-1)?.at ?? 0) + 1), json })
    this.orders = this.orders.filter(({ at }) => !drop.includes(at))
  }

  /** The item at a place. */
  itemAt({ requestId, visit, ordinal }: ItemPlace): { readonly seq: number; readonly json: string } | undefined {
    const seq = this.#seqAt.get(`${requestId}/${visit}/${ordinal}`)
    const item = seq === undefined ? undefined : this.items[seq - 1]
    return seq === undefined || item === undefined ? undefined : { seq, json: item.json }
  }

  /** Keeps an item, unless its place has one. */
  keepItem({ requestId, visit, ordinal }: ItemPlace, json: string): boolean {
    const key = `${requestId}/${visit}/${ordinal}`
    if (this.#seqAt.has(key)) return false
    const seq = this.items.push({ requestId, ordinal, json, ...(visit > 0 && { visit }) })
    this.#seqAt.set(key, seq)
    const seqs = this.#seqsOf.get(requestId)
    if (seqs === undefined) this.#seqsOf.set(requestId, [seq])
    else seqs.push(seq)
    return true
  }

  /** What becomes of what is held of a host, of one handler where that is published: how many items it is, and how many were published and changes made. */
  settleHeld(hostKey: string, to: HeldFate, handler?: string): Record<'settled' | 'published' | 'changes', number> {
    const all = this.rejects.takeHeld(hostKey, to === 'publish' ? handler : undefined)
    const done = { settled: all.length, published: 0, changes: 0 }
    if (to === 'drop') return done
    for (const { requestId, visit, ordinal, json = '', at, watched } of all) {
      if (this.keepItem({ requestId, visit, ordinal }, json)) done.published++
      const page = { hostKey, url: this.request(requestId)?.request.url ?? '', requestId, visit, at }
      done.changes += this.watched.visited(page, { shows: 'some' }, [{ json, watched }])
    }
    return done
  }

  /** Removes old items that a later visit of their page has replaced. */
  prune({ now, itemsMs, upToSeq, afterSeq }: Parameters<Prune>[0]): Awaited<ReturnType<Prune>> {
    const oldSeq = this.#ages.oldSeq(this.items.length, now, itemsMs)
    const last = Math.min(oldSeq, upToSeq, afterSeq + PRUNED_AT_ONCE)
    for (let seq = afterSeq + 1; seq <= last; seq++) this.#removeReplaced(seq)
    return { afterSeq: Math.max(afterSeq, last), oldSeq }
  }

  #removeReplaced(seq: number): void {
    const item = this.items[seq - 1]
    if (item === undefined) return
    const { requestId, ordinal, visit = 0 } = item
    const seqs = this.seqsOf(requestId)
    const isReplaced = seqs.some((each) => (this.items[each - 1]?.visit ?? 0) > visit)
    if (!isReplaced || this.rejects.hasOfSink({ requestId, visit, ordinal })) return
    this.items[seq - 1] = undefined
    this.#seqAt.delete(`${requestId}/${visit}/${ordinal}`)
    this.#seqsOf.set(
      requestId,
      seqs.filter((each) => each !== seq),
    )
    this.#itemsGone++
  }

  /** Numbers of the items of a request, ascending. */
  seqsOf(requestId: number): readonly number[] {
    return this.#seqsOf.get(requestId) ?? []
  }

  /** Keeps a record, unless its place has one. */
  keepRecord({ requestId, visit, ordinal }: ItemPlace, json: string): void {
    const key = `${requestId}/${visit}/${ordinal}`
    if (this.#recordAt.has(key)) return
    this.#recordAt.add(key)
    this.records.push({ requestId, ordinal, json, ...(visit > 0 && { visit }) })
  }

  /** Takes a request that is not known. */
  insert(request: NewRequest): MemoryHost {
    const parent = request.parentId === undefined ? undefined : this.request(request.parentId)?.request.url
    const stored = new MemoryRequest(this.requests.length + 1, request, parent)
    this.requests.push(stored)
    this.known.set(request.fingerprint, stored)
    const host = this.obtain(request.hostKey)
    host.enqueue(stored)
    this.due.place(host)
    return host
  }

  /** A request that is in no queue has an outcome. */
  record(request: MemoryRequest, host: MemoryHost, outcome: Outcome): void {
    const { kind, fetched } = outcome
    const reason = kind === 'failed' || kind === 'retry' ? outcome.reason : null
    const thrown = kind === 'failed' ? outcome.failure?.handlerError : undefined
    const error = thrown === undefined ? null : this.handlerErrors.join(request, thrown, fetched?.at)
    this.#become(request, host, requestLaws.attempted(request.row, { outcome, run: this.run, reason, error }))
  }

  /** Whether it is handed out. */
  isOut({ id, request: { hostKey } }: MemoryRequest): boolean {
    return this.hosts.get(hostKey)?.out.has(id) ?? false
  }

  /** A request that is not handed out is `now` another thing: it counts as that, and waits where it belongs. */
  change(request: MemoryRequest, now: RequestState): void {
    if (now === request.row) return
    const host = this.obtain(request.request.hostKey)
    host.withdraw(request)
    this.#become(request, host, now)
    if (!request.isSettled || request.isAgain) host.enqueue(request)
    this.due.place(host)
  }

  /** A link or a seed asks for a visit of what is known. Returns it where it is due now and was not. */
  ask({ fingerprint, again: at, modifiedAt, parentId }: NewRequest): MemoryRequest | undefined {
    const request = this.known.get(fingerprint)
    if (request === undefined || at === undefined || this.isOut(request)) return undefined
    const now = requestLaws.asked(request.row, { at, run: this.run, by: parentId ?? null, modifiedAt })
    if (now === request.row) return undefined
    this.change(request, now)
    return request
  }

  /** Moves all waits that are not over back by `byMs`, to `now` at the earliest. */
  setBack(byMs: number, now: number): void {
    const moved = (at: number): number => (at > now && at < Infinity ? Math.max(now, at - byMs) : at)
    for (const host of this.hosts.values()) {
      const { readyAt, probeAt } = host.row
      host.row = { ...host.row, readyAt: moved(readyAt), probeAt: probeAt === null ? null : moved(probeAt) }
    }
    for (const request of this.requests) {
      const { notBefore, missingSince, dueAt } = request.row
      if (notBefore === null && request.row.visits === null) continue
      this.change(request, {
        ...request.row,
        notBefore: notBefore === null ? null : moved(notBefore),
        missingSince: missingSince === null ? null : moved(missingSince),
        dueAt: moved(dueAt),
      })
    }
    for (const host of this.hosts.values()) this.due.place(host)
  }

  /** As a list of processes: there is one. */
  crawlMemories(): readonly MemoryParts[] {
    return Object.keys(this.crawlMemory).length > 0 ? [{ ...this.crawlMemory }] : []
  }

  counted(): Counts {
    const retired = [...this.hosts.values()].filter((host) => host.row.retiredFor !== null)
    const { again, ...settled } = this.#counts
    return {
      known: this.requests.length,
      waiting: this.requests.length - settled.done - settled.moved - settled.failed,
      ...settled,
      items: this.items.length,
      ...(this.#itemsGone > 0 && { itemsGone: this.#itemsGone }),
      ...(this.records.length > 0 && { records: this.records.length }),
      ...(this.rejects.size > 0 && { rejects: this.rejects.size }),
      hosts: this.hosts.size,
      retiredHosts: retired.length,
      retired: retired.reduce((sum, host) => sum + host.waiting, 0),
      ...(again > 0 && { again }),
    }
  }

  /** A request as readers see it. */
  recordOf(request: MemoryRequest): RequestRecord {
    return request.toRecord(this.request(request.row.askedBy ?? 0)?.request.url)
  }

  /** It counts as what it is now, and no longer as what it was. */
  #become(request: MemoryRequest, host: MemoryHost, now: RequestState): void {
    const gain = requestLaws.gainOf(request.row, now)
    for (const counts of [this.#counts, host.counts]) for (const name of COUNTED) counts[name] += gain[name]
    this.#countReason(requestLaws.failureReason(request.row), -1)
    this.#countReason(requestLaws.failureReason(now), 1)
    request.row = now
  }

  #countReason(reason: string | null, one: 1 | -1): void {
    if (reason === null) return
    const failures = (this.failures.get(reason) ?? 0) + one
    if (failures > 0) this.failures.set(reason, failures)
    else this.failures.delete(reason)
  }

  /** The host of this key, made if it was never met. */
  obtain(key: string): MemoryHost {
    const met = this.hosts.get(key)
    if (met !== undefined) return met
    const host = new MemoryHost(key, this.hosts.size)
    this.hosts.set(key, host)
    return host
  }
}

/** Sinks by name. */
class MemorySinks {
  readonly #records = new Map<string, SinkRecord>()

  get(name: string): SinkRecord | undefined {
    return this.#records.get(name)
  }

  keep(record: SinkRecord): void {
    this.#records.set(record.name, record)
  }

  /** `all`: how many items and changes there are. Their numbers have no gaps here. */
  standing(all: Record<'items' | 'changes', number>): readonly SinkStanding[] {
    const byName = [...this.#records.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1))
    return byName.map((record) => {
      const { mark, suspects = [], changes } = record
      const itemSeq = mark?.itemSeq ?? 0
      return {
        ...record,
        behind: Math.max(0, all[changes ? 'changes' : 'items'] - itemSeq) + suspects.filter(({ seq }) => seq <= itemSeq).length,
      }
    })
  }
}
