// How long an open circuit stays open. Pure.
//
// As long again as the host has been down so far, and `openMs` more: 5 s, then probes 15, 35, 60, 125 and 255 s after it opened, and so on up to one an hour.
// A short outage costs seconds, a dead host three requests in the first minute, then at most one a minute. A host whose outages are known is probed
// when they tend to be over (`OutageLengths`), within the same bounds. A host that never answered has no reason to be back in five seconds.
// Hosts that ban are left alone for longer, and three times as long each time. Jitter keeps hosts that fell together from being probed together;
// it goes upwards, because what is promised to a dead host is not a mean.
import type { TripKind } from './trip-law.ts'

/** What the user may set. Ms. */
export interface CoolDownLimits {
  readonly openMs: number
  readonly maxOpenMs: number
}

/** An outage so far. */
export interface OutageSoFar {
  readonly kind: TripKind
  /** Whether the host ever answered with a success. */
  readonly proven: boolean
  /** Probes in vain; of a ban: the bans before this one, too. */
  readonly level: number
  /** Ms since it opened. */
  readonly downMs: number
  /** How long those before lasted; absent = there was none, or the kind of trouble is another. */
  readonly known?: OutageLengths | undefined
}

const MINUTE_MS = 60_000

/** First cool-down of a host that keeps us out; three times as long each time. */
const BLOCKED_MS = 10 * MINUTE_MS

/** A ban is never waited out for longer. */
const MAX_BLOCKED_MS = 6 * 3_600_000

/** Shortest cool-downs where `openMs` is shorter. A refusal without a word, and a host that never answered: there is no hurry. */
const SLOW_MS = MINUTE_MS

/** A name that resolved before is back when somebody has fixed the zone, and the caches of resolvers have expired. */
const NAME_MS = 30_000

/** A certificate is renewed by hand, or by a job that runs twice a day. */
const CERTIFICATE_MS = 5 * MINUTE_MS

/** In the first minute; with the failures that open the circuit a dead host is asked six times in it, also one of which outages are known. */
const FIRST_MINUTE_PROBES = 4

/** Ms until the next probe; `chance` in [0, 1) spreads it by a fifth. */
export function coolDownMs(outage: OutageSoFar, chance: number, limits: CoolDownLimits): number {
  const { kind, level, downMs, known } = outage
  if (kind === 'blocked') return Math.round(blockedMs(level) * (0.8 + 0.4 * chance))
  const doubledMs = coolDownOf(outage, limits)
  if (known === undefined) return spread(doubledMs, doubledMs, chance)
  const learnedMs = untilLikely(known, downMs)
  // Outages of over a minute are no reason to be slower at first: the next one may be short.
  const waitMs = known.meanMs <= MINUTE_MS ? learnedMs : Math.min(learnedMs, doubledMs)
  const leastMs = downMs >= MINUTE_MS ? MINUTE_MS : level < FIRST_MINUTE_PROBES ? 0 : MINUTE_MS - downMs
  const ms = Math.min(limits.maxOpenMs, Math.max(limits.openMs, leastMs, waitMs))
  return spread(ms, Math.min(waitMs, known.spreadMs / 2), chance)
}

/** Whether no cool-down of this outage will be longer. */
export function isLongest(outage: OutageSoFar, limits: CoolDownLimits): boolean {
  if (outage.kind === 'blocked') return blockedMs(outage.level) >= MAX_BLOCKED_MS
  return coolDownOf(outage, limits) >= limits.maxOpenMs
}

function spread(ms: number, byMs: number, chance: number): number {
  return Math.round(ms + 0.2 * byMs * chance)
}

function coolDownOf({ kind, proven, downMs }: OutageSoFar, { openMs, maxOpenMs }: CoolDownLimits): number {
  if (kind === 'dns' && !proven) return maxOpenMs
  const ms = Math.max(openMs, leastMs(kind, proven))
  if (downMs >= MINUTE_MS) return Math.min(maxOpenMs, downMs + ms)
  // The first minute ends with a probe: a host that comes and goes may be down again after 75 s, and two outages that look like one teach nothing.
  return Math.min(maxOpenMs, downMs + ms, Math.max(ms, MINUTE_MS - downMs))
}

function leastMs(kind: TripKind, proven: boolean): number {
  if (kind === 'certificate') return CERTIFICATE_MS
  if (kind === 'dns') return NAME_MS
  return kind === 'refused' || !proven ? SLOW_MS : 0
}

function blockedMs(level: number): number {
  return Math.min(MAX_BLOCKED_MS, BLOCKED_MS * 3 ** level)
}

// How long the outages of one host last, learned from those that are over: when the next one is worth a probe. Pure.
//
// Mean and mean deviation, as TCP estimates its round trips (Jacobson 1988): two numbers a host, and a host that changes its ways is followed within
// a few outages. Probes begin at mean − deviation, two thirds of a deviation apart: one that is too early costs a request, one that is late costs all
// the pages that could have been fetched. After the first minute cool-downs double again, from there: doubling the whole outage, once it is longer than
// those known, would often last until the host is down again. Rejected: a list of past lengths and its quantiles; eight numbers found nothing sooner.

/** Ms. */
export interface OutageLengths {
  readonly meanMs: number
  readonly spreadMs: number
}

/** Share of what is new. TCP's 1/8 and 1/4 are for thousands of samples; a host gives a few. */
const GAIN = 0.25
const STEP = 2 / 3

/** After one more outage of `lengthMs`. */
export function lengthsAfter(known: OutageLengths | undefined, lengthMs: number): OutageLengths {
  if (known === undefined) return { meanMs: Math.round(lengthMs), spreadMs: Math.round(lengthMs / 2) }
  const error = lengthMs - known.meanMs
  return {
    meanMs: Math.round(known.meanMs + GAIN * error),
    spreadMs: Math.round(known.spreadMs + GAIN * (Math.abs(error) - known.spreadMs)),
  }
}

/** Ms until an outage is likely to be over that has lasted for `downMs`. */
function untilLikely({ meanMs, spreadMs }: OutageLengths, downMs: number): number {
  const lateMs = downMs - (meanMs - spreadMs)
  return lateMs < 0 ? -lateMs : Math.max(STEP * spreadMs, downMs < MINUTE_MS ? 0 : lateMs)
}
