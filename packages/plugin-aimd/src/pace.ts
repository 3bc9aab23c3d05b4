// When the next request of a host may leave: pacing, the epoch rule, the hold and the pause. Pure, and the same around every law.
//
// Pacing is GCRA (ITU-T I.371 "virtual scheduling"): one number, the moment at which the last request would have left had all left evenly. A late
// start may be made up for by at most `SLACK_MS`, or a busy process would never reach the rate it is allowed.
// Epochs: all that is in flight at the first refusal belongs to it. What was sent before says nothing about the rate after (RFC 6582, "recover").
// Hold: after a refusal nothing is sent until what is in flight has come back, at most 5 s: one slow page must not block the host.

/** Memory of one host; epoch ms, plain JSON. */
export interface HostPace {
  /** Theoretical moment of the last booking. */
  readonly bookedAt: number
  /** Sequence number of the last exchange of the epoch of the last refusal: `seq <= changedAtSeq` is old news. */
  readonly changedAtSeq: number
  /** Nothing is sent before this while anything is in flight; 0 = no hold, or over: something was sent since. */
  readonly holdUntil: number
  /** Nothing is sent before this; by request of the host, or of the law. */
  readonly pausedUntil: number
}

/** Of a host that was never met. */
export const FRESH_PACE: HostPace = { bookedAt: 0, changedAtSeq: 0, holdUntil: 0, pausedUntil: 0 }

/** At most so much of a late start is made up for. */
const SLACK_MS = 50

/** A hold ends after this, even with exchanges in flight. */
const MAX_HOLD_MS = 5_000

/** Earliest moment for the next request by pace alone, epoch ms. */
export function paceAt(pace: HostPace, rps: number, burst: number): number {
  if (pace.bookedAt === 0) return 0
  return pace.bookedAt + (2 - burst) * (1_000 / rps)
}

/** Books a request that leaves at `now`. */
export function withBooking(
  pace: HostPace,
  { now, rps, burst }: { readonly now: number; readonly rps: number; readonly burst: number },
): HostPace {
  const intervalMs = 1_000 / rps
  const even = pace.bookedAt + intervalMs
  // A late start is made up for; a rest gives no credit (but that of a burst, which GCRA keeps by itself). Nor does a hold: a strict server
  // would refuse the second request, because it came too soon after the first.
  const isLate = pace.holdUntil === 0 && even > now - Math.min(SLACK_MS, intervalMs / 2)
  return { ...pace, holdUntil: 0, bookedAt: whole(isLate && burst === 1 ? even : Math.max(even, now)) }
}

/** Whether an answer to exchange `seq` says something about the present rate. */
export function isNews(pace: HostPace, seq: number): boolean {
  return seq > pace.changedAtSeq
}

/** Takes back the last booking, which will never be sent. Only the last: giving an earlier one back would let two go at once. */
export function withoutBooking(pace: HostPace, rps: number): HostPace {
  return { ...pace, bookedAt: whole(pace.bookedAt - 1_000 / rps) }
}

/** What of a refusal the pace must know. */
export interface PaceRefusal {
  readonly now: number
  /** The last exchange booked at this host. */
  readonly lastSeq: number
  /** The rate from now on, and the burst: what is left of the burst's credit is taken. Default: no burst. */
  readonly rps?: number
  readonly burst?: number
}

/** The first refusal of an epoch. Drains the bucket, holds the host. */
export function refusedAt(pace: HostPace, { now, lastSeq, rps = 1, burst = 1 }: PaceRefusal): HostPace {
  return { ...pace, changedAtSeq: lastSeq, holdUntil: now + MAX_HOLD_MS, bookedAt: whole(now + (burst - 1) * (1_000 / rps)) }
}

/** With the credit of a burst used up at `at`: the next request may go then, the one after it an interval later. */
export function drainedAt(
  pace: HostPace,
  at: number,
  { rps, burst }: { readonly rps: number; readonly burst: number },
): HostPace {
  const bookedAt = whole(at + (burst - 2) * (1_000 / rps))
  return bookedAt > pace.bookedAt ? { ...pace, bookedAt } : pace
}

/** Not before `until`: the latest of several counts. */
export function pausedTo(pace: HostPace, until: number): HostPace {
  return until > pace.pausedUntil ? { ...pace, pausedUntil: until } : pace
}

/** Until when the host is held, given what is in flight; 0 = it is not. */
export function heldUntil(pace: HostPace, inFlight: number, now: number): number {
  return inFlight > 0 && pace.holdUntil > now ? pace.holdUntil : 0
}

/** To the microsecond: memory is written down with each commit, and further digits say nothing. */
function whole(at: number): number {
  return Math.round(at * 1_000) / 1_000
}

// How fast a stranger may be asked, independent of what a law has found by then. Pure.
//
// Sites that ban count the requests of strangers over seconds, and say nothing before they do. A law that doubles with every answer is at the
// user's maximum before the first page is read, and learns of the ban by being banned. So the first twenty requests go at a fifth of the maximum: a
// crawl of twenty pages costs its host next to nothing, and a long one loses seconds. It scales with what the user allows: a user who allows 200 a
// second knows the server. Measured (bench/control/strangers.ts; world `eight-hundred`, whose ten banning hosts allow about 2.5 a second): without it
// 3 to 7 of the ten ban, with it none; the same share is refused. Forty seconds of it instead, at first a tenth, cost a sixth of the first minute.

const GENTLE_SHARE = 1 / 5
const GENTLE_REQUESTS = 20

/** Requests per second, at most, for the request with this number at its host. */
export function openingRps({ startRps, maxRps }: { readonly startRps: number; readonly maxRps: number }, seq: number): number {
  return seq > GENTLE_REQUESTS ? maxRps : Math.min(maxRps, Math.max(startRps, GENTLE_SHARE * maxRps))
}
