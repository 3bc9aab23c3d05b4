// The plugin: binds the law of retries and its budgets to the hooks. A retry is a line in the frontier with a moment, never a sleep.
import { definePlugin, retryAfterAt, rewound, type Ballot, type Exchange, type FailureCode, type Plugin } from '@avocet/core'
import { earned, FULL_CRAWL, mergedBudgets, spent, type CrawlBudget } from './budget.ts'
import { classOfAnswer, classOfFailure, RESOLVED_BEFORE, type RetryClass } from './classify.ts'
import { decide, type FailedAttempt } from './decide.ts'
import { hostBudget, noteFailing, noteRetry, noteUp, noteWell, rewoundHost, type RetryMemory } from './host-memory.ts'
import { retryRules, type RetryOptions } from './retry-options.ts'

interface CrawlMemory {
  budget: CrawlBudget
}

/** What differs between an answer and a failure. */
interface Trouble extends Pick<FailedAttempt, 'reason' | 'processed' | 'askedAt' | 'now'> {
  readonly retryClass: RetryClass
}

const HANDLER_BASE_MS = 10_000
const HANDLER_CAP_MS = 900_000

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
    hostMemory: () => ({}),
    crawlMemory: () => ({ budget: FULL_CRAWL }),
    merge: (a, b) => ({ budget: mergedBudgets(a.budget, b.budget) }),
    rewindHost: rewoundHost,
    rewindCrawl: ({ budget }, byMs) => ({ budget: { ...budget, at: rewound(budget.at, byMs) } }),
    onResponse(answer, ballot, host, crawl) {
      const { exchange, response, now, forbidden } = answer
      const { status, headers } = response
      crawl.budget = earned(crawl.budget, now)
      const retryClass = classOfAnswer(answer)
      // A host that forbids a page is not down.
      if (retryClass === undefined || forbidden) noteWell(host)
      if (retryClass === undefined || exchange.required) return
      const askedAt = retryAfterAt(headers, now)
      // Whoever says 429, or when to come back, did not act on it. A gateway says when to come back, too, and does not know what became of it.
      const processed = status !== 429 && (askedAt === undefined || (status >= 500 && status !== 503))
      vote({ retryClass, reason: `http-${status}`, processed, askedAt, now }, exchange, { ballot, host, crawl })
    },
    onError({ exchange, failure, now }, ballot, host, crawl) {
      const { code, sent, blame } = failure
      crawl.budget = earned(crawl.budget, now)
      const retryClass = code === 'AVO_DNS_NOT_FOUND' && exchange.host.proven ? RESOLVED_BEFORE : classOfFailure(code)
      const trouble = { reason: reasonOf(code), processed: sent, askedAt: undefined, now }
      if (retryClass !== undefined && !exchange.required) vote({ retryClass, ...trouble }, exchange, { ballot, host, crawl })
      // What cannot be read was sent by somebody: no page of it was failing for an outage.
      if (blame === 'url' && sent) noteUp(host)
    },
    onHandlerError({ request, failure, now }, ballot) {
      if (request.attempts + 1 >= rules.maxHandlerAttempts) return
      ballot.retry(now + Math.min(HANDLER_CAP_MS, HANDLER_BASE_MS * 2 ** request.attempts), reasonOf(failure.code))
    },
    explain: (asked, host, crawl) => ({
      tokens: hostBudget(host).tokens,
      retries: host.retries ?? 0,
      ...(asked.host.blocking.inRow > 0 && { blockedInRow: asked.host.blocking.inRow }),
      crawlTokens: crawl.budget.tokens,
    }),
  })

  function vote(trouble: Trouble, exchange: Exchange, to: { ballot: Ballot; host: RetryMemory; crawl: CrawlMemory }): void {
    const { request, host } = exchange
    const { method, attempts, freeAttempts } = request
    const outage = {
      hostFailures: host.consecutiveFailures,
      proven: host.proven,
      ...noteFailing(to.host, trouble.retryClass, { id: request.id, now: trouble.now }),
      countedAt: to.host.countedAt ?? 0,
    }
    const decision = decide({ ...trouble, ...outage, method, attempts, freeAttempts, chance: exchange.random('retry') }, rules)
    if (decision === undefined) return
    if (decision.kind === 'drop') return to.ballot.drop(decision.reason)
    const { at, reason, counted } = decision
    noteRetry(to.host, { ...trouble, counted })
    to.ballot.retry(decision.budgeted ? Math.max(at, charge(to, exchange, trouble.now)) : at, reason, { counted })
  }
}

/** `AVO_FIRST_BYTE_TIMEOUT` as reports have it: `first-byte-timeout`. */
function reasonOf(code: FailureCode): string {
  return code.slice('AVO_'.length).toLowerCase().replaceAll('_', '-')
}

/** Takes a token of the host and one of the crawl; epoch ms before which the retry cannot be afforded. */
function charge(to: { readonly host: RetryMemory; readonly crawl: CrawlMemory }, exchange: Exchange, now: number): number {
  const chance = exchange.random('retry-budget')
  const { host, crawl, notBefore } = spent(hostBudget(to.host), to.crawl.budget, { now, chance })
  to.host.budget = host
  to.crawl.budget = crawl
  return notBefore
}
