// The one door of @avocet/core: everything that plugins, stores, command lines and spiders may use.
export { ACCEPT, louder, type Verdict } from './verdict.ts'
export type { Blocking } from './blocking.ts'
export { BLOCKED_STATUSES, isRefusal } from './statuses.ts'
export { storedJson } from './stored-json.ts'
export { AvocetError, FAILURES, FATALS, messageOf, type Blame, type FailureCode, type FatalCode } from './errors.ts'
export { formatBytes } from './bytes-text.ts'
export { ByteBudget, type Waiter } from './byte-budget.ts'
export {
  defineCrawl,
  DEFAULT_BODY_BUDGET_BYTES,
  DEFAULT_SIZE_LIMITS,
  DEFAULT_TIME_LIMITS,
  type CrawlConfig,
  type RunnableConfig,
  type RecrawlRule,
} from './config.ts'
export { configProblem } from './config-rules.ts'
export { compileHostOptions, hostsOptionsOf, type HostOptions, type HostsOptions } from './host-options.ts'
export { closest, didYouMean } from './closest.ts'
export {
  anyObject,
  anyText,
  atLeast,
  between,
  callback,
  checkOptions,
  either,
  flag,
  listOf,
  needed,
  oneOf,
  orFalse,
  orInfinity,
  positive,
  recordOf,
  satisfying,
  tableOf,
  nonEmptyText,
  wholeNumber,
  wrongOption,
  type OptionRule,
  type OptionRules,
} from './options.ts'
export { deadLetterClass, deadLetterClassOf, DEAD_LETTERS, type DeadLetterClass } from './dead-letter.ts'
export { definePlugin } from './plugin.ts'
export type * from './plugin.ts'
export { activePlugins, type Treatment } from './hooks/active-plugins.ts'
export { fixedDelay, type FixedDelayOptions } from './hooks/fixed-delay.ts'
export { failure, reasonOf, type Failure, type Phase } from './failure.ts'
export { headerOf, isRedirect, type Response, type ResponseHead, type ResponseHeaders, type Timings } from './response.ts'
export { undiciFetcher, type UndiciFetcherOptions } from './http/undici-fetcher.ts'
export type { Resolution, Resolve } from './http/lookup.ts'
export { nameResolver, type NameResolver, type NameResolverOptions } from './http/names/name-resolver.ts'
export { link, Link, type LinkOptions } from './link.ts'
export { sleepUntil, systemClock, type Clock, type ClockSources, type SystemClockOptions } from './clock.ts'
export { spider } from './spider.ts'
export type * from './spider.ts'
export type * from './handler.ts'
export type * from './seed.ts'
export type { Anchor, FollowOptions, Page } from './page.ts'
export type { Answered, Exchange, Failed, HostView, Voted } from './exchange.ts'
export type * from './fetcher.ts'
export type * from './frontier-reader.ts'
export { hostsOf } from './hosts-of.ts'
export { itemsOf } from './items-of.ts'
export type * from './frontier.ts'
export type { LinkBudget } from './link-budget.ts'
export type { Cut, Earlier, Fingerprint, Leased, Missing, NewRequest, Request, Validators } from './request.ts'
export type { Json, JsonShape } from './json.ts'
export { unlikeJson } from './unlike-json.ts'
export type * from './report.ts'
export type { TracedExchange, TracedVerdict, TraceEvent } from './trace.ts'
export { rewound, SETBACK_TOLERANCE_MS, setBackMs, setBackNote, SET_BACK_PART } from './setback.ts'
export { httpDate, retryAfterAt, serverNow } from './http/retry-after.ts'
export type { CrawlHooks, HookName } from './hooks/hooks.ts'
export { crawl, type Crawl } from './crawl/crawl.ts'
export { probationOf } from './recrawl/probation.ts'
export { waitingLinksOf } from './waiting-links/cut-search.ts'
export { wasGone } from './recrawl/probation.ts'
export { explainHost, type Explanation, type HostAtRest } from './hooks/explain-host.ts'
export { memoryFrontier } from './memory-frontier/memory-frontier.ts'
export { shellWord } from './shell-word.ts'
export { UNPRINTABLE, writtenOut } from './unprintable.ts'
export { withoutUserinfo } from './userinfo.ts'
export { secretNamesAtRest } from './secrets/names-at-rest.ts'
export { SECRET_REFERENCE } from './secrets/reference.ts'
export { parameterNameOf, withQueryValues } from './url/query-values.ts'
export { requestProblem, unitProblem } from './memory-frontier/unit-problem.ts'
export { pageOf, type PageSource } from './html/html-page.ts'
export { scanHtml, type FoundAnchor, type HtmlScan } from './html/scanner.ts'
export { CANONICAL_RULES, CANONICALISATION, canonicalUrl, type CanonicalRules } from './url/canonicalize.ts'
export { MAX_URL_BYTES, parseUrl } from './url/parse-url.ts'
export { urlPatterns } from './traps/url-patterns.ts'
export { closedAtRest, GAINS_PART } from './traps/host-gains.ts'
export { mostRefused } from './traps/pattern-record.ts'
export { acceptedPatterns, acceptPatterns, forgetPatterns } from './traps/accepted-patterns.ts'
export { assertTypedPatterns, typedPattern } from './traps/typed-pattern.ts'
export { DEFAULT_DISCOVERY_LIMITS, type DiscoveryLimits } from './discovery-limits.ts'
export { fingerprintOf, type Identity } from './url/fingerprint.ts'
export { hostKeyOf } from './url/host-key.ts'
export { originOf } from './url/origin.ts'
export { compileScope, type CompiledScope } from './url/scope.ts'
export { keepHeapSmall } from './process/heap.ts'
