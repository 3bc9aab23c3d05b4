// The plugin: binds the law of retries and its budgets to the hooks. A retry is a line in the frontier with a moment, never a sleep.
import { definePlugin, headerOf, retryAfterAt, type Ballot, type Exchange, type FailureCode, type Plugin } from '@avocet/core'
import { credited, earned, FULL_CRAWL, FULL_HOST, mergedBudgets, spent, type CrawlBudget, type HostBudget } from './budget.ts'
import { classOfFailure, classOfStatus } from './classify.ts'
import { decide, OUTAGE_PAGES, type Attempt } from './decide.ts'
import { retryRules, type RetryOptions } from './retry-options.ts'

interface HostMemory {
  budget: HostBudget
  /** Retries that were asked for. */
  retries: number
  /** Ids of different requests that failed since the last success, the first three of them; and epoch ms of the last failure that counted. */
  failing: number[]
  countedAt: number
}

interface CrawlMemory {
  budget: CrawlBudget
}

/** What differs between an answer and a failure. */
type Trouble = Pick<Attempt, 'retryClass' | 'reason' | 'processed' | 'askedAt' | 'now'>

const HANDLER_BASE_MS = 10_000

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
  return definePlugin<HostMemory, CrawlMemory>({
    name: 'retry',
    hostMemory: () => ({ budget: FULL_HOST, retries: 0, failing: [], countedAt: 0 }),
    crawlMemory: () => ({ budget: FULL_CRAWL }),
    merge: (a, b) => ({ budget: mergedBudgets(a.budget, b.budget) }),
    onResponse({ exchange, response, now, wanted }, ballot, host, crawl) {
      const { status, headers } = response
      const retryClass = wanted ? undefined : classOfStatus(status)
      crawl.budget = earned(crawl.budget, now)
      if (retryClass === undefined) well(host)
      const askedAt = retryAfterAt(headerOf(headers, 'retry-after'), now)
      // Whoever says 429, or when to come back, did not act on it.
      const processed = status !== 429 && askedAt === undefined
      vote({ retryClass, reason: `http-${status}`, processed, askedAt, now }, exchange, { ballot, host, crawl })
    },
    onError({ exchange, failure, now }, ballot, host, crawl) {
      const { code, sent } = failure
      crawl.budget = earned(crawl.budget, now)
      vote({ retryClass: classOfFailure(code), reason: reasonOf(code), processed: sent, askedAt: undefined, now }, exchange, {
        ballot,
        host,
        crawl,
      })
    },
    onHandlerError({ request, failure, now }, ballot) {
      if (request.attempts + 1 >= rules.maxHandlerAttempts) return
      ballot.retry(now + HANDLER_BASE_MS * 2 ** request.attempts, reasonOf(failure.code))
    },
    explain: (_asked, host, crawl) => ({ tokens: host.budget.tokens, retries: host.retries, crawlTokens: crawl.budget.tokens }),
  })

  function vote(trouble: Trouble, exchange: Exchange, to: { ballot: Ballot; host: HostMemory; crawl: CrawlMemory }): void {
    if (exchange.required) return
    const { request, host } = exchange
    const { method, attempts, freeAttempts } = request
    const { failing, countedAt } = suspect(to.host, trouble, request.id)
    const outage = { hostFailures: host.consecutiveFailures, failingPages: failing.length, countedAt }
    const decision = decide({ ...trouble, ...outage, method, attempts, freeAttempts, chance: exchange.random('retry') }, rules)
    if (decision === undefined) return
    if (decision.kind === 'drop') return to.ballot.drop(decision.reason)
    const { at, reason, counted } = decision
    to.host.retries++
    if (counted) to.host.countedAt = Math.round(trouble.now)
    to.ballot.retry(decision.budgeted ? Math.max(at, charge(to, exchange, trouble.now)) : at, reason, { counted })
  }
}

/** The host answered, and not with what is to be tried again. */
function well(host: HostMemory): void {
  host.budget = credited(host.budget)
  if (host.failing.length > 0) host.failing = []
}

/** Notes which request failed; a refusal is no failure. */
function suspect(host: HostMemory, { retryClass }: Trouble, id: number): HostMemory {
  const { failing } = host
  if (retryClass === undefined || retryClass.name === 'throttle') return host
  if (failing.length < OUTAGE_PAGES && !failing.includes(id)) host.failing = [...failing, id]
  return host
}

/** `AVO_FIRST_BYTE_TIMEOUT` as reports have it: `first-byte-timeout`. */
function reasonOf(code: FailureCode): string {
  return code.slice('AVO_'.length).toLowerCase().replaceAll('_', '-')
}

/** Takes a token of the host and one of the crawl; epoch ms before which the retry cannot be afforded. */
function charge(to: { readonly host: HostMemory; readonly crawl: CrawlMemory }, exchange: Exchange, now: number): number {
  const { host, crawl, notBefore } = spent(to.host.budget, to.crawl.budget, { now, chance: exchange.random('retry-budget') })
  to.host.budget = host
  to.crawl.budget = crawl
  return notBefore
}
