// The door for authors of stores, fetchers and readers of pages: the ports, the clock, and how requests are told apart.
export { nextTurn, sleepUntil, systemClock, type Clock } from '../clock.ts'
export { DEFAULTS } from '../config.ts'
export { DROPPED_PREFIX, DROPPED_WITH_HOST, droppedReason } from '../dead-letter.ts'
export { messageOf, type Blame, type FatalCode } from '../errors.ts'
export { failure, type Phase } from '../failure.ts'
export type { Ports } from '../ports.ts'
export type { BodyWish, Dialled, Fetcher, FetchReceiver, Outbound, SizeLimits, TimeLimits } from '../fetcher.ts'
export type {
  Counts,
  CrawlingProcess,
  DocumentRecord,
  FrontierInfo,
  FrontierReader,
  HostRecord,
  ItemRecord,
  MemoryPage,
  MemoryParts,
  RequestQuery,
  RequestRecord,
  StoredOrder,
  VisitPage,
  VisitQuery,
  VisitRecord,
} from '../frontier-reader.ts'
export type { CrawlInfo, CrawlSpec } from '../crawl-info.ts'
export type {
  Again,
  CommitResult,
  CommitUnit,
  Frontier,
  HostLease,
  LeaseResult,
  LeaseToken,
  LeaseWant,
  NewItem,
  Outcome,
  GivenBack,
} from '../frontier.ts'
export {
  ERROR_SEEN_EVERY_MS,
  groupOf,
  MAX_ERROR_GROUPS,
  OTHER_ERRORS,
  STALE_ERROR_GROUPS,
  type HandlerError,
  type HandlerErrorGroup,
} from '../handler-error.ts'
export { gzipDataAt } from '../gzip-data.ts'
export { rendersOf, sessionOf } from '../identity.ts'
export { pageAtOf, requestProblem, unitProblem } from '../commit-unit.ts'
export { IndexedHeap, type HeapEntry } from '../indexed-heap.ts'
export type { PageSource } from '../page.ts'
export type { TableChange, TableKey, TableRow } from '../plugin-table.ts'
export { isAlive, isRunning, thisProcess, type ProcessIdentity } from '../process/process-identity.ts'
export {
  keptReason,
  MAX_REJECT_GROUPS,
  OTHER_REASONS,
  rejectGroupOf,
  SCHEMA_SOURCE,
  type NewReject,
  type RejectDecision,
  type RejectGroup,
  type RejectQuery,
  type RejectRecord,
  type RejectStore,
  type RetryQuery,
  type SinkReject,
} from '../reject.ts'
export type { DropQuery, HastenQuery, ReopenQuery } from '../reopen-query.ts'
export type { Earlier, Fingerprint, Leased, NewRequest } from '../request.ts'
export type { SinkRecord, SinkStanding, SinkStore } from '../sink-record.ts'
export type { Timings } from '../response.ts'
export { SECRET_REFERENCE } from '../secrets/reference.ts'
export { CONNECTION_SECRETS, isSecretName } from '../secrets/secret-name.ts'
export { shown } from '../shown.ts'
export { storedJson } from '../stored-json.ts'
export { setBackMs } from '../setback.ts'
export { CANONICALISATION, canonicalUrl } from '../url/canonicalize.ts'
export { fingerprintOf } from '../url/fingerprint.ts'
export { hostKeyOf } from '../url/host-key.ts'
export { isUntilResumed } from '../until-resumed.ts'
