// Options of the plugin, and their validation: what is wrong is said when the plugin is made.
import { AvocetError } from '@avocet/core'
import { quantile } from './laws/quantile.ts'
import type { TimeoutLaw } from './timeout-law.ts'

/** Options of `adaptiveTimeout`. */
export interface AdaptiveTimeoutOptions {
  /** How long to wait for the first byte. Default `quantile()`. */
  readonly law?: TimeoutLaw
  /** How long to wait for a connection (DNS, TCP and TLS together). Default: `quantile` with 3 × q95, 1.5–15 s, cold 6 s. */
  readonly connectLaw?: TimeoutLaw
  /** Longest pause between two pieces of a body, ms; loosened where a host proves slow. Default 15 s. */
  readonly idleMs?: number
  /** Least throughput of a body, averaged over 30 s; loosened likewise. Default 1024. */
  readonly minBytesPerSecond?: number
  /** Time for a whole body, ms; four times the longest of late when that is more. Default 60 s. */
  readonly bodyMs?: number
}

/** TCP repeats a lost SYN after 1 s and 3 s (RFC 6298 §2): 1.5 s is one repetition. */
const CONNECT = { factor: 3, coldMs: 6_000, minMs: 1_500, maxMs: 15_000, unprovenMs: 15_000 }

/** Options with their defaults. */
export function settled(options: AdaptiveTimeoutOptions): Required<AdaptiveTimeoutOptions> {
  check(options)
  return {
    law: quantile(),
    connectLaw: quantile(CONNECT),
    idleMs: 15_000,
    minBytesPerSecond: 1_024,
    bodyMs: 60_000,
    ...given(options),
  }
}

/** Without those that are there and undefined. */
function given(options: AdaptiveTimeoutOptions): AdaptiveTimeoutOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
}

function check(options: unknown): void {
  if (typeof options !== 'object' || options === null) throw wrong(`expected options of adaptiveTimeout, got ${String(options)}`)
  for (const [name, value] of Object.entries(options)) {
    const rule = RULES[name]
    if (rule === undefined) {
      throw wrong(`expected options of adaptiveTimeout to be among ${Object.keys(RULES).join(', ')}, got '${name}'`)
    }
    if (value !== undefined && !rule.holds(value)) throw wrong(`expected ${name} to be ${rule.expected}, got ${shown(value)}`)
  }
}

interface Rule {
  readonly expected: string
  readonly holds: (value: unknown) => boolean
}

const LAW: Rule = { expected: 'a timeout law, such as quantile()', holds: isLaw }
const DURATION: Rule = { expected: 'a number of ms above 0', holds: isPositive }
const RULES: Readonly<Record<string, Rule>> = {
  law: LAW,
  connectLaw: LAW,
  idleMs: DURATION,
  bodyMs: DURATION,
  minBytesPerSecond: {
    expected: 'a number of at least 0',
    holds: (value) => typeof value === 'number' && Number.isFinite(value) && value >= 0,
  },
}

function isLaw(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const law = value as Partial<TimeoutLaw>
  return typeof law.name === 'string' && typeof law.timeoutMs === 'function' && typeof law.fresh === 'function'
}

/** Whether it is a finite number above 0. */
export function isPositive(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0
}

function shown(value: unknown): string {
  return typeof value === 'number' || typeof value === 'string' ? JSON.stringify(value) : typeof value
}

function wrong(message: string): AvocetError {
  return new AvocetError('AVO_CONFIG_INVALID', message)
}
