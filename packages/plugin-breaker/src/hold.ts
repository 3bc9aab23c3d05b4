// What a circuit asks of admission: not before when, and at most how many. Pure.
import { GIVING_UP_MS, type Phase } from './circuit.ts'

/** An answer to `admit`. `notBefore` 0 and `atMost` Infinity = none. */
export interface Hold {
  /** Epoch ms. */
  readonly notBefore: number
  readonly atMost: number
  readonly why: string
}

/** Core retires a host that must wait for longer than a day, with the reason. */
const LONGER_THAN_A_DAY_MS = 25 * 3_600_000

const FREE: Hold = { notBefore: 0, atMost: Infinity, why: '' }
const PROBE: Hold = { notBefore: 0, atMost: 1, why: 'half-open: one probe at a time' }

/** What holds a host in this phase at `now`. */
export function holdOf(phase: Phase, now: number): Hold {
  if (phase.kind === 'closed')
    return phase.most === undefined ? FREE : { notBefore: 0, atMost: phase.most, why: 'closed again a moment ago' }
  if (phase.kind === 'half-open') return PROBE
  const { word } = phase.trip
  const until = phase.kind === 'open' ? phase.until : phase.at + GIVING_UP_MS
  if (now >= until) return PROBE
  return phase.kind === 'open'
    ? { notBefore: until, atMost: 0, why: `open after ${word}` }
    : { notBefore: until + LONGER_THAN_A_DAY_MS, atMost: 0, why: `given up after ${word}` }
}
