// Decides which host goes next. One that may be asked is in one of three heaps: waiting (by the moment it may be asked again), ready, and ready on probation
// (both by slot time used so far). Nobody sleeps holding a slot: a waiting host is a number in a heap.
//
// Work-conserving: after every event the engine asks for the next one until no slot is free or no eligible host is ready. Fair: among ready hosts the one that
// used the least slot time goes first (start-time fair queueing), so a site that needs 15 s a page does not get 75 times the slots of one that
// needs 0.2 s. A host that joins starts at the present virtual time: it can neither claim the past nor be punished for it.
import type { Clock } from '../ports/clock.ts'
import type { Leased } from '../ports/request.ts'
import type { Requirement } from '../ports/document-handler.ts'
import { IndexedHeap } from '../values/indexed-heap.ts'
import type { AdmissionCollector } from '../hooks/admission.ts'
import type { Constraint, LiveHost } from '../hosts/live-host.ts'
import type { Retirements } from './retirements.ts'
import type { Slots } from './slots.ts'
import { isUntilResumed } from '../ports/frontier-reader.ts'

/** What begins next. */
export type Next = { readonly host: LiveHost } & (
  | { readonly kind: 'request'; readonly leased: Leased }
  /** A document that a plugin must see before anything else is requested from this host. */
  | { readonly kind: 'required'; readonly document: Requirement }
  /** Nothing: asked again, it must wait. */
  | { readonly kind: 'later' }
)

/** Whom it asks. */
export interface SchedulerRules {
  readonly admission: Pick<AdmissionCollector, 'ask'>
  readonly retirements: Pick<Retirements, 'retire'>
}

/** The ready heaps and the slots. */
export class Scheduler {
  readonly slots: Slots
  readonly #admission: SchedulerRules['admission']
  readonly #retirements: SchedulerRules['retirements']
  readonly #waiting = new IndexedHeap<LiveHost>()
  readonly #proven = new IndexedHeap<LiveHost>()
  readonly #probation = new IndexedHeap<LiveHost>()
  /** Virtual time of the host that was served last. */
  virtualTime = 0
  /** The host that was placed last, while nothing can have changed its answer. */
  #asked: LiveHost | undefined

  constructor(slots: Slots, rules: SchedulerRules) {
    this.slots = slots
    this.#admission = rules.admission
    this.#retirements = rules.retirements
  }

  /** Epoch ms at which the first waiting host can be asked again; Infinity when none waits. */
  get nextReadyAt(): number {
    return this.#waiting.peek()?.heapKey ?? Infinity
  }

  get ready(): number {
    return this.#proven.size + this.#probation.size
  }

  get readyOnProbation(): number {
    return this.#probation.size
  }

  /** Asks about `host` and puts it where its answer belongs; takes back what is booked above its limit and not sent. */
  place(host: LiveHost, now: number): void {
    if (!host.live || host.retiring !== undefined) return this.remove(host)
    let constraint = (host.constraint = this.#admission.ask(host, now))
    if (host.inFlight > constraint.atMost && recallAbove(host, constraint.atMost))
      constraint = host.constraint = this.#admission.ask(host, now)
    this.#asked = host
    // One that leaves begins nothing, and is given back with this answer: what was in flight when it was told to go may have been sent since.
    if (!isServable(host)) return this.remove(host)
    this.#stand(host, constraint, now)
  }

  /** The same after a change that no plugin sees, such as links in the store: while the last answer holds, nobody is asked again. */
  placeAgain(host: LiveHost, now: number): void {
    if (!isServable(host)) return this.remove(host)
    const { readyAt, atMost, hold } = host.constraint
    if (readyAt > now || host.inFlight < atMost) this.#stand(host, host.constraint, now)
    // A moment that has passed may have held back more than time: "none before then" is "none" no longer. One that is full is placed when an exchange ends.
    else if (host.inFlight === 0 || hold?.until !== Infinity) this.place(host, now)
  }

  #stand(host: LiveHost, constraint: Constraint, now: number): void {
    const readyAt = Math.max(constraint.readyAt, workAt(host, constraint, now))
    const isHeld = constraint.readyAt === Infinity
    const isFull = host.inFlight >= constraint.atMost
    // However far away a moment is, it comes: what must wait for it is parked.
    if (host.inFlight === 0 && (isHeld || (isFull && readyAt <= now))) return this.#giveUp(host, constraint)
    if (readyAt === Infinity || (isFull && readyAt <= now)) this.remove(host)
    else if (readyAt > now) this.#enter(host, 'waiting', readyAt)
    else this.#enter(host, host.onProbation ? 'probation' : 'proven', host.virtualTime)
  }

  /** Takes `host` out of its heap. */
  remove(host: LiveHost): void {
    if (host.place !== 'none') this.#heap(host.place).remove(host)
    host.place = 'none'
  }

  /** Places the hosts whose moment has come, and names them. `asked`: one that was placed a moment ago in this tick. */
  placeDue(now: number, asked?: LiveHost): readonly LiveHost[] {
    const placed: LiveHost[] = []
    this.#asked = asked
    for (let due = this.#waiting.peek(); due !== undefined && due.heapKey <= now; due = this.#waiting.peek()) {
      this.place(due, now)
      placed.push(due)
    }
    return placed
  }

  /**
   * The host whose turn it is, and what it begins, if anything: the caller begins it and places the host. Undefined when no eligible host is ready. `now` is
   * no older than when a host was last placed: to an older moment that one would look unready, again and again.
   */
  next(now: number): Next | undefined {
    const host = this.#pick()
    if (host === undefined) return undefined
    const constraint = host === this.#asked ? host.constraint : (host.constraint = this.#admission.ask(host, now))
    this.#asked = undefined
    const isReady = constraint.readyAt <= now && host.inFlight < constraint.atMost
    return (isReady ? this.#serve(host, constraint, now) : undefined) ?? { kind: 'later', host }
  }

  #serve(host: LiveHost, { required }: Constraint, now: number): Next | undefined {
    this.virtualTime = Math.max(this.virtualTime, host.virtualTime)
    if (required !== undefined) return host.requiring ? undefined : { kind: 'required', host, document: required }
    const leased = host.queue.take(now)
    host.documentsInRow = 0
    return leased && { kind: 'request', host, leased }
  }

  /** The ready host that used the least slot time; one on probation only while their share lasts. */
  #pick(): LiveHost | undefined {
    const proven = this.#proven.peek()
    const probation = this.#probation.peek()
    if (probation === undefined || !this.slots.probationOpen(proven !== undefined)) return proven
    return proven === undefined || probation.virtualTime < proven.virtualTime ? probation : proven
  }

  #giveUp(host: LiveHost, { hold }: Constraint): void {
    this.remove(host)
    this.#retirements.retire(host, `held for ever with nothing in flight (${hold ? `${hold.by}: ${hold.why}` : 'a plugin'})`)
  }

  #enter(host: LiveHost, place: 'waiting' | 'proven' | 'probation', key: number): void {
    if (host.place === place) return this.#heap(place).move(host, key)
    this.remove(host)
    host.heapKey = key
    host.place = place
    this.#heap(place).push(host)
  }

  #heap(place: 'waiting' | 'proven' | 'probation'): IndexedHeap<LiveHost> {
    return place === 'waiting' ? this.#waiting : place === 'proven' ? this.#proven : this.#probation
  }
}

/** One that is leaving, or is to forget, begins nothing. */
function isServable(host: LiveHost): boolean {
  return host.live && host.retiring === undefined && !host.leaving && !host.forgetting
}

/** When a host has something to send: at once for what is required, nothing while that is in flight or unread. */
function workAt(host: LiveHost, { required }: Constraint, now: number): number {
  if (host.requiring) return Infinity
  if (required !== undefined) return host.waiting === 0 ? Infinity : 0
  // What is due in the store and not in the queue comes with a refill, which places the host again.
  return Math.min(host.queue.readyAt(), host.storeDelayedAt > now ? host.storeDelayedAt : Infinity)
}

/** Takes back the newest unsent exchanges until at most `atMost` are left; whether there was any. */
function recallAbove(host: LiveHost, atMost: number): boolean {
  const before = host.inFlight
  for (const exchange of [...host.exchanges].toReversed()) if (host.inFlight > atMost && !exchange.isSent) exchange.recall()
  return host.inFlight < before
}

/** One timer for the whole crawl, at the next moment at which anything can change by time alone. */
export class Alarm implements Disposable {
  readonly #clock: Clock
  readonly #ring: () => void
  #at = Infinity
  #timer: Disposable | undefined

  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock
    this.#ring = ring
  }

  /** Rings at `at` (epoch ms) and not before; Infinity, or one that comes for nobody: not at all. */
  set(at: number): void {
    if (at === this.#at) return
    this[Symbol.dispose]()
    if (at === Infinity || isUntilResumed(at)) return
    this.#at = at
    this.#timer = this.#clock.at(at, () => {
      this.#at = Infinity
      this.#ring()
    })
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]()
    this.#timer = undefined
    this.#at = Infinity
  }
}
