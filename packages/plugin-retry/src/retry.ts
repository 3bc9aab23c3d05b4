// The plugin: binds the law of retries and its budgets to the hooks. A retry is a line in the frontier with a moment, never a sleep.
import { definePlugin, type Plugin } from '@avocet/core'
import { checkOptions, option, reasonOf, reportedOptions, retryAfterAt } from '@avocet/core/plugin'
import type { Answered, Exchange, Failed, OptionRules } from '@avocet/core/plugin'
import { credited, earned, FULL_CRAWL, FULL_HOST, mergedBudgets, spent, type CrawlBudget, type HostBudget } from './budget.ts'
import { classOfAnswer, classOfFailure, RESOLVED_BEFORE, type RetryClass } from './classify.ts'
import { decide, OUTAGE_PAGES, type FailedAttempt, type RetryLimits } from './decide.ts'

interface CrawlMemory {
  budget: CrawlBudget
}

/** What differs between an answer and a failure. */
interface Trouble extends Pick<FailedAttempt, 'reason' | 'processed' | 'askedAt' | 'now'> {
  readonly retryClass: RetryClass
}

/**
 * Tries again what may work another time: later each time, within budgets, and not at all what cannot.
 *
 * @throws AVO_CONFIG_INVALID for an option that is unknown or out of range.
 * @example
 * ```ts
 * const plugins = [retry({ maxAttempts: 4 })]
 * ```
 */
export function retry(options: RetryOptions = {}): Plugin {
  const rules = retryRules(options)
  return definePlugin<RetryMemory, CrawlMemory>({
    name: 'retry',
    policy: 'retry',
    options: reportedOptions(options),
    hostMemory: () => ({}),
    crawlMemory: () => ({ budget: FULL_CRAWL }),
    merge: (a, b) => ({ budget: mergedBudgets(a.budget, b.budget) }),
    onResponse(answer, host, crawl) {
      const { exchange, response, now, forbidden } = answer
      const { status, headers } = response
      crawl.budget = earned(crawl.budget, now)
      const retryClass = classOfAnswer(answer)
      // A host that forbids a page is not down.
      if (retryClass === undefined || forbidden) noteWell(host)
      if (retryClass === undefined || exchange.required) return
      const askedAt = retryAfterAt(headers, now)
      // A server that says 429, or when to come back, did not act on it. A gateway says when to come back, too, and does not know what became of it.
      const processed = status !== 429 && (askedAt === undefined || (status >= 500 && status !== 503))
      vote({ retryClass, reason: `http-${status}`, processed, askedAt, now }, answer, { host, crawl })
    },
    onError(failed, host, crawl) {
      const { exchange, failure, now } = failed
      const { code, sent, blame } = failure
      crawl.budget = earned(crawl.budget, now)
      const retryClass = code === 'AVO_DNS_NOT_FOUND' && exchange.host.proven ? RESOLVED_BEFORE : classOfFailure(code)
      const trouble = { reason: reasonOf(code), processed: sent, askedAt: undefined, now }
      if (retryClass !== undefined && !exchange.required) vote({ retryClass, ...trouble }, failed, { host, crawl })
      // What cannot be read was sent by somebody: no page of it was failing for an outage.
      if (blame === 'url' && sent) noteUp(host)
    },
    explain: (asked, host, crawl) => ({
      tokens: hostBudget(host).tokens,
      retries: host.retries ?? 0,
      ...(asked.host.blocking.inRow > 0 && { blockedInRow: asked.host.blocking.inRow }),
      crawlTokens: crawl.budget.tokens,
    }),
  })

  function vote(trouble: Trouble, on: Answered | Failed, memory: { host: RetryMemory; crawl: CrawlMemory }): void {
    const { exchange } = on
    const { request, host } = exchange
    const { method, attempts, freeAttempts } = request
    const outage = {
      hostFailures: host.consecutiveFailures,
      proven: host.proven,
      ...noteFailing(memory.host, trouble.retryClass, { id: request.id, now: trouble.now }),
      countedAt: memory.host.countedAt ?? 0,
    }
    const decision = decide({ ...trouble, ...outage, method, attempts, freeAttempts, chance: exchange.random('retry') }, rules)
    if (decision === undefined) return
    if (decision.kind === 'drop') return on.drop(decision.reason)
    const { at, reason, counted } = decision
    noteRetry(memory.host, { ...trouble, counted })
    on.retry(decision.budgeted ? Math.max(at, charge(memory, exchange, trouble.now)) : at, reason, { counted })
  }
}

/** Takes a token of the host and one of the crawl; epoch ms before which the retry cannot be afforded. */
function charge(memory: { readonly host: RetryMemory; readonly crawl: CrawlMemory }, exchange: Exchange, now: number): number {
  const chance = exchange.random('retry-budget')
  const { host, crawl, notBefore } = spent(hostBudget(memory.host), memory.crawl.budget, { now, chance })
  memory.host.budget = host
  memory.crawl.budget = crawl
  return notBefore
}

/** Everything may be left out. */
export interface RetryOptions {
  /**
   * Maximum attempts at a page, not counting the first retries after refusals and outages. Default 4; some kinds of trouble get
   * fewer.
   */
  readonly maxAttempts?: number
  /** PUT and DELETE may be sent twice. Default false. */
  readonly idempotent?: boolean
  /** Every method may be sent twice. Default false: a POST is repeated only if nothing of it was sent, or if it was refused. */
  readonly retryUnsafe?: boolean
}

const RULES: OptionRules<RetryOptions> = {
  maxAttempts: option.wholeNumber(1, 100),
  idempotent: option.flag,
  retryUnsafe: option.flag,
}

/** Fills in the defaults. Throws AVO_CONFIG_INVALID. */
export function retryRules(options: RetryOptions): RetryLimits {
  checkOptions('retry', options, RULES)
  const { maxAttempts = 4, idempotent = false, retryUnsafe = false } = options
  return { maxAttempts, idempotent, retryUnsafe }
}

// What is remembered of one host: while all is well, nothing. Each function notes one event, in place. What is over is set
// to undefined, which JSON leaves out: V8 turns an object from which a property was deleted into a slow one, and these live for weeks.

/** Memory of one host. */
export interface RetryMemory {
  /** Absent = full. */
  budget?: HostBudget | undefined
  /** Retries that this plugin voted for. */
  retries?: number
  /** Ids of different requests that failed since the last answer that was none, the first three of them. */
  failing?: number[] | undefined
  /** Epoch ms of the first of those failures. */
  failingSince?: number | undefined
  /** Epoch ms of the last failure that counted. */
  countedAt?: number
}

/** What is left of it. */
function hostBudget({ budget = FULL_HOST }: RetryMemory): HostBudget {
  return budget
}

/** Notes that the host answered, be it with a page that cannot be read: it is not down. */
function noteUp(host: RetryMemory): void {
  if (host.failing !== undefined) host.failing = host.failingSince = undefined
}

/** Notes an answer that is no failure of the host. */
export function noteWell(host: RetryMemory): void {
  noteUp(host)
  if (host.budget === undefined) return
  host.budget = credited(host.budget)
  if (host.budget.tokens >= FULL_HOST.tokens) host.budget = undefined
}

/** Notes which request failed at `now` (epoch ms); how many different ones did, as far as it matters, and for how long. */
export function noteFailing(
  host: RetryMemory,
  retryClass: RetryClass,
  { id, now }: { readonly id: number; readonly now: number },
): { readonly failingPages: number; readonly downMs: number } {
  if (isFailure(retryClass)) {
    const { failing = [] } = host
    host.failingSince ??= Math.round(now)
    if (failing.length < OUTAGE_PAGES && !failing.includes(id)) host.failing = [...failing, id]
  }
  const { failing = [], failingSince = now } = host
  return { failingPages: failing.length, downMs: Math.max(0, now - failingSince) }
}

/** Notes a vote for a retry at `now` (epoch ms). */
export function noteRetry(
  host: RetryMemory,
  { retryClass, counted, now }: { readonly retryClass: RetryClass; readonly counted: boolean; readonly now: number },
): void {
  host.retries = (host.retries ?? 0) + 1
  if (counted && isFailure(retryClass)) host.countedAt = Math.round(now)
}

/** A refusal and a ban say that the host is not down. */
function isFailure({ name }: RetryClass): boolean {
  return name !== 'throttle' && name !== 'blocked'
}
