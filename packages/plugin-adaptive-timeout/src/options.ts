// Options of the plugin, with their defaults.
import { checkOptions, option, type OptionRules } from '@avocet/core/plugin'
import { quantile } from './laws/quantile.ts'
import type { TimeoutLaw } from './timeout-law.ts'

/** Options of `adaptiveTimeout`. */
export interface AdaptiveTimeoutOptions {
  /** How long to wait for the first byte. Default `quantile()`. */
  readonly law?: TimeoutLaw
  /** How long to wait for a connection (DNS, TCP and TLS together). Default: `quantile` with 3 × q97, 1.5–15 s, cold 6 s. */
  readonly connectLaw?: TimeoutLaw
  /** Longest pause between two pieces of a body, ms; loosened where a host proves slow. Default 15 s. */
  readonly idleMs?: number
  /** Least throughput of a body, averaged over 30 s; loosened likewise. Default 1024. */
  readonly minBytesPerSecond?: number
  /** Time for a whole body, ms; four times the longest of late when that is more. Default 60 s. */
  readonly bodyMs?: number
}

/** TCP repeats a lost SYN after 1 s and 3 s (RFC 6298 §2): 1.5 s is one repetition. */
const CONNECT = { factor: 3, coldMs: 6_000, minMs: 1_500, maxMs: 15_000 }

const LAW = option.satisfying('a timeout law, such as quantile()', isLaw)

const RULES: OptionRules<AdaptiveTimeoutOptions> = {
  law: LAW,
  connectLaw: LAW,
  idleMs: option.positive,
  minBytesPerSecond: option.atLeast(0),
  bodyMs: option.positive,
}

/** Options with their defaults. Throws AVO_CONFIG_INVALID. */
export function timeoutSettings(options: AdaptiveTimeoutOptions): Required<AdaptiveTimeoutOptions> {
  checkOptions('adaptiveTimeout', options, RULES)
  const { law = quantile(), connectLaw = quantile(CONNECT) } = options
  const { idleMs = 15_000, minBytesPerSecond = 1_024, bodyMs = 60_000 } = options
  return { law, connectLaw, idleMs, minBytesPerSecond, bodyMs }
}

function isLaw(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const law = value as Partial<TimeoutLaw>
  return typeof law.name === 'string' && typeof law.timeoutMs === 'function' && typeof law.fresh === 'function'
}
