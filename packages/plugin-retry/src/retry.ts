// The plugin: binds the law of retries and its budgets to the hooks. A retry is a line in the frontier with a moment, never a sleep.
import { definePlugin, type Plugin } from '@avocet/core'
import { reasonOf, reportedOptions, retryAfterAt, type Answered, type Exchange, type Failed } from '@avocet/core/plugin'
import { earned, FULL_CRAWL, mergedBudgets, spent, type CrawlBudget } from './budget.ts'
import { classOfAnswer, classOfFailure, RESOLVED_BEFORE, type RetryClass } from './classify.ts'
import { decide, type FailedAttempt } from './decide.ts'
import { hostBudget, noteFailing, noteRetry, noteUp, noteWell, type RetryMemory } from './host-memory.ts'
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
    policy: 'retry',
    options: reportedOptions(options),
    hostMemory: () => ({}),
    crawlMemory: () => ({ budget: FULL_CRAWL }),
    merge: (a, b) => ({ budget: mergedBudgets(a.budget, b.budget) }),
    moments: ['countedAt', 'failingSince', 'at'],
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
    onHandled(page) {
      const { request, failure, now } = page
      if (failure === undefined || request.attempts + 1 >= rules.maxHandlerAttempts) return
      page.retry(now + Math.min(HANDLER_CAP_MS, HANDLER_BASE_MS * 2 ** request.attempts), reasonOf(failure.code))
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
