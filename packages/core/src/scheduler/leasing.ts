// How many hosts a process holds, and when it is worth asking the frontier for more: what its slots can use soon, independent of the size of the store. One
// lease is in progress at a time.
import type { Frontier } from '../ports/frontier.ts'

/** A host that cannot be visited for so long is given back. */
export const PARKED_MS = 30_000
/** How often hosts may go that had no request yet. */
export const UNPAID_MS = 1_000
/** Hosts leased in one call, at most. */
export const LEASE_AT_ONCE = 64

/**
 * With one exchange at a time and a second between two, 50 ms answers keep a slot busy by twenty hosts: they come and go, which costs 0.1 ms of CPU each time.
 */
const HOSTS_PER_SLOT = 7
/** A crawl with one slot looks further ahead than four hosts. */
const LEAST_HOSTS = 16

/** Hosts on probation to have ready, at least. */
const LEAST_ON_PROBATION = 4

/** Requests fetched ahead for each leased host. */
export const REQUESTS_PER_HOST = 16
/** The same while hosts come and go, often after one exchange. */
const REQUESTS_PER_PASSING_HOST = 4

/** Bounds on the number of held hosts. */
export interface WindowSize {
  /** Above this, hosts are given back when others have come. */
  readonly usual: number
  /** Never more. In between is room for hosts that come before others go, and for those that go once their exchanges end. */
  readonly most: number
}

/** The bounds for `concurrency` slots. */
export function windowSize(concurrency: number): WindowSize {
  const usual = Math.max(LEAST_HOSTS, HOSTS_PER_SLOT * concurrency)
  return { usual, most: usual + (usual >> 2) }
}

/** Requests to fetch with each host that is leased while `held` are held. */
export function requestsAhead(held: number, { usual }: WindowSize): number {
  return held < usual ? REQUESTS_PER_HOST : REQUESTS_PER_PASSING_HOST
}

/**
 * How many more hosts on probation to lease when `ready` of them wait for a slot: twice as many as there are slots are enough, more would only hide
 * those that are well. None while nearly enough are there, so that they come in handfuls.
 */
export function wantedOnProbation(slots: number, ready: number): number {
  const enough = Math.max(LEAST_ON_PROBATION, 2 * slots)
  return ready <= 0.75 * enough ? enough - ready : 0
}

/** Hosts that this process should hold at most. A store that cannot tell fails the next call to it as well, where that is waited for. */
export function shareAt(frontier: Pick<Frontier, 'sharing'>, now: number): number {
  try {
    return frontier.sharing?.share(now) ?? Infinity
  } catch {
    return Infinity
  }
}

/** How often to look for hosts that other processes gave back. */
const ELSEWHERE_MS = 250
/** How often to look while all slots are busy, or while there is no room. */
const LOOK_MS = 250

/** The moment of the next lease. */
export class LeaseMoments {
  #leasing = false
  /** Epoch ms at which leasing may find something: 0 = now, Infinity = nothing there. */
  #moreAt = 0
  /** Epoch ms before which there is no room. */
  #fullUntil = 0
  #lookAt = 0

  /** Epoch ms; Infinity while a lease is in progress, or nothing is known to come. */
  get next(): number {
    return this.#leasing ? Infinity : Math.max(this.#moreAt, this.#fullUntil)
  }

  /** Epoch ms of the next look while all slots are busy. */
  get nextLook(): number {
    return Math.max(this.#lookAt, this.next)
  }

  /** A host may be due at `at`, or earlier: the earliest moment wins. */
  dueBy(at: number): void {
    this.#moreAt = Math.min(this.#moreAt, at)
  }

  looked(now: number): void {
    this.#lookAt = now + LOOK_MS
  }

  /** Nothing could be leased, for want of room. */
  full(now: number): void {
    this.#fullUntil = now + LOOK_MS
  }

  begin(): void {
    this.#leasing = true
    this.#moreAt = Infinity
  }

  /** A lease has ended: `next` is when the frontier has more. */
  end(next: number, { heldElsewhere, now }: { heldElsewhere: boolean; now: number }): void {
    this.#leasing = false
    this.dueBy(Math.min(next, heldElsewhere ? now + ELSEWHERE_MS : Infinity))
  }
}
