// Which store is meant, what kind it is, and how it is opened.
export {
  codeOfReason,
  DEAD_LETTERS,
  type DeadLetterClass,
  deadLetterClass,
  deadLetterClassOf,
} from '../store/dead-letter-class.ts'
export { besideCrawl, type HostKeying, openedAsItIs, readStore, type StoreBeside, withReader } from '../store/open-store.ts'
export { outputName, outputPath } from '../store/output-name.ts'
export { serverDumpWords } from '../store/postgres-kind.ts'
export { COMPANIONS } from '../store/sqlite-kind.ts'
export { keptIn, type KeptResponse, type KeptResponses, type StoreFault, storeFiles } from '../store/store-files.ts'
export type { CopiedReader, CopiedRow, CopiedRows, Restoring, StoreKind, StoreSpec } from '../store/store-kind.ts'
export { storeExists, storeKind } from '../store/store-kinds.ts'
export {
  CACHE_ENDING,
  cachePathOf,
  crawlNameOf,
  existingStore,
  failedPathOf,
  IN_MEMORY,
  isCrawl,
  localPlace,
  mayNameCrawl,
  nameFrom,
  noStore,
  shownName,
  storeCalled,
  storeFolder,
  storePathOf,
  storeWord,
} from '../store/store-path.ts'
export { isFar, shownStore, withCrawl } from '../text/store-address.ts'
