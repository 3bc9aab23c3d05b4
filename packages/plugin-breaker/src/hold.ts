// What a circuit asks of admission: not before when, and at most how many. Pure.
import type { CircuitPhase } from './circuit-memory.ts'

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
