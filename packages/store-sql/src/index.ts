// What stores on SQL tables share: the words in their columns, and the records of readers from their rows.
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
export { HOST_RECORD_COLUMNS, hostRecordOf, type HostRecordRow } from './host-record-of.ts'
export { documentRecordOf, itemRecordOf, type DocumentRecordRow, type ItemRecordRow } from './item-record-of.ts'
export { lastingReader } from './lasting-reader.ts'
export {
  rejectGroupsOf,
  rejectRecordOf,
  type RejectCount,
  type RejectGroupRow,
  type RejectRecordRow,
} from './reject-record-of.ts'
export { lastPageOf, requestRecordOf, type LastPageRow, type RequestRecordRow } from './request-record-of.ts'
export { NEVER, pathFor, POISON_AFTER_RUNS, settledState, STATES, SUSPECTED_AFTER_RUNS, urlOf } from './states.ts'
