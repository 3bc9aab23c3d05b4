// Writes the items of an Avocet crawl to Parquet files.
export type { ColumnType } from './columns.ts'
export type { ParquetOptions } from './options.ts'
export { parquet } from './parquet.ts'
