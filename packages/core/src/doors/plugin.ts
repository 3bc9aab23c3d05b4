// The door for authors of policies: the subjects of hooks, what HTTP says of refusals, and the check of options.
export type { BodySaver } from '../body-saver.ts'
export { didYouMean } from '../closest.ts'
export { formatDuration } from '../duration-text.ts'
export { FAILURES, type FailureCode } from '../errors.ts'
export type { Answered, Exchange, Failed, HostView } from '../exchange.ts'
export { reasonOf, type Failure } from '../failure.ts'
export { HOST_NAME, patternsOf } from '../host-options.ts'
export { httpDate, retryAfterAt, serverNow } from '../retry-after.ts'
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
} from '../options.ts'
export type { Admission, Discovery, HandlerFailed, OutgoingRequest, Retired, Settled } from '../plugin.ts'
export { type Problem } from '../problem.ts'
export { proxyServerOf, type ProxyServer } from '../proxy-server.ts'
export type { RequiredDocument } from '../required-document.ts'
export { headerOf, isRedirect, type ResponseHead, type ResponseHeaders } from '../response.ts'
export type { SavedBody } from '../response.ts'
export type { Session } from '../session.ts'
export { isRefusal } from '../statuses.ts'
export type { TracedExchange, TraceEvent } from '../trace.ts'
export { siteOf } from '../url/host-key.ts'
export { originOf } from '../url/host-key.ts'
export { overlongUrl, parseUrl } from '../url/parse-url.ts'
