// The window of leased hosts: what the slots can use soon, out of all hosts whose time has come.
//
// It leases while a slot is free and no host is ready, and looks again four times a second while all slots are busy: hosts in RAM do not go before others. It
// holds a few times as many hosts as there are slots (leasing.ts); when others come, some go (give-back.ts). Hosts that are spent, or parked for long, go at
// once. While another process is idle it holds its share and no more. Memory therefore follows the slots, not the number of known URLs. A lease is a peek:
// requests handed out are still waiting in the store, so nothing is lost by giving back.
import type { CommitResult, Frontier, HostLease } from '../ports/frontier.ts'
import type { MemoryParts } from '../ports/frontier-reader.ts'
import type { Leased } from '../ports/request.ts'
import { trace } from '../hooks/hooks.ts'
import { hostStatus } from '../hosts/host-status.ts'
import { COST } from '../process/loop-budget.ts'
import { renewed } from './renewed.ts'
import { LEASE_AT_ONCE, LeaseMoments, PARKED_MS, REQUESTS_PER_HOST, type WindowSize } from './leasing.ts'
import { requestsAhead, shareAt, wantedOnProbation, windowSize } from './leasing.ts'
import { Crowd, giveBack, giveUp } from './give-back.ts'
import { REFILL, type LiveHost, type Recallable, type Retirement } from '../hosts/live-host.ts'
import { begunAnew, restored, Standings } from './restored.ts'
import type { Run } from '../run/run.ts'
import type { Scheduler } from './scheduler.ts'

/** What the other parts of a crawl decide about its hosts. */
export interface WindowRules {
  /** Of requests that are handed out, those to be sent, in the form in which they are sent. */
  readonly wanted: (host: LiveHost, requests: readonly Leased[]) => readonly Leased[]
  /** Other processes wrote this into their crawl memories. */
  readonly hears: (crawlMemories: readonly MemoryParts[]) => void
}

/** The hosts that this process holds. */
export class Window {
  readonly hosts: Map<string, LiveHost> = new Map()
  readonly #run: Run
  readonly #scheduler: Scheduler
  readonly #frontier: Frontier
  readonly #rules: WindowRules
  readonly #size: WindowSize
  readonly #crowd: Crowd
  readonly #standings = new Standings()
  readonly #moments = new LeaseMoments()
  #leftOnProbation = false
  #renewing = false
  #order = 0

  constructor(run: Run, scheduler: Scheduler, rules: WindowRules) {
    this.#run = run
    this.#scheduler = scheduler
    this.#frontier = run.settings.frontier
    this.#rules = rules
    this.#size = windowSize(run.settings.concurrency)
    this.#crowd = new Crowd({ usual: this.#size.usual, scheduler, frontier: this.#frontier })
  }

  /** Every exchange of every host, as it is now. */
  get exchanges(): readonly Recallable[] {
    return [...this.hosts.values()].flatMap((host) => [...host.exchanges])
  }

  get moreAt(): number {
    if (this.#leftOnProbation && this.#wantedOnProbation > 0) this.#moments.dueBy(0)
    return this.#moments.next
  }

  /** A slot is free and nobody is ready: leases more hosts, if there may be any. */
  grow(now: number): void {
    if (now >= this.moreAt) this.#lease(now, 2 * this.#scheduler.slots.free)
  }

  /** Nothing more may begin: leases hosts whose time has come, four times a second, `most` at once, as many as there is room for. */
  look(now: number, most: number = LEASE_AT_ONCE): void {
    if (now < this.moreAt || now < this.#moments.nextLook) return
    this.#moments.looked(now)
    this.#lease(now, most)
  }

  /** Something of a host changed that plugins see. */
  changed(host: LiveHost, now: number = this.#now): void {
    this.#scheduler.place(host, now)
    this.review(host, now)
  }

  /** Refills the queue of a host, or gives it back, after something about it changed. Call after `scheduler.place`. */
  review(host: LiveHost, now: number = this.#now): void {
    if (!host.live) return
    const low = host.queue.size < Math.min(REQUESTS_PER_HOST, 2 * Math.max(1, host.constraint.atMost))
    const mayRefill = host.mayRefill && host.storeWaiting > 0 && (host.storeDue || host.storeDelayedAt <= now)
    if (mayRefill && low) this.#refill(host, now)
    if (!host.isIdle) return
    if (host.forgetting) this.#scheduler.place(begunAnew(host, this.#run), now)
    if (host.retiring !== undefined) return this.#retire(host, host.retiring)
    // Nothing is left of a probe, and none of it reached the host: it is given back as it came.
    const probed = host.probing !== undefined && host.queue.size === 0
    if (host.leaving) void this.release(host, Math.floor(now))
    else if (probed || host.isSpent || host.restsUntil - now > PARKED_MS) void this.release(host)
  }

  /** Says what a commit added to hosts: of those held here, and of others. */
  gained(gains: CommitResult['gained']): void {
    for (const { hostKey, count, topPriority } of gains) {
      const host = this.hosts.get(hostKey)
      if (host === undefined) {
        this.#moments.dueBy(0)
        continue
      }
      host.gained(count)
      // Something better than what is queued: fetch it now, or it would come after the whole queue.
      const isBetter = topPriority > host.queue.lowestPriority() && host.queue.size > 0
      const now = this.#now
      if (isBetter && !host.refilling && host.probing === undefined) this.#refill(host, now)
      this.#scheduler.placeAgain(host, now)
      this.review(host, now)
    }
  }

  /** So many requests of a host wait again that had failed. */
  reopened(hostKey: string, count: number): void {
    this.#run.tally.reopened(count)
    this.gained([{ hostKey, count, topPriority: -Infinity }])
    this.#run.goOn()
  }

  /** What waited for a moment may be due now, of hosts held here and of others. */
  hastened(): void {
    this.#moments.dueBy(0)
    this.gained([...this.hosts.keys()].map((hostKey) => ({ hostKey, count: 0, topPriority: -Infinity })))
    this.#run.goOn()
  }

  /** Says that the held hosts are still held, and learns which are not, and what other processes added to them. */
  renew(): void {
    if (this.#renewing) return
    this.#renewing = true
    const hosts = [...this.hosts.values()]
    void this.#whenAnswered(renewed(hosts, this.#run), (lost) => {
      this.#renewing = false
      this.#moments.dueBy(0)
      for (const host of lost) this.lose(host)
      for (const host of hosts) this.review(host)
      for (const host of this.#crowd.surplus(this.hosts.values(), this.#now)) this.#leave(host)
    })
  }

  /** Another process has this host now: nothing more is sent, and what is in flight is forgotten; its commit would be fenced. */
  lose(host: LiveHost): void {
    if (!host.live) return
    this.drop(host)
    for (const exchange of [...host.exchanges]) exchange.abort()
  }

  /** Others may have all its hosts; what it leases from now on is its own. */
  loseAll(): void {
    for (const host of [...this.hosts.values()]) this.lose(host)
    this.#moments.dueBy(0)
  }

  /** A host that was given up has answered: it has all its requests again. */
  revive(host: LiveHost): void {
    delete host.core.probes
    host.core.answered = true
    host.probing = undefined
    for (const request of this.#rules.wanted(host, host.spare)) host.queue.add(request, this.#now)
    host.spare = []
    const revived = this.#run.calls.make(`revival of ${host.key}`, () =>
      this.#frontier.change({ kind: 'revive', hostKey: host.key, by: host.token }),
    )
    void this.#whenAnswered(revived, () => this.review(host))
  }

  /** Gives a host back; it is due again at `notBefore` (epoch ms) at the earliest. Resolves once the store has it. */
  release(host: LiveHost, notBefore = 0): Promise<void> {
    this.drop(host)
    return this.#whenAnswered(giveBack([host], this.#run, notBefore), (at) => this.#moments.dueBy(at))
  }

  /** Gives all idle hosts back and looks what the frontier has to do. */
  giveAllBack(): void {
    void this.#whenAnswered(giveBack(this.#dropAll(), this.#run), () => undefined)
    this.#moments.dueBy(0)
    this.grow(this.#now)
  }

  /** Gives all hosts back, if the store can still be written: otherwise the next run finds this process gone. */
  async close(writable: boolean): Promise<void> {
    const hosts = this.#dropAll()
    if (writable) await giveBack(hosts, this.#run)
  }

  #dropAll(): readonly LiveHost[] {
    const hosts = [...this.hosts.values()]
    for (const host of hosts) this.drop(host)
    return hosts
  }

  /** Forgets a host that is no longer held. */
  drop(host: LiveHost): void {
    const { key: hostKey, restsUntil: dueAt } = host
    trace(this.#run.hooks, 'released', () => ({ at: this.#now, hostKey, host: hostStatus(host), dueAt }))
    this.#scheduler.remove(host)
    this.#standings.leave(host.key, host.virtualTime)
    host.live = false
    this.hosts.delete(host.key)
  }

  #lease(now: number, wanted: number): void {
    const most = Math.min(this.#size.most, shareAt(this.#frontier, now))
    if (this.hosts.size >= most) this.#shrink(now)
    const hosts = Math.min(LEASE_AT_ONCE, wanted, most - this.hosts.size)
    if (hosts <= 0) return this.#moments.full(now)
    this.#moments.begin()
    const { slots } = this.#scheduler
    const onProbation = this.#wantedOnProbation
    const requestsPerHost = requestsAhead(this.hosts.size, this.#size)
    const isOwn = this.#run.tenure.since()
    const leased = this.#bring('lease', hosts * requestsPerHost, () =>
      this.#frontier.lease({ now: this.#now, hosts, requestsPerHost, onProbation, idle: slots.free > 0 }),
    )
    void this.#whenAnswered(
      leased,
      ({ leases, heldElsewhere, nextReadyAt = Infinity, leftOnProbation = false, crawlMemories = [] }) => {
        this.#rules.hears(crawlMemories)
        // What came too late is another process's, or free; or this one signed in anew within the call, and the store has it as this one's.
        const mayKeep = isOwn()
        for (const lease of leases) {
          const host = this.enter(lease)
          if (mayKeep) this.review(host)
          else void this.release(host)
        }
        this.#leftOnProbation = leftOnProbation
        this.#shrink(this.#now)
        const next = leases.length >= hosts ? 0 : nextReadyAt
        this.#moments.end(next, { heldElsewhere: heldElsewhere > 0, now: this.#now })
      },
    )
  }

  get #wantedOnProbation(): number {
    return wantedOnProbation(this.#scheduler.slots.total, this.#scheduler.readyOnProbation)
  }

  /** Hosts have come: gives others back for them. */
  #shrink(now: number): void {
    for (const host of this.#crowd.leavers(this.hosts.values(), now)) this.#leave(host)
  }

  /** Gives a host back once nothing of it is in flight; nothing more begins. */
  #leave(host: LiveHost): void {
    host.leaving = true
    this.changed(host)
  }

  /** A host that was leased is held from now on. The caller calls `review` once the host has what it was leased for. */
  enter(lease: HostLease): LiveHost {
    const now = this.#now
    const virtualTime = this.#standings.enter(lease.hostKey, this.#scheduler.virtualTime)
    const { host, requests } = restored(lease, this.#run, { order: this.#order++, virtualTime })
    this.hosts.set(host.key, host)
    trace(this.#run.hooks, 'leased', () => ({ at: now, hostKey: host.key }))
    for (const request of this.#rules.wanted(host, requests)) host.queue.add(request, now)
    this.#scheduler.place(host, now)
    return host
  }

  #refill(host: LiveHost, now: number): void {
    host.refilling = true
    const putBack = host.putBack()
    const refilled = this.#bring(`refill of ${host.key}`, REFILL, () => this.#frontier.refill(host.token, REFILL, now, putBack))
    void this.#whenAnswered(refilled, ({ requests, nextDelayedAt }) => {
      host.refilling = false
      for (const request of this.#rules.wanted(host, requests)) host.queue.add(request, now)
      host.refilled(requests.length, { isAll: requests.length < REFILL, nextDelayedAt })
      this.changed(host)
    })
  }

  #retire(host: LiveHost, retirement: Retirement): void {
    this.drop(host)
    void this.#whenAnswered(giveUp(host, this.#run, retirement), () => this.#moments.dueBy(retirement.probeAt))
  }

  get #now(): number {
    return this.#run.settings.clock.now()
  }

  /** A call that brings so many requests, in a turn of the event loop that has room for them. */
  #bring<Answer>(name: string, requests: number, call: () => Promise<Answer>): Promise<Answer> {
    return this.#run.settings.loop.whenRoom(COST.row * requests, () => this.#run.calls.make(name, call))
  }

  /** A call to the frontier is in progress; the crawl continues when it answers. */
  #whenAnswered<Answer>(call: Promise<Answer>, then: (answer: Answer) => unknown): Promise<void> {
    return this.#run.besides.begin(() => call.then((answer) => void then(answer)))
  }
}
