// The log of one host: what a crawl did to it. Promises of politeness are checked against it. Both webs keep it.

/** One request in the log of a host. */
export interface FeltRequest {
  /** Epoch ms at which it arrived. */
  readonly at: number
  readonly path: string
  /** Status of the response; 0 = none yet, or none at all. */
  readonly status: number
  /** Epoch ms at which it ended; absent while it is in flight. */
  readonly endedAt?: number
}

/** The log of one host so far. */
export interface Felt {
  readonly requests: number
  /** Served by the site, whatever the status. */
  readonly served: number
  /** Refused above the capacity (429, 503). */
  readonly refused: number
  /** Rejected by a ban. */
  readonly banned: number
  /** Ended without a complete response: the host failed, or the client gave up. */
  readonly failed: number
  /** Exchanges that were started, including those that never arrived, such as refused connections. The rough web knows only what arrived. */
  readonly attempts: number
  /** Those of them that were started while the host was down. */
  readonly deadAttempts: number
  /** Requests that arrived before the end of a Retry-After that this host had sent. */
  readonly duringRetryAfter: number
  /** Timeouts of the client on exchanges that would have ended within a minute. On the rough web also what it aborted. */
  readonly falseTimeouts: number
  /** Ms of a client's slots that exchanges took, by how they ended; on the rough web without connecting. */
  readonly slotMs: Readonly<Record<FeltEnd, number>>
  readonly inFlight: number
  readonly maxInFlight: number
  /** Shortest time between the arrivals of two requests, ms; Infinity before the second. */
  readonly minGapMs: number
  /** The first 10,000 requests, in the order of arrival; fewer once 250,000 of the whole web are kept. */
  readonly log: readonly FeltRequest[]
}

/** How a request ended for the host. */
export type FeltEnd = 'served' | 'refused' | 'banned' | 'failed'

/** An exchange that would have taken no longer should not have been given up. Ms. */
export const PATIENT_MS = 60_000

/** Requests of one host that are kept one by one; the counters go on above it. */
const MAX_LOG = 10_000

/** Requests of all hosts of a web that are kept one by one: a million of them would cost more than all else. */
export const MAX_LOG_IN_ALL = 250_000

/** How many requests a web may still keep. Its hosts share one. */
export interface LogRoom {
  left: number
}

/** A request in flight; hand it back to `end`. */
export interface FeltEntry {
  readonly at: number
  readonly path: string
  status: number
  endedAt?: number
}

/** Keeps the log of one host. */
export class FeltRecorder implements Felt {
  requests = 0
  served = 0
  refused = 0
  banned = 0
  failed = 0
  attempts = 0
  deadAttempts = 0
  duringRetryAfter = 0
  falseTimeouts = 0
  readonly slotMs: Record<FeltEnd, number> = { served: 0, refused: 0, banned: 0, failed: 0 }
  inFlight = 0
  maxInFlight = 0
  minGapMs: number = Infinity
  readonly log: FeltEntry[] = []
  #lastAt = -Infinity
  #restUntil = -Infinity
  readonly #room: LogRoom

  constructor(room: LogRoom = { left: MAX_LOG_IN_ALL }) {
    this.#room = room
  }

  /** A client turns to the host. */
  attempt(isDead: boolean): void {
    this.attempts++
    if (isDead) this.deadAttempts++
  }

  /** A request arrived at `now` (epoch ms). */
  begin(path: string, now: number): FeltEntry {
    const entry: FeltEntry = { at: now, path, status: 0 }
    this.requests++
    this.inFlight++
    this.maxInFlight = Math.max(this.maxInFlight, this.inFlight)
    this.minGapMs = Math.min(this.minGapMs, now - this.#lastAt)
    this.#lastAt = now
    if (now < this.#restUntil) this.duringRetryAfter++
    if (this.log.length < MAX_LOG && this.#room.left > 0) {
      this.#room.left--
      this.log.push(entry)
    }
    return entry
  }

  /** The host has asked to be left alone until `until`. */
  rest(until: number): void {
    this.#restUntil = Math.max(this.#restUntil, until)
  }

  /** It is over. Harmless when it was over before. */
  end(entry: FeltEntry, how: FeltEnd, now: number): void {
    if (entry.endedAt !== undefined) return
    entry.endedAt = now
    this.inFlight--
    this[how]++
    this.slotMs[how] += now - entry.at
  }
}
