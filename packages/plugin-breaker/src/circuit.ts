// The circuit of one host: closed, open until a moment, half-open, given up. Pure: circuit, event, rules → circuit.
//
// Each change begins a generation: an exchange that was booked before it (`seq <= changedAtSeq`) never changes anything again. Without that rule a
// success sent before the trip would close a circuit, and a late failure would open one that just recovered (both bugs are in known libraries).
// Half-open does not say whether a probe is in flight: `host.inFlight` does, so a crash with a probe in the air leaves nothing to repair.
// Two successes close it, the second sent after the first came back. Then 1, 2, 4, 8 in flight, one step a success, before the limit is gone.
// A host that fails again before it is fully back is in the same outage still. One that was fully back starts anew, five seconds being little to
// lose; what bounds a host that flaps is that its outages are learned. Only bans are remembered beyond that: the level falls by one for each ten
// healthy minutes (Envoy's outlier ejection does the same).
import type { Circuit, CircuitPhase, Down } from './circuit-memory.ts'
import { type CoolDownLimits, coolDownMs, isLongest, lengthsAfter } from './cool-down.ts'
import type { Signal } from './signal.ts'
import type { TripKind, TripLaw } from './trip-law.ts'
import { noted } from './trouble.ts'

/** What is heard of one exchange. */
export interface Heard {
  readonly signal: Signal
  /** Number of the exchange, and of the last one booked at this host. */
  readonly seq: number
  readonly lastSeq: number
  readonly proven: boolean
  /** Core is certain that the host keeps us out. */
  readonly banned: boolean
  /** Epoch ms. */
  readonly now: number
  /** A number in [0, 1), the same each time. */
  readonly chance: () => number
}

/** What the user set. */
export interface CircuitRules extends CoolDownLimits {
  readonly law: TripLaw
  /** Without a success for so long, and at the longest cool-down: given up. Ms. */
  readonly giveUpAfterMs: number
}

const HEALTHY_MS_PER_LEVEL = 600_000
/** A probe that is so late has waited for its slot, or for a page; what is more is time in which nobody asked. */
const MOST_UNSEEN_MS = 3_600_000
/** Six hours after a ban, and a fifth more. */
const LONGEST_COOL_DOWN_MS = 8 * 3_600_000
/** Beyond this a host is probed once an hour, and nothing is aimed at. */
const LONGEST_LEARNED_MS = 3_600_000
const CLOSING_SUCCESSES = 2
/** Above this, others limit what is in flight. */
const FULL_REENTRY = 16

/** The circuit after an exchange ended. */
export function heard(circuit: Circuit, event: Heard, rules: CircuitRules): Circuit {
  const { phase } = circuit
  if (event.seq <= circuit.changedAtSeq || phase.kind === 'open' || phase.kind === 'given-up') return circuit
  if (phase.kind === 'closed') return heardClosed(circuit as In<'closed'>, event, rules)
  return heardProbe(circuit as In<'half-open'>, event, rules)
}

/** The circuit after an exchange was booked: the first one after the cool-down is the probe. */
export function circuitBooked(circuit: Circuit, { seq, now }: { readonly seq: number; readonly now: number }): Circuit {
  const { phase } = circuit
  if (phase.kind === 'closed' || phase.kind === 'half-open' || (phase.kind === 'open' && now < phase.until)) return circuit
  // Nothing but a probe is requested from a host that is given up, so what is booked is one.
  return { ...circuit, phase: probing(phase, now), changedAtSeq: seq - 1 }
}

function probing(
  phase: Extract<CircuitPhase, { kind: 'open' | 'given-up' }>,
  now: number,
): Extract<CircuitPhase, { kind: 'half-open' }> {
  if (phase.kind === 'given-up') {
    const { level, since, at, trip } = phase
    return { kind: 'half-open', successes: 0, level, since, failedAt: at, trip }
  }
  const { until, ...down } = phase
  // While nobody asked (the crawl was off, the clock jumped) nobody knows whether it was down: the outage is as much shorter.
  const unseenMs = Math.max(0, now - until - MOST_UNSEEN_MS)
  const { since, failedAt, aliveAt } = down
  const moved = {
    since: since + unseenMs,
    failedAt: failedAt + unseenMs,
    ...(aliveAt !== undefined && { aliveAt: aliveAt + unseenMs }),
  }
  return { ...down, ...moved, kind: 'half-open', successes: 0 }
}

type In<Kind extends CircuitPhase['kind']> = Circuit & { readonly phase: Extract<CircuitPhase, { kind: Kind }> }
type Closed = In<'closed'>['phase']

function heardClosed(circuit: In<'closed'>, event: Heard, rules: CircuitRules): Circuit {
  const { phase, outages } = circuit
  const { signal, now, proven, banned } = event
  const trouble = noted(circuit.trouble, signal, now)
  const fragile = !proven || phase.most !== undefined
  const kind = trouble && rules.law.trips(trouble, { signal, now, proven, banned, fragile, comesAndGoes: outages !== undefined })
  if (kind !== undefined && 'word' in signal)
    return opened(circuit, { ...downAgain(phase, kind, now), failedAt: now, trip: { kind, word: signal.word } }, event, rules)
  const next = signal.kind === 'alive' ? oneMore(phase) : phase
  if (trouble === circuit.trouble && next === phase) return circuit
  const { downMs } = phase
  const isLearned = downMs !== undefined && next.most === undefined && downMs <= LONGEST_LEARNED_MS
  const lengths = isLearned ? lengthsAfter(outages, downMs) : outages
  return { phase: next, changedAtSeq: circuit.changedAtSeq, ...(trouble && { trouble }), ...(lengths && { outages: lengths }) }
}

/** A host that fails again before it is fully back has failed its probe, only later. */
function downAgain(phase: Closed, kind: TripKind, now: number): Pick<Down, 'level' | 'since' | 'aliveAt'> {
  const { level, since, most, downSince } = phase
  // A host that was parked meanwhile (Retry-After of a day) was not down all that time.
  const isSameOutage = most !== undefined && now - since <= MOST_UNSEEN_MS
  if (isSameOutage && downSince !== undefined) return { level: level + 1, since: downSince, aliveAt: since }
  const bans = Math.max(0, level - Math.floor(Math.max(0, now - since) / HEALTHY_MS_PER_LEVEL))
  return { level: kind === 'blocked' ? bans : 0, since: now }
}

function heardProbe(circuit: In<'half-open'>, event: Heard, rules: CircuitRules): Circuit {
  const { phase } = circuit
  const { signal, now } = event
  const { level, since, successes, backAt = now } = phase
  if (signal.kind === 'neutral') return circuit
  if (signal.kind === 'alive' || (signal.kind === 'blocked' && phase.trip.kind !== 'blocked')) {
    if (successes + 1 < CLOSING_SUCCESSES) return { ...circuit, phase: { ...phase, successes: successes + 1, backAt } }
    return closedAgain(circuit, { ...event, backAt })
  }
  const { aliveAt } = phase
  // A probe may stay in flight for long where nobody notices: its failure was excused as ours, the crawl was off, the clock jumped.
  const unseenMs = Math.max(0, now - phase.failedAt - LONGEST_COOL_DOWN_MS)
  const alive = successes > 0 ? { aliveAt: backAt } : aliveAt !== undefined ? { aliveAt: aliveAt + unseenMs } : {}
  const trip = { kind: kindOf(signal), word: signal.word }
  return opened(circuit, { level: level + 1, since: since + unseenMs, ...alive, failedAt: now, trip }, event, rules)
}

function closedAgain(
  { phase, outages }: In<'half-open'>,
  { now, lastSeq, backAt }: Heard & { readonly backAt: number },
): Circuit {
  const { level, since, failedAt, trip } = phase
  // It came back at some moment between the last failure and the first success. A refusal or a ban is no outage.
  const isOutage = trip.kind !== 'refused' && trip.kind !== 'blocked'
  const downMs = isOutage && backAt >= since ? { downMs: Math.round((failedAt + backAt) / 2 - since) } : {}
  return {
    phase: { kind: 'closed', level, since: now, most: 1, downSince: since, ...downMs },
    changedAtSeq: lastSeq,
    ...(outages && { outages }),
  }
}

function opened({ outages }: Circuit, down: Down, { now, lastSeq, proven, chance }: Heard, rules: CircuitRules): Circuit {
  const { level, since, aliveAt = since, trip } = down
  const known = trip.kind === 'failing' ? outages : undefined
  const outage = { kind: trip.kind, proven, level, downMs: Math.max(0, now - since), known }
  const isDead = isLongest(outage, rules) && now - aliveAt >= rules.giveUpAfterMs
  const phase: CircuitPhase = isDead
    ? { kind: 'given-up', level, since, at: now, trip }
    : { kind: 'open', ...down, until: now + coolDownMs(outage, chance(), rules) }
  return { phase, changedAtSeq: lastSeq, ...(outages && { outages }) }
}

/** Why a probe that failed says that the host is down. */
function kindOf(signal: Signal): TripKind {
  if (signal.kind === 'hopeless') return signal.of
  return signal.kind === 'refused' || signal.kind === 'blocked' ? signal.kind : 'failing'
}

/** One step on the way back. What is fully back after an outage begins anew; only after a ban the level stays. */
function oneMore(phase: Closed): Closed {
  const { kind, level, since, most, downMs } = phase
  if (most === undefined) return phase
  return most * 2 < FULL_REENTRY ? { ...phase, most: most * 2 } : { kind, level: downMs === undefined ? level : 0, since }
}
