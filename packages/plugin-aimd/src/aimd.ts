// The plugin `aimd`: asks each host as often as it can take, and not more. A rate law, a window law, and the rules around them.
import { definePlugin, type Plugin, type Json } from '@avocet/core'
import { reportedOptions, type HostView } from '@avocet/core/plugin'
import { ask, book, giveBack } from './admission.ts'
import { answered, failed } from './answers.ts'
import {
  forgottenRateMemory,
  freshRateMemory,
  RATE_MOMENTS,
  type RateMemory,
  adviceAt,
  rateOf,
  rpsOf,
  windowOf,
} from './host-memory.ts'
import { rateSettings, type AimdOptions, limitsFor, type RateSettings } from './settings.ts'
import { limitOf } from './window-law.ts'

/**
 * Paces every host by what it answers: 429 and 503 slow it down, once per burst; what it asks for in Retry-After is kept to the second.
 *
 * @throws AVO_CONFIG_INVALID for options that are unknown, of the wrong type or out of range.
 * @example
 * ```ts
 * import { defineCrawl } from 'avocet'
 * export default defineCrawl({ spider, policies: polite({ rate: { maxRps: 5 } }), hosts: { 'api.shop.example': { maxRps: 1 } } })
 * ```
 */
export function aimd(options: AimdOptions = {}): Plugin {
  const settings = rateSettings(options)
  return definePlugin<RateMemory>({
    name: 'aimd',
    policy: 'rate',
    options: reportedOptions(options),
    hostMemory: freshRateMemory,
    forgetHost: forgottenRateMemory,
    moments: [...RATE_MOMENTS, ...(settings.law.moments ?? []), ...(settings.window?.moments ?? [])],
    admit: (question, memory) => ask(question, memory, settings),
    onAdmit: (exchange, memory) => book(exchange, memory, settings),
    onUnsent: (exchange, memory) => giveBack(exchange, memory, settings),
    onResponse: (answer, memory) => answered(answer, memory, settings),
    onError: (failure, memory) => failed(failure, memory, settings),
    explain: ({ host, now }, memory) => explainRate({ host, now }, memory, settings),
  })
}

/** At most ten values; what does not apply is left out. */
function explainRate(
  { host, now }: { readonly host: HostView; readonly now: number },
  memory: RateMemory,
  settings: RateSettings,
): Readonly<Record<string, Json>> {
  const limits = limitsFor(settings, host.options)
  const window = windowOf(memory, settings, limits)
  const foundRps = rateOf(memory, settings, limits).rps
  const rps = rpsOf(memory, settings, limits, now)
  const { pace, refusals, refusedAt, refusedInEpoch, blocked, ignoredFields } = memory
  const advice = adviceAt(memory, now)
  return {
    law: settings.law.name,
    foundRps: digits(foundRps),
    ...(rps !== foundRps && { usedRps: digits(rps) }),
    inFlightLimit: Math.min(window === undefined ? limits.maxInFlight : limitOf(window, limits), advice?.maxInFlight ?? Infinity),
    ...(pace.pausedUntil > now && { pausedUntil: pace.pausedUntil, pausedFor: memory.pausedFor ?? 'rest' }),
    ...(refusedAt !== undefined && { refusedAt, refusals, refusedInEpoch: refusedInEpoch ?? 0 }),
    // The eleventh value would be one too many.
    ...(blocked !== undefined ? { blockedTimes: blocked.times } : ignoredFields !== undefined && { ignoredFields }),
  }
}

/** Four significant digits. */
function digits(value: number): number {
  return Number(value.toPrecision(4))
}
