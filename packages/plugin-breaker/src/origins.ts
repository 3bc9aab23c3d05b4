// Trouble that is an origin's (scheme, host, port) and not its host's: a wrong certificate at `https://x` says nothing about `http://x`. Pure.
//
// Politeness, and most outages, are of the host. A certificate is of the origin alone; so is a port that nobody listens at, or that does not speak
// TLS, as long as it never did and another origin answers. Each origin in trouble has a circuit of its own, with the same laws. While it is open its
// pages are put back one by one, and the other origins go on; where no other origin ever answered there is nobody to go on, and the host is held.
import type { FailureCode } from '@avocet/core/plugin'
import { type Circuit, type CircuitPhase, FRESH_CIRCUIT } from './circuit-memory.ts'
import { circuitBooked, type CircuitRules, heard, type Heard } from './circuit.ts'

/** Memory of the origins of one host. */
export interface Origins {
  /** Those that answered, up to four. */
  readonly answered: readonly string[]
  /** Those in trouble, up to four. */
  readonly troubled: readonly TroubledOrigin[]
}

/** An origin that fails by itself. */
interface TroubledOrigin {
  readonly origin: string
  readonly circuit: Circuit
}

/** Of a host that was never met. */
export const NO_ORIGINS: Origins = { answered: [], troubled: [] }

const MOST = 4
const SLASH = 0x2f
const NEVER_THERE: ReadonlySet<FailureCode> = new Set(['AVO_CONNECT_REFUSED', 'AVO_TLS_FAILED', 'AVO_TLS_HTTP2_ONLY'])

/** Whether the origin of `url` is known to answer, and no origin is in trouble: nearly every answer, so nothing is made for it. */
export function isWellKnown({ answered, troubled }: Origins, url: string): boolean {
  if (troubled.length > 0) return false
  for (const origin of answered) if (url.charCodeAt(origin.length) === SLASH && url.startsWith(origin)) return true
  return false
}

/** Whether a failure is to be blamed on the origin alone. */
export function isOriginTrouble({ answered }: Origins, origin: string, code: FailureCode): boolean {
  if (code === 'AVO_TLS_CERTIFICATE' || code === 'AVO_TLS_INTERMEDIATE') return true
  return NEVER_THERE.has(code) && answered.length > 0 && !answered.includes(origin)
}

/** After an exchange with `origin` was booked. */
export function originBooked(origins: Origins, origin: string, booking: { readonly seq: number; readonly now: number }): Origins {
  const circuit = circuitOf(origins, origin)
  const after = circuit && circuitBooked(circuit, booking)
  return after === undefined || after === circuit ? origins : withCircuit(origins, origin, after)
}

/** After `origin` failed in a way that is its own. */
export function originFailed(origins: Origins, origin: string, event: Omit<Heard, 'proven'>, rules: CircuitRules): Origins {
  const circuit = circuitOf(origins, origin)
  if (circuit === undefined && origins.troubled.length >= MOST) return origins
  const proven = origins.answered.includes(origin)
  return withCircuit(origins, origin, heard(circuit ?? FRESH_CIRCUIT, { ...event, proven }, rules))
}

/** After `origin` answered; the same object while there is nothing to note. */
export function originAnswered(origins: Origins, origin: string, event: Omit<Heard, 'proven'>, rules: CircuitRules): Origins {
  const { answered, troubled } = origins
  const isNew = !answered.includes(origin) && answered.length < MOST
  const known = isNew ? { answered: [...answered, origin], troubled } : origins
  const circuit = circuitOf(origins, origin)
  if (circuit === undefined) return known
  return withCircuit(known, origin, heard(circuit, { ...event, signal: { kind: 'alive' }, proven: true }, rules))
}

/** What holds the host: all origins that ever answered are in trouble, and the next page is of one that is. */
export function hostHold(origins: Origins, nextOrigin: string, now: number): CircuitHold | undefined {
  const hold = originHold(origins, nextOrigin, now)
  if (hold === undefined || !origins.answered.includes(nextOrigin)) return undefined
  const holds = origins.answered.map((origin) => originHold(origins, origin, now))
  if (holds.includes(undefined)) return undefined
  return holds.reduce((a, b) => (b !== undefined && a !== undefined && b.notBefore < a.notBefore ? b : a), hold)
}

/** What holds the pages of an origin; undefined = nothing. */
export function originHold(origins: Origins, origin: string, now: number): CircuitHold | undefined {
  const circuit = circuitOf(origins, origin)
  if (circuit === undefined) return undefined
  const { notBefore, atMost, why } = holdOf(circuit.phase, now)
  return notBefore > now ? { notBefore, atMost, why: `${origin}: ${why}` } : undefined
}

function circuitOf({ troubled }: Origins, origin: string): Circuit | undefined {
  return troubled.find((each) => each.origin === origin)?.circuit
}

function withCircuit({ answered, troubled }: Origins, origin: string, circuit: Circuit): Origins {
  const { phase, trouble } = circuit
  const isWell = phase.kind === 'closed' && phase.most === undefined && trouble === undefined
  const others = troubled.filter((each) => each.origin !== origin)
  return { answered, troubled: isWell ? others : [...others, { origin, circuit }] }
}

// What a circuit asks of admission: not before when, and at most how many. Pure.

/** An answer to `admit`. `notBefore` 0 and `atMost` Infinity = none. */
export interface CircuitHold {
  /** Epoch ms; Infinity gives the host up. */
  readonly notBefore: number
  readonly atMost: number
  readonly why: string
}

/** A given-up host that is asked about again later than this was revived by hand: it gets a probe. Longer than any exchange may take. */
export const GIVING_UP_MS = 600_000

const FREE: CircuitHold = { notBefore: 0, atMost: Infinity, why: '' }
const PROBE: CircuitHold = { notBefore: 0, atMost: 1, why: 'half-open: one probe at a time' }

/** What holds a host in this phase at `now`. `probing`: core asks for one request to a host that was given up. */
export function holdOf(phase: CircuitPhase, now: number, probing: boolean = false): CircuitHold {
  if (phase.kind === 'closed')
    return phase.most === undefined ? FREE : { notBefore: 0, atMost: phase.most, why: 'closed again a moment ago' }
  if (phase.kind === 'half-open') return PROBE
  const { word } = phase.trip
  if (now >= (phase.kind === 'open' ? phase.until : phase.at + GIVING_UP_MS)) return PROBE
  if (probing && phase.kind === 'given-up') return PROBE
  return phase.kind === 'open'
    ? { notBefore: phase.until, atMost: 0, why: `open after ${word}` }
    : { notBefore: Infinity, atMost: 0, why: `given up after ${word}` }
}
