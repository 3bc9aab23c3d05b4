// How many retries a host, and the whole crawl, can afford: beyond it they come later, never not at all. Pure.
//
// Host: gRPC's token bucket (gRFC A6, client retries): 10 tokens, a success gives 0.1, a retry takes 1, and retries need more than half. A host that fails
// often gets its fresh pages first and its retries a few minutes later. Crawl: one retry a second plus a fifth of what is sent (Finagle's budget), kept as a
// debt: a retry that comes when nothing is left gets a time by which it will be paid. A crawl is not in a hurry; a thundering herd is. Both stand still while
// all is well, so that a healthy crawl writes nothing.

/** Tokens of one host. */
export interface HostBudget {
  readonly tokens: number
}

/** Tokens of the crawl as of `at` (epoch ms); below 0 = promised to retries that wait. */
export interface CrawlBudget {
  readonly tokens: number
  readonly at: number
}

const HOST_TOKENS = 10
const HOST_RESERVE = 5
const PER_SUCCESS = 0.1
const CRAWL_TOKENS = 60
const PER_SECOND = 1
const PER_REQUEST = 0.2
/** No debt is longer than an hour. */
const DEEPEST = -3_600
const LATER_MS = { least: 60_000, spread: 240_000 } as const

/** Of a host that was never met. */
export const FULL_HOST: HostBudget = { tokens: HOST_TOKENS }

/** Of a crawl that was never run. */
export const FULL_CRAWL: CrawlBudget = { tokens: CRAWL_TOKENS, at: 0 }

/** A request of this host succeeded. */
export function credited(budget: HostBudget): HostBudget {
  return budget.tokens >= HOST_TOKENS ? budget : { tokens: Math.min(HOST_TOKENS, tenths(budget.tokens + PER_SUCCESS)) }
}

/** A request was sent, to whomever. */
export function earned(budget: CrawlBudget, now: number): CrawlBudget {
  if (budget.tokens >= CRAWL_TOKENS) return budget
  return { tokens: Math.min(CRAWL_TOKENS, tenths(refilled(budget, now) + PER_REQUEST)), at: Math.max(now, budget.at) }
}

/** What is left after one retry, and the earliest moment for it (epoch ms). `chance` in [0, 1) spreads those that must wait. */
export function spent(
  host: HostBudget,
  crawl: CrawlBudget,
  { now, chance }: { readonly now: number; readonly chance: number },
): { readonly host: HostBudget; readonly crawl: CrawlBudget; readonly notBefore: number } {
  const afforded = host.tokens > HOST_RESERVE
  const tokens = Math.max(DEEPEST, tenths(refilled(crawl, now) - 1))
  const debtMs = tokens < 0 ? (-tokens / PER_SECOND) * 1_000 : 0
  const laterMs = afforded ? 0 : LATER_MS.least + LATER_MS.spread * chance
  return {
    host: afforded ? { tokens: tenths(host.tokens - 1) } : host,
    crawl: { tokens, at: Math.max(now, crawl.at) },
    notBefore: Math.round(now + Math.max(debtMs, laterMs)),
  }
}

/** Joins the budgets that processes left: the latest word, of equally late ones the poorest. Idempotent. */
export function mergedBudgets(a: CrawlBudget, b: CrawlBudget): CrawlBudget {
  if (a.at !== b.at) return a.at > b.at ? a : b
  return a.tokens <= b.tokens ? a : b
}

function refilled({ tokens, at }: CrawlBudget, now: number): number {
  return Math.min(CRAWL_TOKENS, tokens + (Math.max(0, now - at) / 1_000) * PER_SECOND)
}

/** Full precision is noise, and characters. */
function tenths(tokens: number): number {
  return Math.round(tokens * 10) / 10
}
