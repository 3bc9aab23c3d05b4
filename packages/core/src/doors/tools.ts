// The door for tools that run crawls, look into stores, and explain what they find.
export { formatBytes } from '../bytes-text.ts'
export { closest, didYouMean } from '../closest.ts'
export { configProblem } from '../config-rules.ts'
export type { AddedSeed, Control, GivenUpChange, OrderedLimits, LimitsChange } from '../controls/control.ts'
export { controlCrawl, listGivenUpChange } from '../controls/control-crawl.ts'
export { controlsIn, NO_CONTROLS, type Controls, type ListedControl } from '../controls/controls.ts'
export { orderedLimits, type HostControl } from '../controls/host-controls.ts'
export { storedReport, type StoredReport } from '../crawl/report-of.ts'
export { DEAD_LETTERS, deadLetterClass, deadLetterClassOf, type DeadLetterClass } from '../dead-letter.ts'
export { DEFAULT_DISCOVERY_LIMITS, type DiscoveryLimits } from '../discovery-limits.ts'
export { FATALS } from '../errors.ts'
export { activePlugins, type Treatment } from '../hooks/active-plugins.ts'
export { withoutOutsideEffects, type LeftOutPlugin } from '../hooks/outside-effects.ts'
export { explainHost, type Explanation } from '../hooks/explain-host.ts'
export { hostsOptionsOf, type HostsOptions } from '../host-options.ts'
export { hostsOf } from '../hosts-of.ts'
export { sessionOf } from '../identity.ts'
export { documentsIn } from '../hosts/documents-done.ts'
export { driedUpOf, hasDriedUp, hostYield, mostItems, type HandlerYield } from '../hosts/handler-yields.ts'
export { refusedLinksOf } from '../hosts/refused-at-rest.ts'
export { RefusedLinks } from '../hosts/refused-links.ts'
export { ratePolicyOf } from '../hosts/memories.ts'
export type { Form, FormValue, SubmitOptions } from '../form.ts'
export { pageOf } from '../html/html-page.ts'
export { isLoopback, listenAddressOf, notListening, type ServerAddress } from '../listen-address.ts'
export type { PageOnProbation, Probation } from '../missing-pages.ts'
export { checkedItem } from '../pages/item-check.ts'
export type { FollowOptions } from '../page.ts'
export { keepHeapSmall } from '../process/heap.ts'
export { userLine } from '../process/user-line.ts'
export { probationOf, wasGone } from '../recrawl/probation.ts'
export type { ClosedPattern } from '../closed-pattern.ts'
export type {
  BesideRun,
  CrawlStatus,
  DriedUp,
  DrainStatus,
  Ending,
  Hold,
  HostStatus,
  PausedBy,
  RefusedByRule,
  SettledBeside,
  SilentHandler,
  WaitingLinks,
} from '../report.ts'
export { secretNamesAtRest } from '../secrets/names-at-rest.ts'
export { shellWord } from '../shell-word.ts'
export { beginsAsReference } from '../secrets/reference.ts'
export { acceptedPatterns, acceptPatterns, forgetPatterns } from '../traps/accepted-patterns.ts'
export { closedAtRest, GAINS_PART } from '../traps/host-gains.ts'
export { mostRefused } from '../traps/pattern-record.ts'
export { assertTypedPatterns, typedPattern } from '../traps/typed-pattern.ts'
export { urlPatterns } from '../traps/url-patterns.ts'
export type { ArgumentRules } from '../spider-arguments.ts'
export { unknownSeedKey } from '../seed.ts'
export { isSpiderName, spiderProblem } from '../spider-problem.ts'
export { Delivery } from '../sinks/delivery.ts'
export type { DeliveryEnd, DeliveryParts } from '../sinks/delivery-parts.ts'
export type { RetriedItem, SinkRejects } from '../sinks/sink-rejects.ts'
export type { SinkStatus } from '../sink-status.ts'
export { unlikeJson } from '../unlike-json.ts'
export { UNPRINTABLE, writtenOut } from '../unprintable.ts'
export { parameterNameOf, withQueryValues } from '../url/query-values.ts'
export { DroppedParameters, droppedNames } from '../url/dropped-parameters.ts'
export { failedLoginsOf, type FailedLogin } from '../hosts/failed-logins.ts'
export { lastScope, type LastScope } from '../url/scope-at-rest.ts'
export { compileScope } from '../url/scope.ts'
export { isUntilResumed, OPERATOR } from '../until-resumed.ts'
export { withoutUserinfo } from '../userinfo.ts'
export { MAX_WAITING_PAGES, waitingLinksOf } from '../waiting-links/cut-search.ts'
