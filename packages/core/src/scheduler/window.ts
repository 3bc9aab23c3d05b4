// The window of leased hosts: grows while a slot is free and the frontier has hosts to visit, gives back those that are spent or parked.
//
// Memory therefore follows the work under way, not the number of known hosts or URLs. A lease is a peek: requests handed out are still
// waiting in the store, so giving a host back, or dying, loses nothing.
import type { Clock } from '../clock.ts'
import { AvocetError, messageOf } from '../errors.ts'
import type { CommitResult, Frontier, LeaseResult, Visit } from '../frontier.ts'
import type { MemoryParts } from '../frontier-reader.ts'
import type { HostOptions } from '../host-options.ts'
import type { Memories } from '../memory.ts'
import type { Leased } from '../request.ts'
import { LiveHost, type Retirement } from './live-host.ts'
import { probeChoice } from './probe-choice.ts'
import type { Scheduler } from './scheduler.ts'

/** Requests fetched ahead for each leased host. */
const REQUESTS_PER_HOST = 16
/** How many more when a host's queue runs low. */
const REFILL = 64
/** A host that cannot be visited for so long is given back. */
const PARKED_MS = 30_000
/** How often to look for hosts that other processes let go. */
const ELSEWHERE_MS = 250
/** Hosts leased in one call, at most. */
const LEASE_AT_ONCE = 64

/** Makes a call to the frontier, in its order among all calls, and again while the store cannot be used for a time. */
type MakeCall = <Answer>(name: string, call: () => Promise<Answer>) => Promise<Answer>

/** The hosts that this process holds. */
export class Window {
  readonly hosts: Map<string, LiveHost> = new Map()
  readonly #frontier: Frontier
  readonly #make: MakeCall
  readonly #memories: Memories
  readonly #optionsOf: (hostKey: string) => HostOptions
  readonly #inPlace: (request: Leased) => Leased
  readonly #metAt: (hostKey: string) => number
  readonly #lost: (host: LiveHost) => void
  readonly #clock: Clock
  readonly #scheduler: () => Scheduler
  readonly #answered: () => void
  readonly #failed: (error: unknown) => void
  /** Epoch ms at which leasing may find something: 0 = now, Infinity = nothing there. */
  #moreAt = 0
  #heldElsewhere = 0
  #busy = 0
  #leasing = false
  #renewing = false
  #order = 0

  constructor(parts: {
    frontier: Frontier
    make: MakeCall
    memories: Memories
    optionsOf: (hostKey: string) => HostOptions
    /** A request that is handed out, where its redirects have led. */
    inPlace: (request: Leased) => Leased
    /** Epoch ms at which a host was last asked as a stranger; 0: never. */
    metAt: (hostKey: string) => number
    /** A host that another process has now. */
    lost: (host: LiveHost) => void
    clock: Clock
    scheduler: () => Scheduler
    answered: () => void
    failed: (error: unknown) => void
  }) {
    this.#frontier = parts.frontier
    this.#make = parts.make
    this.#memories = parts.memories
    this.#optionsOf = parts.optionsOf
    this.#inPlace = parts.inPlace
    this.#metAt = parts.metAt
    this.#lost = parts.lost
    this.#clock = parts.clock
    this.#scheduler = parts.scheduler
    this.#answered = parts.answered
    this.#failed = parts.failed
  }

  get moreAt(): number {
    return this.#leasing ? Infinity : this.#moreAt
  }

  /** Calls to the frontier under way. */
  get busy(): boolean {
    return this.#busy > 0
  }

  /** Whether live hosts of other processes have waiting requests. */
  get heldElsewhere(): boolean {
    return this.#heldElsewhere > 0
  }

  /** Leases more hosts, if there may be any. */
  grow(now: number): void {
    if (this.#leasing || now < this.#moreAt) return
    this.#leasing = true
    const hosts = Math.min(LEASE_AT_ONCE, 2 * this.#scheduler().slots.free)
    this.#moreAt = Infinity
    const lease = (): Promise<LeaseResult> =>
      this.#frontier.lease({ now: this.#clock.now(), hosts, requestsPerHost: REQUESTS_PER_HOST })
    this.#during('lease', lease, (result) => {
      this.#leasing = false
      this.#heldElsewhere = result.heldElsewhere
      for (const visit of result.visits) this.#enter(visit)
      const next = result.visits.length >= hosts ? 0 : (result.nextReadyAt ?? Infinity)
      const poll = result.heldElsewhere > 0 ? this.#clock.now() + ELSEWHERE_MS : Infinity
      this.#moreAt = Math.min(this.#moreAt, next, poll)
    })
  }

  /** Looks after a host once something about it changed: refills its queue, gives it back. Call after `scheduler.place`. */
  tend(host: LiveHost): void {
    // A stranger is not held: it is neither refilled nor given back.
    if (this.hosts.get(host.key) !== host) return
    const now = this.#clock.now()
    const low = host.queue.size < Math.min(REQUESTS_PER_HOST, 2 * Math.max(1, host.constraint.atMost))
    const due = host.storeWaiting > 0 && (host.storeDue || host.storeDelayedAt <= now)
    const mayRefill = !host.refilling && host.retiring === undefined && host.probing === undefined
    if (low && due && mayRefill) this.#refill(host, now)
    if (host.isBusy) return
    if (host.retiring !== undefined) return this.#retire(host, host.retiring)
    const parkedUntil = Math.max(host.constraint.readyAt, Math.min(host.queue.readyAt(), host.storeDelayedAt))
    // Of a probe nothing is left to ask for, and none of it reached the host: it is given back as it came.
    const probed = host.probing !== undefined && host.queue.size === 0
    if (probed || host.isSpent || parkedUntil - now > PARKED_MS) this.release(host)
  }

  /** Says what a commit added to hosts: of those held here, and of others. */
  gained(gains: CommitResult['gained']): void {
    for (const { hostKey, count, topPriority } of gains) {
      const host = this.hosts.get(hostKey)
      if (host === undefined) {
        this.#moreAt = 0
        continue
      }
      host.storeWaiting += count
      host.storeDue = true
      // Something better than what is queued: fetch it now, or it would come after the whole queue.
      if (topPriority > host.queue.lowestPriority() && !host.refilling && host.queue.size > 0)
        this.#refill(host, this.#clock.now())
      this.#scheduler().placeAgain(host)
      this.tend(host)
    }
  }

  /** Says that the held hosts are still held, and learns which are not, and what other processes added to them. */
  renew(problem: (message: string) => void): void {
    if (this.#renewing) return
    this.#renewing = true
    const hosts = [...this.hosts.values()]
    const tokens = hosts.map((host) => host.token)
    const renew = async (): Promise<Awaited<ReturnType<Frontier['renew']>>> => {
      try {
        return await this.#frontier.renew(tokens, this.#clock.now())
      } catch (error) {
        // What a store says of itself is for those who know its faults; anything else costs this beat, and the next one comes.
        if (error instanceof AvocetError) throw error
        problem(`the heartbeat failed: ${messageOf(error)}`)
        return []
      }
    }
    this.#during('renew', renew, (results) => {
      this.#renewing = false
      this.#moreAt = 0
      results.forEach(({ held, waiting }, index) => {
        const host = hosts[index]
        if (host === undefined || !host.live) return
        if (!held) return this.lose(host)
        host.storeDue ||= waiting > host.storeWaiting
        host.storeWaiting = Math.max(host.storeWaiting, waiting)
        this.tend(host)
      })
    })
  }

  /** Another process has this host now: nothing more is sent, and what is under way is forgotten; its commit would be fenced. */
  lose(host: LiveHost): void {
    if (!host.live) return
    this.drop(host)
    this.#lost(host)
    for (const exchange of [...host.exchanges]) exchange.abort()
  }

  /** A host that was given up has answered: it has all its requests again. */
  revive(host: LiveHost): void {
    const now = this.#clock.now()
    for (const request of host.spare) host.queue.add(this.#inPlace(request), now)
    host.spare = []
    host.probing = undefined
    const revive = (): Promise<void> => this.#frontier.revive(host.key)
    this.#during(`revival of ${host.key}`, revive, () => this.tend(host))
  }

  /** Gives a host back. */
  release(host: LiveHost): void {
    this.drop(host)
    const rest = this.#rest(host)
    const waiting = host.waiting > 0
    const release = (): Promise<void> => this.#frontier.release(host.token, rest)
    this.#during(`release of ${host.key}`, release, () => {
      if (waiting)
        this.#moreAt = Math.min(this.#moreAt, Math.max(rest.readyAt, Math.min(host.queue.readyAt(), host.storeDelayedAt)))
    })
  }

  /** What is kept of a host that is given back: when it may be visited again, why not before, and what changed in its memory. */
  #rest(host: LiveHost): { readyAt: number; memory: MemoryParts } {
    const { readyAt, hold } = host.constraint
    if (hold) host.core.heldFor = `${hold.by}: ${hold.why}`
    else delete host.core.heldFor
    return { readyAt: Number.isFinite(readyAt) ? readyAt : 0, memory: this.#memories.changedHost(host) ?? {} }
  }

  /** Gives all idle hosts back and looks what the frontier has to do. */
  giveAllBack(): void {
    for (const host of [...this.hosts.values()]) this.release(host)
    this.#moreAt = 0
    this.grow(this.#clock.now())
  }

  /** Gives all hosts back. When the store cannot be written this is left to the next run, which finds this process gone. */
  async close(writable: boolean): Promise<void> {
    for (const host of [...this.hosts.values()]) {
      this.drop(host)
      const rest = this.#rest(host)
      if (writable) await this.#frontier.release(host.token, rest)
    }
  }

  /** Forgets a host that is no longer held. */
  drop(host: LiveHost): void {
    this.#scheduler().remove(host)
    host.live = false
    this.hosts.delete(host.key)
  }

  #enter(visit: Visit): void {
    const now = this.#clock.now()
    const { core, memory } = this.#memories.restoreHost(visit.memory, now)
    if (visit.takenOver === true) core.lastStartAt = Math.max(core.lastStartAt, now)
    core.lastStartAt = Math.max(core.lastStartAt, this.#metAt(visit.hostKey))
    const host = new LiveHost(visit, {
      order: this.#order++,
      core,
      options: this.#optionsOf(visit.hostKey),
      memory,
      virtualTime: this.#scheduler().virtualTime,
    })
    const { requests, spare } = probeChoice(visit, core.seq)
    for (const request of requests) host.queue.add(this.#inPlace(request), now)
    host.spare = spare
    this.hosts.set(host.key, host)
    this.#scheduler().place(host)
    this.tend(host)
  }

  #refill(host: LiveHost, now: number): void {
    host.refilling = true
    const refill = (): ReturnType<Frontier['refill']> => this.#frontier.refill(host.token, REFILL, now)
    this.#during(`refill of ${host.key}`, refill, ({ requests, nextDelayedAt }) => {
      host.refilling = false
      for (const request of requests) host.queue.add(this.#inPlace(request), now)
      const all = requests.length < REFILL
      host.storeWaiting = all && nextDelayedAt === undefined ? 0 : Math.max(0, host.storeWaiting - requests.length)
      host.storeDue = !all
      host.storeDelayedAt = nextDelayedAt ?? Infinity
      this.#scheduler().place(host)
      this.tend(host)
    })
  }

  #retire(host: LiveHost, { reason, probeAt }: Retirement): void {
    const memory = this.#memories.changedHost(host) ?? {}
    this.drop(host)
    // Retired while it is held: between the two nobody else can lease it as a host like any other.
    const retire = (): Promise<void> => this.#frontier.retire(host.key, reason, probeAt)
    const release = (): Promise<void> => this.#frontier.release(host.token, { readyAt: 0, memory })
    this.#during(`retirement of ${host.key}`, retire, () =>
      this.#during(`release of ${host.key}`, release, () => {
        this.#moreAt = Math.min(this.#moreAt, probeAt)
      }),
    )
  }

  /** Makes a call to the frontier; the crawl goes on when it answers. */
  #during<Answer>(name: string, call: () => Promise<Answer>, then: (answer: Answer) => void): void {
    this.#busy++
    this.#make(name, call)
      .then((answer) => then(answer))
      .catch(this.#failed)
      .finally(() => {
        this.#busy--
        this.#answered()
      })
  }
}
