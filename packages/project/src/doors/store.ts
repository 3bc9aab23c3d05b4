// Which store is meant, what kind it is, and how it is opened.
export { codeOfReason, DEAD_LETTERS, deadLetterClass, deadLetterClassOf } from '../store/dead-letter-class.ts'
export type { DeadLetterClass } from '../store/dead-letter-class.ts'
export { besideCrawl, openedAsItIs, readStore, withReader, type HostKeying, type StoreBeside } from '../store/open-store.ts'
export type { NamedStore } from '../store/open-store.ts'
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
  outputName,
  outputPath,
  shownName,
  storeCalled,
  storeFolder,
  storePathOf,
  storeWord,
} from '../store/store-path.ts'
export { COMPANIONS, keptIn, serverDumpWords, storeExists, storeFiles, storeKind } from '../store/store-kinds.ts'
export type { KeptResponse, KeptResponses, StoreFault, StoreKind, StoreSpec } from '../store/store-kinds.ts'
export { isFar, shownStore, withCrawl } from '../text/store-address.ts'
