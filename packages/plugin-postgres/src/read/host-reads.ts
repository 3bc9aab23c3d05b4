// Hosts and memories at rest, as readers see them.
import { type HostRecord, type MemoryParts, HOST_RECORD_COLUMNS, hostRecordOf, type HostRecordRow } from '@avocet/core/store'
import type { Queries } from '../connection/queries.ts'
import { unpacked } from '../schema/packed-memory.ts'

interface MemoryRow {
  readonly host: number
  readonly json: string
}

interface CrawlPartRow {
  readonly process: number
  readonly part: string
  readonly json: string
}

const HOST = `SELECT ${HOST_RECORD_COLUMNS} FROM {S}.host`

/** Reads them. `alive`: ids of the processes that live, as far as is known. */
export class HostReads {
  readonly #queries: Queries
  readonly #alive: () => Promise<ReadonlySet<number>>

  constructor(queries: Queries, alive: () => Promise<ReadonlySet<number>>) {
    this.#queries = queries
    this.#alive = alive
  }

  /** By key, ascending. `parts`: of their memory, those that are wanted. Default: all. */
  async page(after: string, limit: number, parts: readonly string[] | undefined): Promise<readonly HostRecord[]> {
    return this.#records(await this.#queries.all(`${HOST} WHERE key > $1 ORDER BY key LIMIT $2`, [after, limit]), parts)
  }

  async one(hostKey: string): Promise<HostRecord | undefined> {
    const [record] = await this.#records(await this.#queries.all(`${HOST} WHERE key = $1`, [hostKey]), undefined)
    return record
  }

  /** Crawl memories of all processes that ever wrote any. */
  async crawlMemories(): Promise<readonly MemoryParts[]> {
    const rows = await this.#queries.all<CrawlPartRow>('SELECT process, part, json FROM {S}.crawl_memory ORDER BY process')
    const byProcess = new Map<number, Record<string, string>>()
    for (const { process, json } of rows) byProcess.set(process, { ...byProcess.get(process), ...unpacked(json) })
    return [...byProcess.values()]
  }

  async #records(rows: readonly HostRecordRow[], parts: readonly string[] | undefined): Promise<readonly HostRecord[]> {
    if (rows.length === 0) return []
    const alive = await this.#alive()
    const memories = parts?.length === 0 ? new Map<number, MemoryParts>() : await this.#memories(rows, parts)
    return rows.map((row) => hostRecordOf(row, alive, memories.get(row.id) ?? {}))
  }

  async #memories(
    rows: readonly HostRecordRow[],
    parts: readonly string[] | undefined,
  ): Promise<ReadonlyMap<number, MemoryParts>> {
    const memories = new Map<number, Record<string, string>>()
    // Small parts are together in one row, under no name.
    const packs = await this.#queries.all<MemoryRow>(
      `SELECT m.host, m.json FROM unnest($1::int[]) AS wanted (host) JOIN LATERAL (
         SELECT * FROM {S}.host_memory WHERE host = wanted.host AND ($2::text[] IS NULL OR part = '' OR part = ANY ($2))) m ON true`,
      [rows.map(({ id }) => id), parts ?? null],
    )
    for (const { host, json } of packs) {
      const kept = Object.entries(unpacked(json)).filter(([name]) => parts === undefined || parts.includes(name))
      memories.set(host, { ...memories.get(host), ...Object.fromEntries(kept) })
    }
    return memories
  }
}
