// The door for tools that open files for a crawl themselves, as `avocet crawl -O` does: the sink behind the functions, its formats and its lock.
export { csvFormat, firstCsvRecord } from './csv.ts'
export { FileSink, type FileTarget } from './file-sink.ts'
export { jsonArray, jsonLines, type Format } from './format.ts'
export { lockOrHolder, NEW_CRAWL, SOME_CRAWL, type OutputLock } from './output-lock.ts'
