// The door for authors of stores, fetchers and readers of pages: the ports, the laws, the clock, and how requests are told apart.
export { nextTurn, sleepUntil, systemClock, type Clock } from '../ports/clock.ts'
export { DEFAULTS } from '../ports/config.ts'
export { messageOf, type Blame, type FatalCode } from '../values/errors.ts'
export { failure, type Phase } from '../ports/failure.ts'
export type { Ports } from '../ports/ports.ts'
export type { BodyWish, Dialled, Fetcher, FetchReceiver, Outbound, SizeLimits, TimeLimits } from '../ports/fetcher.ts'
export type {
  Counts,
  CrawlingProcess,
  FrontierInfo,
  FrontierReader,
  HostRecord,
  ItemQuery,
  ItemRecord,
  RequestItemsQuery,
  MemoryParts,
  RequestQuery,
  RequestRecord,
  StoredOrder,
} from '../ports/frontier-reader.ts'
export type { CrawlInfo, CrawlSpec } from '../ports/crawl-info.ts'
export type {
  CommitResult,
  CommitUnit,
  Frontier,
  HostLease,
  LeaseResult,
  LeaseWant,
  NewItem,
  Outcome,
  GivenBack,
} from '../ports/frontier.ts'
export {
  ERROR_SEEN_EVERY_MS,
  groupOf,
  MAX_ERROR_GROUPS,
  OTHER_ERRORS,
  STALE_ERROR_GROUPS,
  type HandlerError,
  type HandlerErrorGroup,
} from '../ports/handler-error.ts'
export { rendersOf, sessionOf } from '../ports/identity.ts'
export { requestProblem, unitProblem } from '../laws/commit-unit.ts'
export { hostLaws } from '../laws/host-laws.ts'
export { requestLaws, type Gain, type RequestState } from '../laws/request-laws.ts'
export { IndexedHeap, type HeapEntry } from '../values/indexed-heap.ts'
export type { PageSource } from '../ports/page.ts'
export { isRunning } from '../process/is-running.ts'
export {
  HELD_SOURCE,
  keptReason,
  MAX_REJECT_GROUPS,
  OTHER_REASONS,
  rejectGroupOf,
  SCHEMA_SOURCE,
  type NewReject,
  type RejectGroup,
  type RejectQuery,
  type RejectRecord,
  type RejectStore,
  type SinkReject,
} from '../ports/reject.ts'
export { watchLaws, type ShownItem, type WatchedItem } from '../laws/watch-laws.ts'
export type { ChangeQuery, ChangeRecord, HeldFate, WatchedValue } from '../ports/watch.ts'
export type { ChangeOf, LeaseToken, StoreChange } from '../ports/change.ts'
export type { Fingerprint, Leased, NewRequest } from '../ports/request.ts'
export type { SinkRecord, SinkStanding, SinkStore } from '../ports/sink-record.ts'
export type { Timings } from '../ports/response.ts'
export { HIDDEN_VALUE } from '../values/hidden.ts'
export { withoutUserinfo } from '../values/userinfo.ts'
export { shown } from '../values/shown.ts'
export { storedJson } from '../ports/stored-json.ts'
export { setBackMs } from '../values/setback.ts'
export { CANONICALISATION, canonicalUrl } from '../url/canonicalize.ts'
export { fingerprintOf } from '../url/fingerprint.ts'
export { hostKeyOf } from '../url/host-key.ts'
export { isUntilResumed, MAX_PROBATION } from '../ports/frontier-reader.ts'
