// The plugin `adaptive-timeout`: how long to wait for each phase of an exchange, learned host by host. The laws are in laws/.
//
// Limits only tighten: the crawl's own `timeLimits` are the hard maxima for every law. Learned from are pages, not the documents that
// plugins require (a robots.txt that comes at once says nothing of pages) nor answers that take a short path (redirects, 304, refusals).
// Timeouts count for both: a host whose robots.txt takes 15 s must be waited for, too.
import { definePlugin, type Plugin } from '@avocet/core'
import { checkOptions, option, reportedOptions } from '@avocet/core/plugin'
import type { Answered, Exchange, Failed, HostView, OptionRules } from '@avocet/core/plugin'
import { addSample, joined, quantile } from './laws/quantile.ts'
import { bodyEnded, bodyGivenUp, bodyLimits, type BodyState, FRESH_BODY } from './laws/body.ts'
import type { TimeoutLaw, TimeoutState } from './timeout-law.ts'

/** What is remembered of one phase of a host. */
interface Phase {
  law: string
  state: TimeoutState
  /** Last exchange booked when a timeout was last learned from; absent = never. */
  timedOutSeq?: number
}

interface HostMemory {
  firstByte: Phase
  connect: Phase
  /** Absent while nothing was slow. */
  body?: BodyState | undefined
  /** Pages that went into the prior, at most `GIVES`. */
  given: number
}

interface CrawlMemory {
  /** What new hosts took to the first byte, as a histogram. */
  readonly prior: number[]
}

/**
 * How long to wait for a connection: DNS, TCP and TLS together. TCP repeats a lost SYN after 1 s and 3 s (RFC 6298 §2): 1.5 s is one repetition.
 */
const CONNECT: TimeoutLaw = quantile({ factor: 3, coldMs: 6_000, minMs: 1_500, maxMs: 15_000 })

/** So many pages of each host go into the prior: it is about hosts that are new, and a large host is one host. */
const GIVES = 8

/**
 * The plugin `adaptive-timeout`: waits about twice as long as 97 in 100 answers of this host took, per phase; no host is given up for being slow
 * while it answers within the crawl's `timeLimits`.
 *
 * @throws AVO_CONFIG_INVALID for an unknown option, or one out of range.
 * @example
 * ```ts
 * const plugin = adaptiveTimeout({ idleMs: 10_000 })
 * ```
 */
export function adaptiveTimeout(options: AdaptiveTimeoutOptions = {}): Plugin {
  const { law, ...body } = timeoutSettings(options)
  const limitsOf = (host: HostView, memory: HostMemory, { prior, failedAttempts }: CrawlMemory & { failedAttempts: number }) => {
    const around = { failedAttempts, prior }
    const learnedMs = law.timeoutMs(stateOf(memory.firstByte, law), around)
    const firstByteMs = Math.min(learnedMs, host.options.firstByteMs ?? Infinity)
    const connectMs = CONNECT.timeoutMs(stateOf(memory.connect, CONNECT), { ...around, prior: [] })
    const { idleMs, minBytesPerSecond, bodyMs } = bodyLimits(memory.body ?? FRESH_BODY, body, failedAttempts)
    return { connectMs, firstByteMs, idleMs, minBytesPerSecond, totalMs: connectMs + firstByteMs + bodyMs }
  }
  return definePlugin<HostMemory, CrawlMemory>({
    name: 'adaptive-timeout',
    policy: 'timeouts',
    options: reportedOptions(options),
    version: 2,
    hostMemory: () => ({ firstByte: freshPhase(law), connect: freshPhase(CONNECT), given: 0 }),
    crawlMemory: () => ({ prior: [] }),
    merge: (a, b) => ({ prior: joined(a.prior, b.prior) }),
    onAdmit(exchange, memory, { prior }) {
      exchange.limit(limitsOf(exchange.host, memory, { prior, failedAttempts: exchange.request.attempts }))
    },
    onResponse({ exchange, response }: Answered, memory, crawl) {
      const { connectMs, firstByteMs, bodyMs } = response.timings
      if (response.served) return
      if (connectMs !== undefined) inTime(memory.connect, CONNECT, { exchange, tookMs: connectMs })
      if (exchange.required || !isPage(response.status)) return
      inTime(memory.firstByte, law, { exchange, tookMs: firstByteMs })
      // A file of an hour says nothing of pages.
      if (response.saved === undefined) keepBody(memory, bodyEnded(memory.body ?? FRESH_BODY, body, bodyMs))
      if (memory.given >= GIVES) return
      memory.given++
      addSample(crawl.prior, firstByteMs)
    },
    onError({ exchange, failure }: Failed, memory) {
      const { code, phase } = failure
      if (code === 'AVO_IDLE_TIMEOUT' || code === 'AVO_TOO_SLOW') keepBody(memory, bodyGivenUp(memory.body ?? FRESH_BODY))
      if (code === 'AVO_CONNECT_TIMEOUT') timedOut(memory.connect, CONNECT, { exchange, waitedMs: exchange.limits.connectMs })
      if (code === 'AVO_FIRST_BYTE_TIMEOUT') timedOut(memory.firstByte, law, { exchange, waitedMs: exchange.limits.firstByteMs })
      // Half of the whole, so that the next has twice the time.
      if (code === 'AVO_TOTAL_TIMEOUT' && phase === 'body')
        keepBody(memory, bodyGivenUp(memory.body ?? FRESH_BODY, exchange.limits.totalMs / 2))
    },
    explain: ({ host }, memory, { prior }) => ({
      law: law.name,
      ...limitsOf(host, memory, { prior, failedAttempts: 0 }),
      ...law.explain(stateOf(memory.firstByte, law)),
    }),
  })
}

function freshPhase(law: TimeoutLaw): Phase {
  return { law: law.name, state: law.fresh() }
}

/** What another law left behind is of no use to this one. */
function stateOf(phase: Phase, law: TimeoutLaw): TimeoutState {
  return phase.law === law.name ? phase.state : law.fresh()
}

/** The state to learn in. */
function keptState(phase: Phase, law: TimeoutLaw): TimeoutState {
  phase.state = stateOf(phase, law)
  phase.law = law.name
  return phase.state
}

/** One phase of an exchange ended in time. */
function inTime(phase: Phase, law: TimeoutLaw, { exchange, tookMs }: { exchange: Exchange; tookMs: number }): void {
  law.inTime(keptState(phase, law), { tookMs, isNews: isNews(phase, exchange) })
}

/** One phase of an exchange was given up. */
function timedOut(phase: Phase, law: TimeoutLaw, { exchange, waitedMs }: { exchange: Exchange; waitedMs: number }): void {
  const event = { waitedMs, isNews: isNews(phase, exchange) }
  law.timedOut(keptState(phase, law), event)
  if (event.isNews) phase.timedOutSeq = exchange.host.seq
}

function isNews({ timedOutSeq = 0 }: Phase, { seq }: Exchange): boolean {
  return seq > timedOutSeq
}

/** Memory is written down with every page: what says nothing is left out. */
function keepBody(memory: HostMemory, { steps, longestMs }: BodyState): void {
  memory.body = steps === 0 && longestMs === 0 ? undefined : { steps, longestMs }
}

/** Answers that took the way of a page. */
function isPage(status: number): boolean {
  return (status >= 200 && status < 300) || status === 404 || status === 410
}

/** Options of `adaptiveTimeout`. */
export interface AdaptiveTimeoutOptions {
  /** How long to wait for the first byte. Default `quantile()`. */
  readonly law?: TimeoutLaw
  /** Longest pause between two pieces of a body, ms; loosened where a host proves slow. Default 15 s. */
  readonly idleMs?: number
  /** Least throughput of a body, averaged over 30 s; loosened likewise. Default 1024. */
  readonly minBytesPerSecond?: number
  /** Time for a whole body, ms; four times the longest of late when that is more. Default 60 s. */
  readonly bodyMs?: number
}

const RULES: OptionRules<AdaptiveTimeoutOptions> = {
  law: option.satisfying('a timeout law, such as quantile()', isLaw),
  idleMs: option.positive,
  minBytesPerSecond: option.atLeast(0),
  bodyMs: option.positive,
}

/** Options with their defaults. Throws AVO_CONFIG_INVALID. */
function timeoutSettings(options: AdaptiveTimeoutOptions): Required<AdaptiveTimeoutOptions> {
  checkOptions('adaptiveTimeout', options, RULES)
  const { law = quantile(), idleMs = 15_000, minBytesPerSecond = 1_024, bodyMs = 60_000 } = options
  return { law, idleMs, minBytesPerSecond, bodyMs }
}

function isLaw(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const law = value as Partial<TimeoutLaw>
  return typeof law.name === 'string' && typeof law.timeoutMs === 'function' && typeof law.fresh === 'function'
}
