// The circuit of one host: closed, open until a moment, half-open, given up. Pure: circuit, event, rules → circuit.
//
// Each change begins a generation: an exchange that was booked before it (`seq <= changedAtSeq`) never changes anything again. Without that rule a
// success sent before the trip would close a circuit, and a late failure would open one that just recovered (both bugs are in known libraries).
// Half-open does not say whether a probe is under way: `host.inFlight` does, so a crash with a probe in the air leaves nothing to repair.
// Two successes close it, the second sent after the first came back. Then 1, 2, 4, 8 in flight, one step a success, before the limit is gone.
// The level (how long to stay open) rises with each probe in vain and falls by one for each ten healthy minutes, not at the first success:
// a host that flaps is left alone for longer each time (Envoy's outlier ejection does the same).
import { coolDownMs, type CoolDownLimits } from './cool-down.ts'
import type { Signal } from './signal.ts'
import type { TripKind, TripLaw } from './trip-law.ts'
import { noted, type Trouble } from './trouble.ts'

/** What opened it. `word` is the plain reason, such as `connect-refused`. */
interface Trip {
  readonly kind: TripKind
  readonly word: string
}

/** Times are epoch ms. */
export type Phase =
  /** `level` as of `since`, when it closed. `most`: in flight, while it has just closed again. */
  | { readonly kind: 'closed'; readonly level: number; readonly since: number; readonly most?: number }
  /** `since`: when it first opened without having closed again. */
  | { readonly kind: 'open'; readonly level: number; readonly since: number; readonly until: number; readonly trip: Trip }
  | {
      readonly kind: 'half-open'
      readonly level: number
      readonly since: number
      readonly successes: number
      readonly trip: Trip
    }
  | { readonly kind: 'given-up'; readonly level: number; readonly since: number; readonly at: number; readonly trip: Trip }

/** Memory of one host. */
export interface Circuit {
  readonly phase: Phase
  /** Last exchange that was booked before the last change. */
  readonly changedAtSeq: number
  /** Absent while the host is well. */
  readonly trouble?: Trouble
}

/** What is heard of one exchange. */
export interface Heard {
  readonly signal: Signal
  /** Number of the exchange, and of the last one booked at this host. */
  readonly seq: number
  readonly lastSeq: number
  readonly proven: boolean
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

/** Of a host that was never met. */
export const FRESH_CIRCUIT: Circuit = { phase: { kind: 'closed', level: 0, since: 0 }, changedAtSeq: 0 }

/** A given-up host that is asked about again later than this was revived by hand: it gets a probe. Longer than any exchange may take. */
export const GIVING_UP_MS = 600_000

const HEALTHY_MS_PER_LEVEL = 600_000
const CLOSING_SUCCESSES = 2
/** Above this, others limit what is in flight. */
const FULL_REENTRY = 16
/** One hour at the default base: 60 s doubled six times. */
const LAST_LEVEL = 6

/** The circuit after an exchange ended. */
export function heard(circuit: Circuit, event: Heard, rules: CircuitRules): Circuit {
  const { phase } = circuit
  if (event.seq <= circuit.changedAtSeq || phase.kind === 'open' || phase.kind === 'given-up') return circuit
  return phase.kind === 'closed'
    ? heardClosed({ ...circuit, phase }, event, rules)
    : heardProbe({ ...circuit, phase }, event, rules)
}

/** The circuit after an exchange was booked: the first one after the cool-down is the probe. */
export function booked(circuit: Circuit, { seq, now }: { readonly seq: number; readonly now: number }): Circuit {
  const { phase } = circuit
  const over = phase.kind === 'open' ? now >= phase.until : phase.kind === 'given-up' && now >= phase.at + GIVING_UP_MS
  if (phase.kind === 'closed' || phase.kind === 'half-open' || !over) return circuit
  const { level, trip } = phase
  const since = phase.kind === 'given-up' ? now : phase.since
  return { phase: { kind: 'half-open', level, since, successes: 0, trip }, changedAtSeq: seq - 1 }
}

type In<Kind extends Phase['kind']> = Circuit & { readonly phase: Extract<Phase, { kind: Kind }> }
type Closed = In<'closed'>['phase']

function heardClosed(circuit: In<'closed'>, event: Heard, rules: CircuitRules): Circuit {
  const { phase } = circuit
  const { signal, now, proven } = event
  const trouble = noted(circuit.trouble, signal, now)
  const fragile = !proven || phase.most !== undefined
  const kind = trouble && rules.law.trips(trouble, { signal, now, proven, fragile })
  if (kind !== undefined && 'word' in signal) {
    const level = levelAt(phase, now)
    return opened({ level, since: now, trip: { kind, word: signal.word } }, event, rules)
  }
  const next = signal.kind === 'alive' ? oneMore(phase) : phase
  if (trouble === circuit.trouble && next === phase) return circuit
  return { phase: next, changedAtSeq: circuit.changedAtSeq, ...(trouble && { trouble }) }
}

function heardProbe(circuit: In<'half-open'>, event: Heard, rules: CircuitRules): Circuit {
  const { phase } = circuit
  const { signal, now, lastSeq } = event
  const { level, since, trip } = phase
  if (signal.kind === 'neutral') return circuit
  if (signal.kind === 'alive' || (signal.kind === 'blocked' && trip.kind !== 'blocked')) {
    if (phase.successes + 1 < CLOSING_SUCCESSES) return { ...circuit, phase: { ...phase, successes: phase.successes + 1 } }
    return { phase: { kind: 'closed', level, since: now, most: 1 }, changedAtSeq: lastSeq }
  }
  return opened({ level: level + 1, since, trip: { kind: kindOf(signal), word: signal.word } }, event, rules)
}

function opened(
  { level, since, trip }: { readonly level: number; readonly since: number; readonly trip: Trip },
  { now, lastSeq, chance }: Heard,
  rules: CircuitRules,
): Circuit {
  const isDead = level >= LAST_LEVEL && now - since >= rules.giveUpAfterMs
  const phase: Phase =
    isDead || trip.kind === 'certificate'
      ? { kind: 'given-up', level, since, at: now, trip }
      : { kind: 'open', level, since, until: now + coolDownMs(trip.kind, level, chance(), rules), trip }
  return { phase, changedAtSeq: lastSeq }
}

/** Why a probe that failed says that the host is down. */
function kindOf(signal: Signal): TripKind {
  if (signal.kind === 'hopeless') return signal.of
  return signal.kind === 'refused' || signal.kind === 'blocked' ? signal.kind : 'failing'
}

/** A host that fails again before it is fully back has failed its probe, only later. */
function levelAt({ level, since, most }: Closed, now: number): number {
  return most === undefined ? Math.max(0, level - Math.floor(Math.max(0, now - since) / HEALTHY_MS_PER_LEVEL)) : level + 1
}

function oneMore(phase: Closed): Closed {
  if (phase.most === undefined) return phase
  const { most, ...rest } = phase
  return most * 2 < FULL_REENTRY ? { ...rest, most: most * 2 } : rest
}
