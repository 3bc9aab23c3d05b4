// Decides who goes next. Hosts stand in one of three heaps: waiting (by the moment they may be asked again), ready, and ready on probation
// (both by slot time used so far). Nobody sleeps holding a slot: a waiting host is a number in a heap, and one timer serves them all.
//
// Work-conserving: after every event `pump` runs until no slot is free or no eligible host is ready. Fair: among ready hosts the one that
// used the least slot time goes first (start-time fair queueing), so a site that needs 15 s a page does not get 75 times the slots of one that
// needs 0.2 s. A host that joins starts at the present virtual time: it can neither claim the past nor be punished for it.
import type { Clock } from '../clock.ts'
import type { Leased, Request } from '../request.ts'
import { IndexedHeap } from '../indexed-heap.ts'
import type { Constraint, LiveHost } from '../hosts/live-host.ts'
import type { Slots } from './slots.ts'

/** What the scheduler asks of the crawl around it. */
export interface Dispatch {
  /** Asks the plugins. Pure. */
  ask(host: LiveHost, now: number): Constraint
  /** Books an exchange and sends it on its way; never waits. */
  begin(host: LiveHost, request: Leased, now: number): void
  beginRequired(host: LiveHost, required: { readonly url: string; readonly plugin: string }, now: number): void
  /** Begins the exchange of a document that another host requires of `host`. */
  beginGuest(host: LiveHost, request: Request): void
  /** False while paused, draining, or short of handlers, memory or pages. */
  open(): boolean
  /** A slot is free and nobody is ready. */
  hungry(now: number): void
  /** No slot is free: a moment to see whose time has come in the frontier. */
  crowded(now: number): void
  /** Epoch ms at which there may be more hosts to lease; Infinity when nothing is known. */
  moreAt(): number
  /** Looks after a host's queue: refills it, or gives the host back. */
  tend(host: LiveHost): void
  /** The timer rang: fill the slots and look whether the crawl is over. */
  woken(): void
  /** Gives a host up. */
  retire(host: LiveHost, reason: string): void
}

/** The ready heaps, the slots and the one timer. */
export class Scheduler {
  readonly slots: Slots
  readonly #clock: Clock
  readonly #dispatch: Dispatch
  readonly #waiting = new IndexedHeap<LiveHost>()
  readonly #proven = new IndexedHeap<LiveHost>()
  readonly #probation = new IndexedHeap<LiveHost>()
  /** Virtual time of the host that was served last. */
  virtualTime = 0
  #pumping = false
  #again = false
  #timer: Disposable | undefined
  #timerAt = Infinity

  constructor(clock: Clock, slots: Slots, dispatch: Dispatch) {
    this.#clock = clock
    this.slots = slots
    this.#dispatch = dispatch
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
  place(host: LiveHost): void {
    if (!isServable(host)) return this.remove(host)
    const now = this.#clock.now()
    let constraint = (host.constraint = this.#dispatch.ask(host, now))
    if (host.inFlight > constraint.atMost && recallAbove(host, constraint.atMost))
      constraint = host.constraint = this.#dispatch.ask(host, now)
    this.#stand(host, constraint, now)
  }

  /** The same after a change that no plugin sees, such as links in the store: while the last answer holds, nobody is asked again. */
  placeAgain(host: LiveHost): void {
    if (!isServable(host)) return this.remove(host)
    const now = this.#clock.now()
    const { readyAt, atMost } = host.constraint
    // A moment that has passed may have held back more than time: "none before then" is "none" no longer.
    if (readyAt > now || host.inFlight < atMost) this.#stand(host, host.constraint, now)
    else this.place(host)
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

  /** Takes `host` out of whatever heap it is in. */
  remove(host: LiveHost): void {
    if (host.place !== 'none') this.#heap(host.place).remove(host)
    host.place = 'none'
  }

  /** Fills free slots until there is none, or nobody to give one to. Safe to call from anywhere, also from inside itself. */
  pump(): void {
    this.#again = true
    if (this.#pumping) return
    this.#pumping = true
    try {
      while (this.#again) {
        this.#again = false
        this.#fill()
      }
    } finally {
      this.#pumping = false
    }
    this.#arm()
  }

  /** Forgets the timer. */
  close(): void {
    this.#timer?.[Symbol.dispose]()
    this.#timer = undefined
    this.#timerAt = Infinity
  }

  #fill(): void {
    const start = this.#clock.now()
    // Whoever was asked last, while nothing has begun since.
    let asked: LiveHost | undefined
    for (let due = this.#waiting.peek(); due !== undefined && due.heapKey <= start; due = this.#waiting.peek()) {
      this.place(due)
      this.#dispatch.tend(due)
      asked = due
    }
    while (this.slots.free > 0 && this.#dispatch.open()) {
      // Asked anew each time: real time goes on, and a host that was placed a moment ago must not look unready to an older moment.
      const now = this.#clock.now()
      const host = this.#pick()
      if (host === undefined) return this.#dispatch.hungry(now)
      const constraint = host === asked ? host.constraint : (host.constraint = this.#dispatch.ask(host, now))
      asked = undefined
      if (constraint.readyAt > now || host.inFlight >= constraint.atMost) this.place(host)
      else this.#serve(host, constraint, now)
    }
    if (this.slots.free === 0) this.#dispatch.crowded(start)
  }

  #serve(host: LiveHost, constraint: Constraint, now: number): void {
    this.virtualTime = Math.max(this.virtualTime, host.virtualTime)
    const guest = host.guests.shift()
    if (guest !== undefined) this.#dispatch.beginGuest(host, guest)
    else if (constraint.required !== undefined) {
      if (!host.requiring) this.#dispatch.beginRequired(host, constraint.required, now)
    } else {
      const request = host.queue.take(now)
      if (request !== undefined) this.#dispatch.begin(host, request, now)
    }
    this.place(host)
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
    this.#dispatch.retire(host, `held for ever with nothing in flight (${hold ? `${hold.by}: ${hold.why}` : 'a plugin'})`)
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

  /** One timer, at the next moment at which anything can change by time alone. */
  #arm(): void {
    // While nothing may begin, time alone changes nothing: whoever opens again pumps. A timer would ring in vain, again and again.
    const canBegin = this.slots.free > 0 && this.#dispatch.open()
    const next = canBegin ? Math.min(this.nextReadyAt, this.#dispatch.moreAt()) : Infinity
    if (next === this.#timerAt) return
    this.close()
    if (next === Infinity) return
    this.#timerAt = next
    this.#timer = this.#clock.at(next, () => {
      this.#timerAt = Infinity
      this.#dispatch.woken()
    })
  }
}

/** One that is leaving answers for its guests, and begins nothing of its own. */
function isServable(host: LiveHost): boolean {
  return host.live && host.retiring === undefined && (!host.leaving || host.guests.length > 0)
}

/** When a host has something to send: at once for a guest or a required document, nothing of its own while that is under way, nothing while one is unread. */
function workAt(host: LiveHost, { required }: Constraint, now: number): number {
  if (host.unread > 0) return Infinity
  if (host.guests.length > 0) return 0
  if (required !== undefined) return host.requiring || host.waiting === 0 ? Infinity : 0
  // What is due in the store and not in the queue comes with a refill, which places the host again.
  return Math.min(host.queue.readyAt(), host.storeDelayedAt > now ? host.storeDelayedAt : Infinity)
}

/** Takes back the newest unsent exchanges until at most `atMost` are left; whether there was any. */
function recallAbove(host: LiveHost, atMost: number): boolean {
  let recalled = false
  for (const exchange of [...host.exchanges].toReversed()) {
    if (host.inFlight <= atMost) break
    if (exchange.isSent) continue
    exchange.recall()
    recalled = true
  }
  return recalled
}
