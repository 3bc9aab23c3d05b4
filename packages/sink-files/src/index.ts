// The one door of @avocet/sink-files for configurations: files of items.
export { csv, type CsvFileOptions } from './csv.ts'
export type { FileOptions } from './file-options.ts'
export { json, jsonl } from './json.ts'
