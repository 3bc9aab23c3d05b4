// Options of the breaker: what may be set, checked when the plugin is made.
import { AvocetError } from '@avocet/core'
import type { CircuitRules } from './circuit.ts'
import { ratioLaw } from './ratio-law.ts'
import { consecutiveLaw, NO_LAW, type TripLaw } from './trip-law.ts'

/** Everything may be left out. */
export interface BreakerOptions {
  /** When a circuit opens. `ratio` (default), `consecutive`, `none`, or a law of your own. */
  readonly law?: 'ratio' | 'consecutive' | 'none' | TripLaw
  /**
   * Failures in a row that open it. Default 5. Under the law `ratio` three fifths of it suffice when they come out of the blue, with no answer
   * since the first of them, and 2 from a host that never answered.
   */
  readonly failures?: number
  /**
   * First cool-down, ms. Each further one is as long as the host has been down by then, and this more. Default 5,000; a host that never answered,
   * or that refuses without a word about when to come back, is left alone for a minute at least.
   */
  readonly openMs?: number
  /** Longest cool-down, ms, at most 12 h. Default one hour. */
  readonly maxOpenMs?: number
  /** First cool-down of a host that keeps us out (`blockedStatuses` of the configuration), ms; three times as long each time. Default 10 min. */
  readonly blockedOpenMs?: number
  /** A host without a success for so long is given up, ms. Default 24 h. */
  readonly giveUpAfterMs?: number
}

const HOUR_MS = 3_600_000

const NUMBERS = {
  failures: { least: 1, most: 1_000, whole: true },
  openMs: { least: 1, most: 12 * HOUR_MS, whole: false },
  maxOpenMs: { least: 1, most: 12 * HOUR_MS, whole: false },
  blockedOpenMs: { least: 1, most: 6 * HOUR_MS, whole: false },
  giveUpAfterMs: { least: 0, most: 365 * 24 * HOUR_MS, whole: false },
} as const

const NAMES = ['law', ...Object.keys(NUMBERS)]

const MOVED =
  'expected blockedStatuses beside plugins, got it as an option of breaker; write defineCrawl({ blockedStatuses: [401, 403], … }): rate, breaker and retry go by it'

/** Fills in the defaults. Throws AVO_CONFIG_INVALID. */
export function breakerRules(options: BreakerOptions): CircuitRules {
  for (const name of Object.keys(options)) {
    if (name === 'blockedStatuses') throw new AvocetError('AVO_CONFIG_INVALID', MOVED)
    if (!NAMES.includes(name)) throw expected('the options of breaker', `to be among ${NAMES.join(', ')}`, name)
  }
  for (const [name, rule] of Object.entries(NUMBERS)) checkNumber(name, options[name as keyof typeof NUMBERS], rule)
  const { law = 'ratio', failures = 5, openMs = 5_000, maxOpenMs = HOUR_MS } = options
  if (maxOpenMs < openMs) throw expected('maxOpenMs of breaker', `to be at least openMs (${openMs})`, maxOpenMs)
  const { blockedOpenMs = 600_000, giveUpAfterMs = 24 * HOUR_MS } = options
  return { law: lawOf(law, failures), openMs, maxOpenMs, blockedOpenMs, giveUpAfterMs }
}

function lawOf(law: NonNullable<BreakerOptions['law']>, failures: number): TripLaw {
  if (law === 'ratio') return ratioLaw(failures)
  if (law === 'consecutive') return consecutiveLaw(failures)
  if (law === 'none') return NO_LAW
  if (typeof law === 'object' && law !== null && typeof law.trips === 'function') return law
  throw expected('law of breaker', "to be 'ratio', 'consecutive', 'none' or a TripLaw", law)
}

function checkNumber(
  name: string,
  value: number | undefined,
  { least, most, whole }: { least: number; most: number; whole: boolean },
): void {
  if (value === undefined) return
  if (typeof value === 'number' && value >= least && value <= most && (!whole || Number.isInteger(value))) return
  throw expected(`${name} of breaker`, `to be a ${whole ? 'whole ' : ''}number from ${least} to ${most}`, value)
}

function expected(what: string, wanted: string, got: unknown): AvocetError {
  return new AvocetError('AVO_CONFIG_INVALID', `expected ${what} ${wanted}, got ${JSON.stringify(got) ?? String(got)}`)
}
