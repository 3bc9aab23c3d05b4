// What kinds of databases say in their own words, so that the rest of a reader is written once.
//
// `{S}` stands for the schema, and `$1` for the first value. Requests are looked up by index and one row at a time, whatever the statistics of the tables
// say: a hash join would read all that the store knows for each page.
import type { CrawlInfo, CrawlingProcess, MemoryParts } from '@avocet/core/store'

/** A row of the crawl memory of a process. */
export interface CrawlPartRow {
  readonly process: number
  readonly part: string
  readonly json: string
}

/** The words of a kind of database. */
export interface SqlDialect {
  /** Joins the row of `table` that has this id, if there is one. */
  one(table: string, alias: string, id: string): string
  /** The word as it is stored. */
  word(word: string): string
  /** A table that has all requests that are kept under one of two spellings, by id. */
  spelt(path: string, url: string): string
  /** A table that has all that waits at a host, by id. */
  waitingAt(host: number): string
  /** The totals of the crawl, in one row. */
  readonly totals: string
  /** Reasons (`word`), and how many requests have failed for each (`failed`). */
  readonly reasons: string
  /** Where items, records or changes `i` that have numbers are read from, which of them are beyond `$1`, and in which order. */
  yields(
    table: 'item' | 'record' | 'change',
    order: 'ASC' | 'DESC',
  ): { readonly from: string; readonly after: string; readonly order: string }
  /** The number of an item `i`, and the join that it needs. */
  readonly seq: string
  readonly numbering: string
  /** How many items, or changes, are beyond the mark of a sink `s`. */
  readonly behind: string
  /** Bytes on disk, `used`, `free`, and of those used `items`, `changes` and `memory`, in one row. */
  readonly sizes: string
  /** Joins the memory `m` of a host `h`; `parts`: at least these. */
  memory(parts: readonly string[] | undefined, value: (value: unknown) => string): string
  /** The parts in a row; `parts`: only those. */
  unpacked(row: Pick<CrawlPartRow, 'part' | 'json'>, parts?: readonly string[]): MemoryParts
}

/** A store that can be asked. What it throws are AvocetErrors. */
export interface SqlReads extends SqlDialect {
  all<Row>(text: string, values?: readonly unknown[]): Promise<readonly Row[]>
  /** Gives numbers to items that have none yet. */
  number(): Promise<unknown>
  /** Ids of the processes that live. */
  alive(): Promise<ReadonlySet<number>>
  processes(): Promise<readonly CrawlingProcess[]>
}

/** The crawl memory of each process that wrote one of `rows`. */
export function memoriesByProcess(
  rows: readonly CrawlPartRow[],
  unpacked: SqlDialect['unpacked'],
): ReadonlyMap<number, MemoryParts> {
  const byProcess = new Map<number, MemoryParts>()
  for (const row of rows) byProcess.set(row.process, { ...byProcess.get(row.process), ...unpacked(row) })
  return byProcess
}

/** The crawl memories of all processes, and of those that are `alive`. */
export function memoriesAtOpen(
  memories: ReadonlyMap<number, MemoryParts>,
  alive: ReadonlySet<number>,
): Pick<CrawlInfo, 'crawlMemories' | 'running'> {
  const running = [...memories].flatMap(([process, parts]) => (alive.has(process) ? [parts] : []))
  return { crawlMemories: [...memories.values()], ...(running.length > 0 && { running }) }
}
