// The window of leased hosts: what the slots can use soon, out of all hosts whose time has come.
//
// It leases while a slot is free and nobody is ready, and looks again four times a second while all slots are busy: who is in RAM already has no
// right before who is not. It holds a few times as many hosts as there are slots (window-size.ts); when others come, some go (leavers.ts). Hosts
// that are spent, or parked for long, go at once. While another process stands idle it holds its share and no more. Memory therefore follows the
// slots, not the number of known URLs. A lease is a peek: requests handed out are still waiting in the store, so nothing is lost by giving back.
import type { CommitResult, Frontier, Visit } from '../frontier.ts'
import { COST } from '../process/loop-budget.ts'
import type { Leased } from '../request.ts'
import { LeaseMoments } from './lease-moments.ts'
import { leaversOf, stayingOf, surplusOf } from './leavers.ts'
import { LiveHost, type Recallable, type Retirement } from '../hosts/live-host.ts'
import { probeChoice } from './probe-choice.ts'
import { renewed } from './renewed.ts'
import { restOf } from '../hosts/rest-of.ts'
import { Standings } from './standings.ts'
import type { Run } from '../run/run.ts'
import type { Scheduler } from './scheduler.ts'
import { REQUESTS_PER_HOST, requestsAhead, shareAt, wantedOnProbation, windowSize, type WindowSize } from './window-size.ts'

/** How many more when a host's queue runs low. */
const REFILL = 64
/** Requests of one host in RAM, about: when better ones come, the worst go back to the store. */
const MAX_QUEUE = 256
/** A host that cannot be visited for so long is given back. */
const PARKED_MS = 30_000
/** How often hosts may go that were not asked for anything. */
const UNPAID_MS = 1_000
/** Hosts leased in one call, at most. */
const LEASE_AT_ONCE = 64

/** What others have a say in. */
export interface WindowRules {
  /** Of requests that are handed out, those to be asked for, as they are to be asked for. */
  readonly wanted: (host: LiveHost, requests: readonly Leased[]) => readonly Leased[]
  /** Another process has this host now. */
  readonly lost: (host: LiveHost) => void
}

/** The hosts that this process holds. */
export class Window {
  readonly hosts: Map<string, LiveHost> = new Map()
  readonly #run: Run
  readonly #scheduler: Scheduler
  readonly #frontier: Frontier
  readonly #rules: WindowRules
  readonly #size: WindowSize
  readonly #standings = new Standings()
  readonly #moments = new LeaseMoments()
  /** Hosts on probation were left in the frontier: there are enough of them here. */
  #leftOnProbation = false
  #unpaidAt = 0
  #busy = 0
  #renewing = false
  #order = 0

  constructor(run: Run, scheduler: Scheduler, rules: WindowRules) {
    this.#run = run
    this.#scheduler = scheduler
    this.#frontier = run.settings.frontier
    this.#rules = rules
    this.#size = windowSize(run.settings.concurrency)
  }

  /** Every exchange of every host, as it is now. */
  get exchanges(): readonly Recallable[] {
    return [...this.hosts.values()].flatMap((host) => [...host.exchanges])
  }

  get moreAt(): number {
    if (this.#leftOnProbation && this.#wantedOnProbation > 0) this.#moments.notBefore(0)
    return this.#moments.next
  }

  /** Calls to the frontier under way. */
  get busy(): boolean {
    return this.#busy > 0
  }

  /** A slot is free and nobody is ready: leases more hosts, if there may be any. */
  grow(now: number): void {
    if (now >= this.moreAt) this.#lease(now, 2 * this.#scheduler.slots.free)
  }

  /** No slot is free: now and then leases hosts whose time has come, as many as there is room for. */
  look(now: number): void {
    if (now < this.moreAt || now < this.#moments.nextLook) return
    this.#moments.looked(now)
    this.#lease(now, LEASE_AT_ONCE)
  }

  /** Looks after a host once something about it changed: refills its queue, gives it back. Call after `scheduler.place`. */
  tend(host: LiveHost): void {
    if (!host.live) return
    const now = this.#now
    const low = host.queue.size < Math.min(REQUESTS_PER_HOST, 2 * Math.max(1, host.constraint.atMost))
    const due = host.storeWaiting > 0 && (host.storeDue || host.storeDelayedAt <= now)
    const mayRefill = !host.refilling && !host.leaving && host.retiring === undefined && host.probing === undefined
    if (low && due && mayRefill) this.#refill(host, now)
    if (!host.isIdle) return
    if (host.retiring !== undefined) return this.#retire(host, host.retiring)
    // Of a probe nothing is left to ask for, and none of it reached the host: it is given back as it came.
    const probed = host.probing !== undefined && host.queue.size === 0
    if (host.leaving) this.release(host, Math.floor(now))
    else if (probed || host.isSpent || host.restsUntil - now > PARKED_MS) this.release(host)
  }

  /** Says what a commit added to hosts: of those held here, and of others. */
  gained(gains: CommitResult['gained']): void {
    for (const { hostKey, count, topPriority } of gains) {
      const host = this.hosts.get(hostKey)
      if (host === undefined) {
        this.#moments.notBefore(0)
        continue
      }
      host.storeWaiting += count
      host.storeDue = true
      // Something better than what is queued: fetch it now, or it would come after the whole queue.
      const isBetter = topPriority > host.queue.lowestPriority() && host.queue.size > 0
      if (isBetter && !host.refilling && host.probing === undefined) this.#refill(host, this.#now)
      this.#scheduler.placeAgain(host)
      this.tend(host)
    }
  }

  /** So many requests of a host wait again; `settled`: of them, those that counted as settled. */
  reopened(hostKey: string, count: number, settled: number = count): void {
    this.#run.tally.reopened(settled)
    this.gained([{ hostKey, count, topPriority: -Infinity }])
    this.#run.goOn()
  }

  /** What waited for a moment may be due now, of hosts held here and of others. */
  hastened(): void {
    this.#moments.notBefore(0)
    this.gained([...this.hosts.keys()].map((hostKey) => ({ hostKey, count: 0, topPriority: -Infinity })))
    this.#run.goOn()
  }

  /** Says that the held hosts are still held, and learns which are not, and what other processes added to them. */
  renew(problem: (message: string) => void): void {
    if (this.#renewing) return
    this.#renewing = true
    const hosts = [...this.hosts.values()]
    const answer = this.#call('renew', () => renewed(this.#frontier, hosts, { now: this.#now, problem }))
    this.#whenAnswered(answer, (results) => {
      this.#renewing = false
      this.#moments.notBefore(0)
      results.forEach(({ held, waiting }, index) => {
        const host = hosts[index]
        if (host === undefined || !host.live) return
        if (!held) return this.lose(host)
        host.storeDue ||= waiting > host.storeWaiting
        host.storeWaiting = Math.max(host.storeWaiting, waiting)
        this.tend(host)
      })
      this.#share()
    })
  }

  /** Another process has this host now: nothing more is sent, and what is under way is forgotten; its commit would be fenced. */
  lose(host: LiveHost): void {
    if (!host.live) return
    this.drop(host)
    this.#rules.lost(host)
    for (const exchange of [...host.exchanges]) exchange.abort()
  }

  /** A host that was given up has answered: it has all its requests again. */
  revive(host: LiveHost): void {
    host.probing = undefined
    for (const request of this.#rules.wanted(host, host.spare)) host.queue.add(request, this.#now)
    host.spare = []
    const revived = this.#call(`revival of ${host.key}`, () => this.#frontier.revive(host.key, host.token))
    this.#whenAnswered(revived, () => this.tend(host))
  }

  /** Gives a host back; it is due again at `notBefore` (epoch ms) at the earliest. */
  release(host: LiveHost, notBefore = 0): void {
    this.drop(host)
    const rest = restOf(host, this.#run.memories, notBefore)
    const waiting = host.waiting > 0
    const released = this.#call(`release of ${host.key}`, () => this.#frontier.release(host.token, rest))
    this.#whenAnswered(released, () => {
      if (waiting) this.#moments.notBefore(Math.max(rest.readyAt, Math.min(host.queue.readyAt(), host.storeDelayedAt)))
    })
  }

  /** Gives all idle hosts back and looks what the frontier has to do. */
  giveAllBack(): void {
    for (const host of [...this.hosts.values()]) this.release(host)
    this.#moments.notBefore(0)
    this.grow(this.#now)
  }

  /** Gives all hosts back. When the store cannot be written this is left to the next run, which finds this process gone. */
  async close(writable: boolean): Promise<void> {
    const calls = [...this.hosts.values()].map(async (host) => {
      this.drop(host)
      const rest = restOf(host, this.#run.memories)
      if (writable) await this.#call(`release of ${host.key}`, () => this.#frontier.release(host.token, rest))
    })
    for (const call of await Promise.allSettled(calls)) if (call.status === 'rejected') throw call.reason
  }

  /** Forgets a host that is no longer held. */
  drop(host: LiveHost): void {
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
    const leased = this.#bring('lease', hosts * requestsPerHost, () =>
      this.#frontier.lease({ now: this.#now, hosts, requestsPerHost, onProbation, idle: slots.free > 0 }),
    )
    this.#whenAnswered(leased, ({ visits, heldElsewhere, nextReadyAt = Infinity, leftOnProbation = false }) => {
      for (const visit of visits) this.tend(this.enter(visit))
      this.#leftOnProbation = leftOnProbation
      this.#shrink(this.#now)
      const next = visits.length >= hosts ? 0 : nextReadyAt
      this.#moments.end(next, { heldElsewhere: heldElsewhere > 0, now: this.#now })
    })
  }

  get #wantedOnProbation(): number {
    const { slots, readyOnProbation } = this.#scheduler
    return wantedOnProbation(slots.total, readyOnProbation)
  }

  /** Hosts have come: gives others back for them. */
  #shrink(now: number): void {
    const count = stayingOf(this.hosts.values()).length - this.#size.usual
    if (count <= 0) return
    const { virtualTime, slots } = this.#scheduler
    const unpaid = now >= this.#unpaidAt
    if (unpaid) this.#unpaidAt = now + UNPAID_MS
    const leavers = leaversOf(this.hosts.values(), { count, now, virtualTime, slotsFree: slots.free > 0, unpaid })
    for (const host of leavers) this.#leave(host)
  }

  /** Gives back what is more than this process's share while another one stands idle. */
  #share(): void {
    const count = stayingOf(this.hosts.values()).length - shareAt(this.#frontier, this.#now)
    if (count > 0) for (const host of surplusOf(this.hosts.values(), count)) this.#leave(host)
  }

  /** Gives a host back once nothing of it is under way; nothing more begins. */
  #leave(host: LiveHost): void {
    host.leaving = true
    this.#scheduler.place(host)
    this.tend(host)
  }

  /** A host that was leased is held from now on. Whoever leased it tends it, once it has what it was leased for. */
  enter(visit: Visit): LiveHost {
    const now = this.#now
    const { core, memory } = this.#run.memories.restoreHost(visit.memory, now)
    if (visit.takenOver === true) core.lastStartAt = Math.max(core.lastStartAt, now)
    const host = new LiveHost(visit, {
      core,
      memory,
      order: this.#order++,
      options: this.#run.settings.hostOptions(visit.hostKey),
      virtualTime: this.#standings.enter(visit.hostKey, this.#scheduler.virtualTime),
      leasedAt: now,
    })
    const { requests, spare } = probeChoice(visit, core.seq)
    this.hosts.set(host.key, host)
    for (const request of this.#rules.wanted(host, requests)) host.queue.add(request, now)
    host.spare = spare
    this.#scheduler.place(host)
    return host
  }

  #refill(host: LiveHost, now: number): void {
    host.refilling = true
    const putBack = host.queue.takeWorst(Math.max(0, host.queue.size + REFILL - MAX_QUEUE)).map(({ id }) => id)
    host.storeWaiting += putBack.length
    const refilled = this.#bring(`refill of ${host.key}`, REFILL, () => this.#frontier.refill(host.token, REFILL, now, putBack))
    this.#whenAnswered(refilled, ({ requests, nextDelayedAt }) => {
      host.refilling = false
      for (const request of this.#rules.wanted(host, requests)) host.queue.add(request, now)
      const all = requests.length < REFILL
      host.storeWaiting = all && nextDelayedAt === undefined ? 0 : Math.max(0, host.storeWaiting - requests.length)
      host.storeDue = !all
      host.storeDelayedAt = nextDelayedAt ?? Infinity
      this.#scheduler.place(host)
      this.tend(host)
    })
  }

  #retire(host: LiveHost, { reason, probeAt }: Retirement): void {
    const memory = this.#run.memories.changedHost(host, true) ?? {}
    this.drop(host)
    // Retired while it is held: between the two nobody else can lease it as a host like any other.
    const retired = this.#call(`retirement of ${host.key}`, () => this.#frontier.retire(host.key, reason, probeAt, host.token))
    this.#whenAnswered(retired, () => {
      const released = this.#call(`release of ${host.key}`, () => this.#frontier.release(host.token, { readyAt: 0, memory }))
      this.#whenAnswered(released, () => this.#moments.notBefore(probeAt))
    })
  }

  get #now(): number {
    return this.#run.settings.clock.now()
  }

  #call<Answer>(name: string, call: () => Promise<Answer>): Promise<Answer> {
    return this.#run.calls.make(name, call)
  }

  /** A call that brings so many requests, in a turn of the event loop that has room for them. */
  #bring<Answer>(name: string, requests: number, call: () => Promise<Answer>): Promise<Answer> {
    return this.#run.settings.loop.whenRoom(COST.row * requests, () => this.#call(name, call))
  }

  /** A call to the frontier is under way; the crawl goes on when it answers. */
  #whenAnswered<Answer>(call: Promise<Answer>, then: (answer: Answer) => void): void {
    this.#busy++
    call
      .then((answer) => then(answer))
      .catch((error: unknown) => this.#run.fail(error))
      .finally(() => {
        this.#busy--
        this.#run.goOn()
      })
  }
}
