// A fixed delay per host instead of a learned rate: one exchange at a time, and a pause between two that grows with the site's own slowness.
// It is the rate policy of a crawl that has no other.
//
// readyAt = max(last sent + delay, last end + duration): a site that needs 15 s to answer is left alone for 15 s, without any
// configuration. A refusal (429, 503) pauses the host until its Retry-After, in full, or else for 5 s doubling to 10 min, and puts the page back
// uncounted. One burst of refusals is one refusal: what was sent before the last pause says nothing about it.
import { definePlugin, type Plugin } from '@avocet/core'
import { checkOptions, isRefusal, option, reportedOptions, retryAfterAt, type OptionRules } from '@avocet/core/plugin'

/** Limits of the crawl and of single hosts (`delayMs`, `maxPerHost`, `hosts`) hold as well; they replace the defaults below. */
export interface FixedDelayOptions {
  /** Time between two requests to a host, from sending to sending. Default 1,000. */
  readonly delayMs?: number
  /** Maximum requests in flight per host. With more than 1, or a delay of 0, there is no pause after a response. Default 1. */
  readonly maxInFlight?: number
}

const RULES: OptionRules<FixedDelayOptions> = { delayMs: option.atLeast(0), maxInFlight: option.wholeNumber(1) }

/** What it remembers of a host. */
interface FixedDelayMemory {
  pausedUntil: number
  /** Refusals in a row, a burst counting as one. */
  refusals: number
  /** Number of the last exchange that was booked when the host was last paused. */
  pausedAtSeq: number
}

const FIRST_PAUSE_MS = 5_000
const LONGEST_PAUSE_MS = 600_000
/** Refusals of one page that do not count as attempts; after that it is given up. */
const FREE_ATTEMPTS = 10

/**
 * A rate policy that learns nothing: a fixed delay between requests, and a pause after 429 and 503.
 *
 * @throws AVO_CONFIG_INVALID for an option that is unknown, of the wrong type or out of range.
 * @example
 * ```ts
 * import { defineCrawl } from 'avocet'
 * export default defineCrawl({ spider, plugins: [fixedDelay({ delayMs: 2_000 })] }) // replaces the learned rate
 * ```
 */
export function fixedDelay(options: FixedDelayOptions = {}): Plugin {
  checkOptions('fixed-delay', options, RULES)
  return spacing('fixed-delay', { delayMs: 1_000, maxInFlight: 1 }, options)
}

/**
 * A rate policy that sets no pace, for sites of your own: only bounds of the crawl (`delayMs`, `maxPerHost`, `hosts`) apply, and pauses after 429 and 503.
 *
 * @example
 * ```ts
 * import { defineCrawl } from 'avocet'
 * export default defineCrawl({ spider, plugins: [unpaced()], maxPerHost: 20 })
 * ```
 */
export function unpaced(): Plugin {
  return spacing('unpaced', { delayMs: 0, maxInFlight: Infinity }, {})
}

/** What the user chose holds beside what is said of a host; defaults give way to that. */
function spacing(name: string, defaults: Required<FixedDelayOptions>, chosen: FixedDelayOptions): Plugin {
  return definePlugin<FixedDelayMemory>({
    name,
    policy: 'rate',
    options: reportedOptions(chosen),
    hostMemory: () => ({ pausedUntil: 0, refusals: 0, pausedAtSeq: 0 }),
    admit(ask, memory) {
      const { host } = ask
      const { maxRps = Infinity, maxInFlight = chosen.maxInFlight, delayMs = chosen.delayMs } = host.options
      const most = Math.min(maxInFlight ?? defaults.maxInFlight, chosen.maxInFlight ?? Infinity)
      const spacingMs = Math.max(delayMs ?? defaults.delayMs, chosen.delayMs ?? 0, 1_000 / maxRps)
      ask.atMost(most, `${most} at a time`)
      if (spacingMs > 0) ask.paces(1_000 / spacingMs)
      if (spacingMs > 0 && ask.delayFrom > 0) ask.notBefore(ask.delayFrom + spacingMs, 'delay')
      if (host.lastEndAt > 0 && most === 1 && spacingMs > 0) ask.notBefore(host.lastEndAt + host.lastDurationMs, 'answers slowly')
      if (memory.pausedUntil > 0)
        ask.notBefore(memory.pausedUntil, memory.refusals === 1 ? 'refused once' : `refused ${memory.refusals} times`)
      if (memory.pausedUntil > ask.now) ask.atMost(0, 'paused after a refusal')
    },
    onResponse(answer, memory) {
      const { exchange, response, now } = answer
      if (!isRefusal(response.status)) {
        if (exchange.seq > memory.pausedAtSeq) memory.refusals = 0
        return
      }
      const asked = retryAfterAt(response.headers, now)
      if (exchange.seq > memory.pausedAtSeq) {
        memory.pausedAtSeq = exchange.host.seq
        memory.refusals++
        // A moment that is over asks for nothing: the host still refuses.
        const until = asked !== undefined && asked > now ? asked : now + pauseMs(memory.refusals, exchange.random(name))
        memory.pausedUntil = Math.max(memory.pausedUntil, until)
      } else if (asked !== undefined) {
        memory.pausedUntil = Math.max(memory.pausedUntil, asked)
      }
      if (exchange.request.freeAttempts < FREE_ATTEMPTS)
        answer.retry(memory.pausedUntil, `http-${response.status}`, { counted: false })
    },
  })
}

/** Doubles from 5 s to 10 min, times 0.75 to 1.25. */
function pauseMs(refusals: number, chance: number): number {
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (refusals - 1)) * (0.75 + chance / 2)
}
