// Hosts and memories at rest, as readers see them.
import type { FrontierReader, HostRecord, MemoryPage, MemoryParts } from '@avocet/core/store'
import { HOST_RECORD_COLUMNS, hostRecordOf, type HostRecordRow } from '@avocet/store-sql'
import { storedWord } from '../names/word-ids.ts'
import type { Queries } from '../connection/queries.ts'
import { firstPartOf, packedBeginning, memoriesOfProcesses, unpacked } from '../schema/packed-memory.ts'

interface CrawlPartRow {
  readonly process: number
  readonly part: string
  readonly json: string
}

/** No host has as many. A limit keeps the look-ups apart, each by index: joined as a whole, all memory of the store would be read for each page. */
const MOST_PARTS = 100_000

/** Hosts that are asked about. */
interface WantedHosts {
  /** From FROM on. */
  readonly those: string
  readonly values: readonly unknown[]
  readonly parts: readonly string[] | undefined
}

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
    const those = `FROM {S}.host WHERE key > $1 ORDER BY key LIMIT $2`
    return this.#records({ those, values: [after, limit], parts })
  }

  async one(hostKey: string): Promise<HostRecord | undefined> {
    const [record] = await this.#records({ those: 'FROM {S}.host WHERE key = $1', values: [hostKey], parts: undefined })
    return record
  }

  /** By the key of memory: with one look-up for each host it takes three times as long. A row has several parts, and may mention the text in another. */
  async memories({ part, mentioning, after, limit }: Parameters<FrontierReader['memories']>[0]): Promise<MemoryPage> {
    const [host, lastPart] = (after === undefined ? [0, ''] : JSON.parse(after)) as [number, string]
    const named = [storedWord(part), packedBeginning(part)]
    const rows = await this.#queries.all<{ readonly host: number; readonly part: string; readonly json: string }>(
      `SELECT host, part, ${firstPartOf('$4::text')} AS json FROM {S}.host_memory WHERE (host, part) > ($1, $2) AND (part = '' OR part = $3)
       AND strpos(json, $5) > 0 ORDER BY host, part LIMIT $6`,
      [host, lastPart, ...named, mentioning, limit],
    )
    const last = rows.length < limit ? undefined : rows.at(-1)
    const texts = rows.flatMap(({ json }) => unpacked(json, [part])[part] ?? [])
    return {
      texts: texts.filter((text) => text.includes(mentioning)),
      ...(last !== undefined && { next: JSON.stringify([last.host, last.part]) }),
    }
  }

  /** Crawl memories of all processes that ever wrote any. */
  async crawlMemories(): Promise<readonly MemoryParts[]> {
    const rows = await this.#queries.all<CrawlPartRow>('SELECT process, part, json FROM {S}.crawl_memory ORDER BY process')
    return [...memoriesOfProcesses(rows).values()]
  }

  async #records({ those, values, parts }: WantedHosts): Promise<readonly HostRecord[]> {
    // Small parts are together in one row, under no name.
    const named = parts === undefined ? '' : `AND (part = '' OR part = ANY ($${String(values.length + 1)}))`
    const [only] = parts?.length === 1 ? parts : []
    const json = only === undefined ? 'json' : firstPartOf(`$${String(values.length + 2)}::text`)
    const join = `LEFT JOIN LATERAL (SELECT ${json} AS json FROM {S}.host_memory WHERE host = h.id ${named} LIMIT ${String(MOST_PARTS)}) m ON true`
    const rows = await this.#queries.all<HostRecordRow & { readonly json: string | null }>(
      `SELECT h.*, ${parts?.length === 0 ? 'NULL AS json' : 'm.json'} FROM (SELECT ${HOST_RECORD_COLUMNS} ${those}) h
       ${parts?.length === 0 ? '' : join} ORDER BY h.key`,
      parts === undefined || parts.length === 0
        ? values
        : [...values, parts.map(storedWord), ...(only === undefined ? [] : [packedBeginning(only)])],
    )
    const alive = rows.some(({ owner }) => owner !== null) ? await this.#alive() : new Set<number>()
    const memories = new Map<number, Record<string, string>>()
    for (const { id, json } of rows) {
      const memory = memories.get(id) ?? {}
      memories.set(id, memory)
      if (json !== null) Object.assign(memory, unpacked(json, parts))
    }
    const first = rows.filter(({ id }, n) => rows[n - 1]?.id !== id)
    return first.map((row) => hostRecordOf(row, alive, memories.get(row.id) ?? {}))
  }
}
