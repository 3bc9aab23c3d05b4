// What stores on SQL tables share: the words in their columns, the records of readers from their rows, and the file of pages in progress.
export {
  COPIED_AT_ONCE,
  COPIED_HOST_COUNTS,
  COPIED_REASON_COUNTS,
  COPIED_TABLES,
  COPIED_WHOLE,
  copiedColumns,
  copiedRows,
  type CopiedReader,
  type CopiedRow,
  type CopiedRows,
  type CopiedTable,
  type Restoring,
  type RowSource,
} from './copied-rows.ts'
export {
  handlerErrorOf,
  HOST_RECORD_COLUMNS,
  hostRecordOf,
  presentCounts,
  sinkRecordOf,
  sinkStandingOf,
  type HandlerErrorRow,
  type HostRecordRow,
} from './crawl-records-of.ts'
export { dropInProgress, InProgressFile, inProgressOf } from './in-progress-file.ts'
export { lastingReader } from './lasting-reader.ts'
export { leasedRequestOf, type LeasedRequestRow } from './leased-request-of.ts'
export {
  documentRecordOf,
  itemRecordOf,
  REJECT_GROUPS,
  rejectGroupsOf,
  rejectRecordOf,
  REJECTS_BY_SOURCE,
  type RejectCount,
  type RejectGroupRow,
  type RejectRecordRow,
  type DocumentRecordRow,
  type ItemRecordRow,
} from './yield-records-of.ts'
export {
  lastPageOf,
  REQUEST_RECORD_COLUMNS,
  requestRecordOf,
  type LastPageRow,
  type RequestRecordRow,
} from './request-record-of.ts'
export { NEVER, partsOfUrl, pathFor, POISON_AFTER_RUNS, settledState, STATES, SUSPECTED_AFTER_RUNS, urlOf } from './states.ts'
