// The frontier in RAM: for tests, for simulated crawls of a million requests, and for crawls that nobody wants to resume.
//
// It outlives `close`: opened again, the same object continues where it was. Opened again without a close it treats the run before as
// dead, as a durable store would: hosts are taken back, and what was in progress in three dead runs is quarantined.
import { AvocetError } from '@avocet/core'
import {
  type StoreChange,
  type CommitUnit,
  type CrawlInfo,
  type CrawlSpec,
  type Frontier,
  type GivenBack,
  type HostLease,
  type LeaseResult,
  type LeaseToken,
  type LeaseWant,
  hostLaws,
  requestLaws,
  setBackMs,
} from '@avocet/core/store'
import { addAll, commitUnit, offer } from './memory-commit.ts'
import type { MemoryHost } from './memory-host.ts'
import { memoryReader } from './memory-reader.ts'
import { change } from './memory-rescheduling.ts'
import { MemoryStore } from './memory-store.ts'

/**
 * A frontier that forgets everything when the process ends.
 *
 * @example
 * ```ts
 * const frontier = memoryFrontier()
 * await frontier.open({ name: 'books', hostKeying: 'host' }, Date.now())
 * ```
 */
export function memoryFrontier(): Frontier {
  const run = new MemoryRun()
  return {
    reader: memoryReader(run.store, () => run.about()),
    open: async (spec, now) => run.open(spec, now),
    add: async (requests) => run.add(requests),
    lease: async (want) => run.lease(want),
    refill: async (lease, n, now, putBack) => run.refill(lease, { n, now, putBack }),
    commit: async (units) => run.commit(units),
    inProgress: (requestIds) => run.inProgress(requestIds),
    renew: async (leases, now) => run.renew(leases, now),
    release: async (hosts) => run.release(hosts),
    retire: async (hostKey, reason, probeAt, by) => run.retire({ hostKey, by }, () => hostLaws.retired(reason, probeAt)),
    change: async (wanted) => run.change(wanted),
    note: async (crawlMemory) => void Object.assign(run.opened().crawlMemory, crawlMemory),
    order: async (jsons, when) => run.opened().order(jsons, when),
    prune: async (wish) => run.opened().prune(wish),
    pruneChanges: async (wish) => run.opened().watched.prune(wish),
    rejects: {
      setAside: async (rejects) => run.opened().rejects.setAside(rejects),
      forget: async (ids) => run.opened().rejects.forget(ids),
    },
    sinks: {
      get: async (name) => run.opened().sinks.get(name),
      async keep(record) {
        run.opened().sinks.keep(record)
        return true
      },
      claim: async () => true,
      free: async () => undefined,
    },
    async close() {
      run.close()
    },
  }
}

class MemoryRun {
  readonly store = new MemoryStore()
  #spec: CrawlSpec | undefined
  #createdAt = 0
  #open = false
  /** Epoch ms: the latest that any run has seen. */
  #lastAt = 0

  about(): { name: string; createdAt: number; liveProcesses: number } {
    return { name: this.#spec?.name ?? '', createdAt: this.#createdAt, liveProcesses: this.#open ? 1 : 0 }
  }

  opened(): MemoryStore {
    if (!this.#open)
      throw new AvocetError('AVO_FRONTIER_CLOSED', 'expected an open frontier, got one before open() or after close()')
    return this.store
  }

  open(spec: CrawlSpec, now: number): CrawlInfo {
    this.#agree(spec, now)
    this.store.run++
    const quarantined = this.#recover()
    this.#open = true
    const backMs = setBackMs(this.#lastAt, now)
    if (backMs > 0) this.store.setBack(backMs, now)
    this.#lastAt = now
    const { known, waiting, done, moved, failed, items, again } = this.store.counted()
    const crawlMemories = this.store.crawlMemories()
    const settled = done + moved + failed
    const scheduled = again === undefined ? {} : { again }
    const found = { resumed: known > 0, known, waiting, settled, done, moved, failed, items }
    const orderedAt = this.store.orders.at(-1)?.at ?? 0
    const info = { ...found, ...scheduled, crawlMemories, quarantined, orderedAt }
    return backMs > 0 ? { ...info, setBackMs: backMs } : info
  }

  add(requests: Parameters<Frontier['add']>[0]): { added: number; known: number } {
    const { fresh, error } = offer(this.opened(), requests)
    if (error !== undefined) throw new AvocetError('AVO_INTERNAL', error)
    addAll(this.store, fresh)
    for (const request of requests) this.store.ask(request)
    return { added: fresh.length, known: requests.length - fresh.length }
  }

  lease({ now, hosts, requestsPerHost, onProbation = Infinity }: LeaseWant): LeaseResult {
    const { due } = this.opened()
    this.#sees(now)
    const leases: HostLease[] = []
    let places = onProbation
    while (leases.length < hosts) {
      const host = due.take(now, { onProbation: places > 0 })
      if (host === undefined) break
      if (host.onProbation) places--
      leases.push(this.#leaseOf(host, requestsPerHost, now))
    }
    const nextReadyAt = due.nextAfter(now)
    const left = places <= 0 && leases.length < hosts && due.hasOnProbation
    const more = { ...(nextReadyAt !== undefined && { nextReadyAt }), ...(left && { leftOnProbation: left }) }
    return { leases, heldElsewhere: 0, ...more }
  }

  refill(
    lease: LeaseToken,
    { n, now, putBack = [] }: { n: number; now: number; putBack: readonly number[] | undefined },
  ): Awaited<ReturnType<Frontier['refill']>> {
    const host = this.#held(lease)
    for (const id of putBack) host?.putBack(id)
    if (host === undefined || host.row.retiredFor !== null) return { requests: [] }
    const requests = host.handOut(n, now).map((request) => request.leased())
    const nextDelayedAt = host.delayed.peek()?.heapKey
    return { requests, ...(nextDelayedAt !== undefined && { nextDelayedAt }) }
  }

  commit(units: readonly CommitUnit[]): Awaited<ReturnType<Frontier['commit']>> {
    const store = this.opened()
    for (const { outcome } of units)
      this.#sees(outcome?.fetched === undefined ? 0 : outcome.fetched.at + outcome.fetched.durationMs)
    return units.map((unit) => commitUnit(store, unit))
  }

  inProgress(requestIds: readonly number[]): void {
    this.opened().inProgress = requestIds
  }

  renew(leases: readonly LeaseToken[], now: number): Awaited<ReturnType<Frontier['renew']>> {
    this.#sees(now)
    return leases.map((lease) => {
      const host = this.#held(lease)
      return { held: host !== undefined, waiting: host === undefined ? 0 : host.queued - host.out.size }
    })
  }

  release(hosts: readonly GivenBack[]): void {
    for (const { lease, rest } of hosts) {
      const host = this.#held(lease)
      if (host === undefined) continue
      host.remember(rest.memory)
      host.row = { ...host.row, readyAt: rest.readyAt }
      host.onProbation = rest.onProbation ?? false
      host.free()
      this.store.due.place(host)
    }
  }

  change(wanted: StoreChange): number {
    if (wanted.kind !== 'revive') return change(this.opened(), wanted)
    this.retire(wanted, (host) => hostLaws.revived(host.row, host.held))
    return 0
  }

  /** Gives a host up, or revives it. `by`: only while this lease holds it. */
  retire(
    { hostKey, by }: { readonly hostKey: string; readonly by?: LeaseToken | undefined },
    law: (host: MemoryHost) => Partial<Parameters<typeof hostLaws.dueAtOf>[0]>,
  ): void {
    const host = by === undefined ? this.opened().hosts.get(hostKey) : this.#held(by)
    if (host === undefined) return
    host.row = { ...host.row, ...law(host) }
    this.store.due.place(host)
  }

  close(): void {
    this.#freeAll()
    this.store.inProgress = []
    this.#open = false
  }

  #sees(at: number): void {
    this.#lastAt = Math.max(this.#lastAt, at)
  }

  #agree(spec: CrawlSpec, now: number): void {
    const mine = this.#spec
    if (mine === undefined) this.#createdAt = now
    else if (mine.hostKeying !== spec.hostKeying)
      throw new AvocetError(
        'AVO_FRONTIER_SPEC',
        `expected hosts by ${mine.hostKeying}, got ${spec.hostKeying}; use a new frontier`,
      )
    this.#spec = mine ?? spec
  }

  /** Ends a run that was never closed; returns how many requests had killed three, the last alone. */
  #recover(): number {
    if (!this.#open) return 0
    for (const host of this.store.hosts.values()) host.abandoned ||= host.held
    this.#freeAll()
    let quarantined = 0
    const { inProgress } = this.store
    for (const id of inProgress) if (this.#died(id, inProgress.length === 1)) quarantined++
    this.store.inProgress = []
    return quarantined
  }

  #died(id: number, wasAlone: boolean): boolean {
    const request = this.store.request(id)
    const host = this.store.hosts.get(request?.request.hostKey ?? '')
    const isOver = request === undefined || (request.isSettled && !request.isAgain)
    if (isOver || host === undefined) return false
    // Beside others it counts until it is suspected.
    if (wasAlone || request.deaths < requestLaws.SUSPECTED_AFTER_RUNS) request.deaths++
    if (request.deaths < requestLaws.POISON_AFTER_RUNS) return false
    host.withdraw(request)
    this.store.record(request, host, requestLaws.POISON)
    this.store.due.place(host)
    return true
  }

  #freeAll(): void {
    for (const host of this.store.hosts.values()) {
      if (!host.held) continue
      host.free()
      this.store.due.place(host)
    }
  }

  #held({ hostKey, epoch }: LeaseToken): MemoryHost | undefined {
    const host = this.opened().hosts.get(hostKey)
    return host?.held === true && host.epoch === epoch ? host : undefined
  }

  #leaseOf(host: MemoryHost, n: number, now: number): HostLease {
    const takenOver = host.abandoned
    host.abandoned = false
    host.held = true
    host.epoch++
    const requests = host.handOut(n, now).map((request) => request.leased())
    const nextDelayedAt = host.delayed.peek()?.heapKey
    return {
      hostKey: host.key,
      epoch: host.epoch,
      memory: { ...host.memory },
      requests,
      waiting: host.queued - host.out.size,
      ...(nextDelayedAt !== undefined && { nextDelayedAt }),
      ...(takenOver && { takenOver }),
      ...(host.row.retiredFor !== null && { retired: host.row.retiredFor }),
    }
  }
}
