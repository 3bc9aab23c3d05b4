// The plugin: binds the circuit of each host to the hooks. It holds hosts, and never fails a request: what waits is not lost.
import { AvocetError, definePlugin, type Json, type Plugin } from '@avocet/core'
import { checkOptions, option, originOf, reportedOptions, wrongOption } from '@avocet/core/plugin'
import type { Admission, Exchange, OptionRules } from '@avocet/core/plugin'
import { FRESH_CIRCUIT, type Circuit } from './circuit-memory.ts'
import { circuitBooked, heard, type CircuitRules, type Heard } from './circuit.ts'
import {
  GIVING_UP_MS,
  holdOf,
  hostHold,
  isOriginTrouble,
  isWellKnown,
  NO_ORIGINS,
  originAnswered,
  originBooked,
  originFailed,
  originHold,
} from './origins.ts'
import type { CircuitHold, Origins } from './origins.ts'
import { signalOfAnswer, signalOfFailure, type Signal } from './signal.ts'
import { consecutiveLaw, NO_LAW, ratioLaw, type TripLaw } from './trip-law.ts'

interface BreakerMemory {
  circuit: Circuit
  /** Absent until it first answered, or had trouble with one of them. */
  origins?: Origins
}

/** Pages of an origin that is given up: time for somebody to fix it. A host that is given up is probed as often. */
const GIVEN_UP_MS = 24 * 3_600_000

/**
 * Leaves hosts alone that fail, and feels for them with one request at a time, less and less often.
 *
 * @throws AVO_CONFIG_INVALID for an option that is unknown or out of range.
 * @example
 * ```ts
 * const plugins = [breaker({ failures: 5, openMs: 5_000 })]
 * ```
 */
export function breaker(options: BreakerOptions = {}): Plugin {
  const rules = breakerRules(options)
  return definePlugin<BreakerMemory>({
    name: 'breaker',
    policy: 'breaker',
    options: reportedOptions(options),
    version: 2,
    hostMemory: () => ({ circuit: FRESH_CIRCUIT }),
    admit(ask, { circuit, origins }) {
      const hold = holdOf(circuit.phase, ask.now, ask.probing)
      const { atMost, why } = hold
      waitFor(ask, hold)
      // Zero only takes back what is booked and not sent: with nothing in flight the moment alone says when.
      if (atMost < Infinity && (atMost > 0 || ask.host.inFlight > 0)) ask.atMost(atMost, why)
      if (origins === undefined || origins.troubled.length === 0 || ask.nextUrl === undefined) return
      const held = hostHold(origins, originOf(ask.nextUrl), ask.now)
      if (held !== undefined) waitFor(ask, held)
    },
    onAdmit({ seq, admittedAt: now, request }, memory) {
      memory.circuit = circuitBooked(memory.circuit, { seq, now })
      const { origins } = memory
      if (origins !== undefined && origins.troubled.length > 0)
        memory.origins = originBooked(origins, originOf(request.url), { seq, now })
    },
    beforeRequest(outgoing, { origins }) {
      const { exchange, now } = outgoing
      // A required document that was put back would be required again at once: it is a probe like any other.
      if (origins === undefined || origins.troubled.length === 0 || exchange.required) return
      const held = originHold(origins, originOf(exchange.request.url), now)
      if (held === undefined) return
      const waitMs = Math.min(GIVEN_UP_MS, held.notBefore - now)
      outgoing.retry(now + waitMs * (1 + 0.1 * exchange.random('breaker-origin')), held.why)
    },
    onResponse(answer, memory) {
      const { exchange, response, now } = answer
      const event = eventOf(exchange, signalOfAnswer(response, answer), now)
      memory.circuit = heard(memory.circuit, event, rules)
      const { origins = NO_ORIGINS } = memory
      const { url } = exchange.request
      if (!isWellKnown(origins, url)) memory.origins = originAnswered(origins, originOf(url), event, rules)
    },
    onError({ exchange, failure, now }, memory) {
      const event = eventOf(exchange, signalOfFailure(failure), now)
      const { origins = NO_ORIGINS } = memory
      const origin = originOf(exchange.request.url)
      if (isOriginTrouble(origins, origin, failure.code)) memory.origins = originFailed(origins, origin, event, rules)
      else memory.circuit = heard(memory.circuit, event, rules)
    },
    explain: ({ now }, memory) => explainCircuit(memory.circuit, now, memory.origins),
  })
}

/** A hold without end gives the host up. */
function waitFor(ask: Admission, { notBefore, why }: CircuitHold): void {
  if (notBefore === Infinity) ask.giveUp(why)
  else if (notBefore > 0) ask.notBefore(notBefore, why)
}

function eventOf(exchange: Exchange, signal: Signal, now: number): Heard {
  const { host, seq } = exchange
  return {
    signal,
    seq,
    lastSeq: host.seq,
    proven: host.proven,
    banned: host.blocking.isCertain,
    now,
    chance: () => exchange.random('breaker'),
  }
}

/** What `avocet why` says: a few named values; times are epoch ms. `origins`: those of the host that are in trouble by themselves. */
export function explainCircuit(circuit: Circuit, now: number, origins: Origins = NO_ORIGINS): Readonly<Record<string, Json>> {
  const troubled = origins.troubled.flatMap(({ origin }) => originHold(origins, origin, now)?.why ?? [])
  return { ...hostState(circuit, now), ...(troubled.length > 0 && { troubled }) }
}

function hostState({ phase, trouble }: Circuit, now: number): Readonly<Record<string, Json>> {
  const state = phase.kind === 'open' && now >= phase.until ? 'half-open' : phase.kind
  const failures = {
    failuresInRow: trouble?.inRow ?? 0,
    ...(trouble && trouble.refused > 0 && { refusalsInRow: trouble.refused }),
  }
  if (phase.kind === 'closed') return { state, level: phase.level, ...failures }
  const { level, since, trip } = phase
  const opened = { state, level, cause: trip.word, kind: trip.kind, failingSince: since }
  if (phase.kind === 'open') return { ...opened, openUntil: phase.until }
  return phase.kind === 'half-open'
    ? { ...opened, successes: phase.successes }
    : { ...opened, givenUpAt: phase.at, probeAt: phase.at + GIVING_UP_MS }
}

// Options of the breaker: what may be set, checked when the plugin is made.

/** Everything may be left out. */
export interface BreakerOptions {
  /** When a circuit opens. `ratio` (default), `consecutive`, `none`, or a law of your own. */
  readonly law?: 'ratio' | 'consecutive' | 'none' | TripLaw
  /**
   * Failures in a row that open it: three fifths of it when they come out of the blue, 2 from a host that never answered.
   * Default 5.
   */
  readonly failures?: number
  /**
   * First cool-down, ms. Each further one is longer by the time that the host has been down. Default 5,000; for a host that
   * never answered a minute at least.
   */
  readonly openMs?: number
  /** Longest cool-down, ms, at most 12 h. Default one hour. */
  readonly maxOpenMs?: number
  /** A host without a success for so long is given up, ms. Default 24 h. */
  readonly giveUpAfterMs?: number
}

const HOUR_MS = 3_600_000

const RULES: OptionRules<BreakerOptions> = {
  law: option.either(option.oneOf('ratio', 'consecutive', 'none'), option.satisfying('a law with the function trips', isLaw)),
  failures: option.wholeNumber(1, 1_000),
  openMs: option.between(1, 12 * HOUR_MS),
  maxOpenMs: option.between(1, 12 * HOUR_MS),
  giveUpAfterMs: option.between(0, 365 * 24 * HOUR_MS),
}

const MOVED =
  'expected blockedStatuses beside plugins, got it as an option of breaker; write defineCrawl({ blockedStatuses: [401, 403], … }): rate, breaker and retry go by it'

/** Fills in the defaults. Throws AVO_CONFIG_INVALID. */
export function breakerRules(options: BreakerOptions): CircuitRules {
  if (Object.hasOwn(options, 'blockedStatuses')) throw new AvocetError('AVO_CONFIG_INVALID', MOVED)
  checkOptions('breaker', options, RULES)
  const { law = 'ratio', failures = 5, openMs = 5_000, maxOpenMs = HOUR_MS, giveUpAfterMs = 24 * HOUR_MS } = options
  if (maxOpenMs < openMs) throw wrongOption('breaker: maxOpenMs', `at least openMs (${openMs})`, maxOpenMs)
  return { law: lawOf(law, failures), openMs, maxOpenMs, giveUpAfterMs }
}

function lawOf(law: NonNullable<BreakerOptions['law']>, failures: number): TripLaw {
  if (law === 'ratio') return ratioLaw(failures)
  if (law === 'consecutive') return consecutiveLaw(failures)
  return law === 'none' ? NO_LAW : law
}

function isLaw(law: unknown): boolean {
  return typeof law === 'object' && law !== null && typeof (law as Partial<TripLaw>).trips === 'function'
}
