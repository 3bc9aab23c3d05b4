// What stores on SQL tables share: the words in their columns, their reader, and the file of pages in progress.
export { dropInProgress, InProgressFile, inProgressOf } from './in-progress-file.ts'
export { leasedRequestOf, type LeasedRequestRow } from './leased-request-of.ts'
export { isAlive, thisProcess, type ProcessIdentity } from './process-identity.ts'
export { countsOf, sinkRecordOf, sqlReader } from './sql-reader.ts'
export { memoriesAtOpen, memoriesByProcess, type CrawlPartRow, type SqlDialect } from './sql-reads.ts'
export { gainsOf, NEVER, partsOfUrl, pathFor, STATES } from './states.ts'
