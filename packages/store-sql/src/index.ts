// What stores on SQL tables share: the words in their columns, their reader, and the file of pages in progress.
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
export { dropInProgress, InProgressFile, inProgressOf } from './in-progress-file.ts'
export { leasedRequestOf, type LeasedRequestRow } from './leased-request-of.ts'
export { isAlive, thisProcess, type ProcessIdentity } from './process-identity.ts'
export { countsOf, sinkRecordOf, sqlReader } from './sql-reader.ts'
export { memoriesAtOpen, memoriesByProcess, type CrawlPartRow, type SqlDialect } from './sql-reads.ts'
export { gainsOf, NEVER, partsOfUrl, pathFor, STATES } from './states.ts'
