// Short words for the tests of the circuit: a host that lives through signals, one exchange at a time.
import { breakerRules, type BreakerOptions } from '../src/breaker.ts'
import { circuitBooked, heard } from '../src/circuit.ts'
import { FRESH_CIRCUIT, type Circuit } from '../src/circuit-memory.ts'
import type { Signal } from '../src/signal.ts'

export const ALIVE: Signal = { kind: 'alive' }
export const FAILURE: Signal = { kind: 'failure', word: 'reset' }
export const ERROR: Signal = { kind: 'error', word: 'http-500' }
export const REFUSED: Signal = { kind: 'refused', word: 'http-429' }
export const BLOCKED: Signal = { kind: 'blocked', word: 'http-403' }
export const NEUTRAL: Signal = { kind: 'neutral' }

/** Far from any bucket's edge. */
export const START = 1_767_225_601_000

/** One host; with `chance` 0.5 a cool-down is a tenth longer than its nominal length, and after a ban exactly as long. */
export class Story {
  circuit: Circuit = FRESH_CIRCUIT
  now = START
  seq = 0
  proven: boolean
  /** What core says at each forbidden answer. */
  banned: boolean
  readonly #rules: ReturnType<typeof breakerRules>

  constructor({ proven = true, banned = false, ...options }: BreakerOptions & { proven?: boolean; banned?: boolean } = {}) {
    this.proven = proven
    this.banned = banned
    this.#rules = breakerRules(options)
  }

  /** Books an exchange now. */
  book(): number {
    this.circuit = circuitBooked(this.circuit, { seq: ++this.seq, now: this.now })
    return this.seq
  }

  /** The exchange `seq` ends now. */
  end(seq: number, signal: Signal): void {
    this.circuit = heard(
      this.circuit,
      { signal, seq, lastSeq: this.seq, proven: this.proven, banned: this.banned, now: this.now, chance: () => 0.5 },
      this.#rules,
    )
  }

  /** Books and ends exchanges, one after the other, `everyMs` apart. */
  lives(signals: readonly Signal[], everyMs = 1_000): this {
    for (const signal of signals) {
      this.end(this.book(), signal)
      this.now += everyMs
    }
    return this
  }

  wait(ms: number): this {
    this.now += ms
    return this
  }

  get state(): string {
    return this.circuit.phase.kind
  }

  /** Seconds until an open circuit may be probed; its level. */
  get openForS(): number {
    return Math.round(this.openForMs / 1_000)
  }
  get openForMs(): number {
    const { phase } = this.circuit
    return phase.kind === 'open' ? phase.until - this.now : Number.NaN
  }
  get level(): number {
    return this.circuit.phase.level
  }
}

/** `n` times the same. */
export function times(n: number, signal: Signal): Signal[] {
  return Array.from({ length: n }, () => signal)
}
