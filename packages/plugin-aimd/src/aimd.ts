// The plugin `aimd`: asks each host as often as it can take, and not more. A rate law, a window law, and the rules around them.
import { definePlugin, type Plugin } from '@avocet/core'
import { reportedOptions } from '@avocet/core/plugin'
import { ask, book, giveBack } from './admission.ts'
import { answered, failed } from './answers.ts'
import { explainRate } from './explain-rate.ts'
import { forgottenRateMemory, freshRateMemory, type RateMemory } from './host-memory.ts'
import { rewoundRateMemory } from './rewound-memory.ts'
import { rateSettings, type AimdOptions } from './settings.ts'

/**
 * Paces every host by what it answers: 429 and 503 slow it down, once per burst; what it asks for in Retry-After is kept to the second.
 *
 * @throws AVO_CONFIG_INVALID for options that are unknown, of the wrong type or out of range.
 * @example
 * ```ts
 * import { defineCrawl } from '@avocet/core'
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
    rewindHost: (memory, byMs) => rewoundRateMemory(memory, byMs, settings),
    admit: (question, memory) => ask(question, memory, settings),
    onAdmit: (exchange, memory) => book(exchange, memory, settings),
    onUnsent: (exchange, memory) => giveBack(exchange, memory, settings),
    onResponse: (answer, memory) => answered(answer, memory, settings),
    onError: (failure, memory) => failed(failure, memory, settings),
    explain: ({ host, now }, memory) => explainRate({ host, now }, memory, settings),
  })
}
