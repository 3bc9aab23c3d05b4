// The door for authors of policies: the subjects of hooks, what HTTP says of refusals, and the check of options.
export type { BodySaver } from '../ports/fetcher.ts'
export { didYouMean } from '../values/closest.ts'
export { formatDuration } from '../values/duration-text.ts'
export { FAILURES, type FailureCode } from '../values/errors.ts'
export type { Answered, Exchange, Failed, HostView } from '../ports/exchange.ts'
export { reasonOf, type Failure } from '../ports/failure.ts'
export { HOST_NAME, patternsOf } from '../ports/host-options.ts'
export { httpDate, retryAfterAt, serverNow } from '../laws/retry-after.ts'
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
  nonEmptyText,
  oneOf,
  orFalse,
  orInfinity,
  positive,
  recordOf,
  reportedOptions,
  satisfying,
  tableOf,
  wholeNumber,
  wrongOption,
  type OptionRule,
  type OptionRules,
} from '../values/options.ts'
export type { Admission, Discovery, OutgoingRequest, Settled } from '../ports/plugin.ts'
export { type Problem } from '../ports/session.ts'
export { proxyServerOf, type ProxyServer } from '../values/proxy-server.ts'
export type { RequiredDocument } from '../ports/required-document.ts'
export { headerOf, isRedirect, type ResponseHead, type ResponseHeaders } from '../ports/response.ts'
export type { SavedBody } from '../ports/response.ts'
export type { Session } from '../ports/session.ts'
export { isRefusal } from '../laws/statuses.ts'
export type { TracedExchange, TraceEvent } from '../ports/trace.ts'
export { siteOf } from '../url/host-key.ts'
export { originOf } from '../url/host-key.ts'
export { overlongUrl, parseUrl } from '../url/parse-url.ts'
