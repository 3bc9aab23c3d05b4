// What this process holds of one host: which of its requests are handed out, and how far each span is read. In RAM only; a crash
// forgets it, and everything that was handed out is simply waiting.

/** A range of ids that wait under one host and priority. */
export interface WaitingSpan {
  readonly rank: number
  readonly first: number
  /** Id after the last. */
  readonly end: number
  /** Next id to look at; the ones before are handed out, tried or settled. Those after it may be handed out too, once some were put back. */
  cursor: number
  /** Requests in it that are not settled and not delayed, handed out or not. */
  remaining: number
  /** Handed out, their outcome not committed yet; ascending, for they were handed out in this order, unless some were put back. */
  readonly out: Set<number>
}

/** A host that this process has leased. */
export interface HeldHost {
  readonly hostId: number
  readonly hostKey: string
  readonly epoch: number
  /** Handed out, its outcome not committed yet: the span it is of; undefined for one from `delayed`. */
  readonly out: Map<number, WaitingSpan | undefined>
  /** Put back during this lease: a repeated commit of theirs is harmless. */
  readonly returned: Set<number>
  /** Spans with something handed out or nothing left to hand out, by first id. */
  readonly spans: Map<number, WaitingSpan>
}

/** A host just leased. */
export function heldHost(hostId: number, hostKey: string, epoch: number): HeldHost {
  return { hostId, hostKey, epoch, out: new Map(), returned: new Set(), spans: new Map() }
}
