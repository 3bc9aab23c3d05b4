// When the next request of a host may leave: pacing, the epoch rule, the hold and the pause. Pure, and the same around every law.
//
// Pacing is GCRA (ITU-T I.371 "virtual scheduling"): one number, the moment at which the last request would have left had all left evenly. A late
// start may be made up for by at most `SLACK_MS`, or a busy process would never reach the rate it is allowed.
// Epochs: all that is in flight at the first refusal belongs to it. What was sent before says nothing about the rate after (RFC 6582, "recover").
// Hold: after a refusal nothing is sent until what is in flight has come back, at most 5 s: one slow page must not block the host.

/** Memory of one host; epoch ms, plain JSON. */
export interface Pace {
  /** Theoretical moment of the last booking. */
  readonly bookedAt: number
  /** Sequence number of the last exchange of the epoch of the last refusal: `seq <= changedAtSeq` is old news. */
  readonly changedAtSeq: number
  /** Nothing is sent before this while anything is in flight; 0 = no hold. */
  readonly holdUntil: number
  /** Nothing is sent before this; what the host asked for, or the law. */
  readonly pausedUntil: number
}

/** Of a host that was never met. */
export const FRESH_PACE: Pace = { bookedAt: 0, changedAtSeq: 0, holdUntil: 0, pausedUntil: 0 }

/** At most so much of a late start is made up for. */
const SLACK_MS = 50
/** A hold ends after this, whatever is still in flight. */
const MAX_HOLD_MS = 5_000

/** Earliest moment for the next request by pace alone, epoch ms. */
export function paceAt(pace: Pace, rps: number, burst: number): number {
  if (pace.bookedAt === 0) return 0
  return pace.bookedAt + (2 - burst) * (1_000 / rps)
}

/** Books a request that leaves at `now`. */
export function booked(
  pace: Pace,
  { now, rps, burst }: { readonly now: number; readonly rps: number; readonly burst: number },
): Pace {
  const intervalMs = 1_000 / rps
  const even = pace.bookedAt + intervalMs
  // With a burst the unused share of the past is kept as credit by GCRA itself; without, only a late start is.
  const earliest = burst > 1 ? now : now - Math.min(SLACK_MS, intervalMs / 2)
  return { ...pace, bookedAt: Math.max(even, earliest) }
}

/** Whether an answer to exchange `seq` says something about the present rate. */
export function isNews(pace: Pace, seq: number): boolean {
  return seq > pace.changedAtSeq
}

/** The first refusal of an epoch: `lastSeq` is the last exchange booked at this host. Drains the bucket, holds the host. */
export function refusedAt(pace: Pace, { now, lastSeq }: { readonly now: number; readonly lastSeq: number }): Pace {
  return { ...pace, changedAtSeq: lastSeq, holdUntil: now + MAX_HOLD_MS, bookedAt: now }
}

/** Not before `until`: the latest of several counts. */
export function pausedTo(pace: Pace, until: number): Pace {
  return until > pace.pausedUntil ? { ...pace, pausedUntil: until } : pace
}

/** Until when the host is held, given what is in flight; 0 = it is not. */
export function heldUntil(pace: Pace, inFlight: number, now: number): number {
  return inFlight > 0 && pace.holdUntil > now ? pace.holdUntil : 0
}
