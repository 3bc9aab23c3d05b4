// Hosts and memories at rest, as readers see them.
import type { FrontierReader, HostRecord, MemoryPage, MemoryParts } from '@avocet/core/store'
import { HOST_RECORD_COLUMNS, hostRecordOf, type HostRecordRow } from '@avocet/store-sql'
import { storedWord } from '../names/word-ids.ts'
import type { Queries } from '../connection/queries.ts'
import { aliveOf } from './may-live.ts'
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

/** A page of them by key, ascending. */
export function hostsAfter(
  queries: Queries,
  { afterHostKey = '', limit, parts }: Parameters<FrontierReader['hosts']>[0],
): Promise<readonly HostRecord[]> {
  return hostRecords(queries, {
    those: 'FROM {S}.host WHERE key > $1 ORDER BY key LIMIT $2',
    values: [afterHostKey, limit],
    parts,
  })
}

/** One of them. */
export async function hostAt(queries: Queries, hostKey: string): Promise<HostRecord | undefined> {
  const [record] = await hostRecords(queries, { those: 'FROM {S}.host WHERE key = $1', values: [hostKey], parts: undefined })
  return record
}

/** By the key of memory: with one look-up for each host it takes three times as long. A row has several parts, and may mention the text in another. */
export async function memoriesMentioning(
  queries: Queries,
  { part, mentioning, after, limit }: Parameters<FrontierReader['memories']>[0],
): Promise<MemoryPage> {
  const [host, lastPart] = (after === undefined ? [0, ''] : JSON.parse(after)) as [number, string]
  const named = [storedWord(part), packedBeginning(part)]
  const rows = await queries.all<{ readonly host: number; readonly part: string; readonly json: string }>(
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
export async function crawlMemoriesIn(queries: Queries): Promise<readonly MemoryParts[]> {
  const rows = await queries.all<CrawlPartRow>('SELECT process, part, json FROM {S}.crawl_memory ORDER BY process')
  return [...memoriesOfProcesses(rows).values()]
}

async function hostRecords(queries: Queries, { those, values, parts }: WantedHosts): Promise<readonly HostRecord[]> {
  // Small parts are together in one row, under no name.
  const named = parts === undefined ? '' : `AND (part = '' OR part = ANY ($${String(values.length + 1)}))`
  const [only] = parts?.length === 1 ? parts : []
  const json = only === undefined ? 'json' : firstPartOf(`$${String(values.length + 2)}::text`)
  const join = `LEFT JOIN LATERAL (SELECT ${json} AS json FROM {S}.host_memory WHERE host = h.id ${named} LIMIT ${String(MOST_PARTS)}) m ON true`
  const rows = await queries.all<HostRecordRow & { readonly json: string | null }>(
    `SELECT h.*, ${parts?.length === 0 ? 'NULL AS json' : 'm.json'} FROM (SELECT ${HOST_RECORD_COLUMNS} ${those}) h
       ${parts?.length === 0 ? '' : join} ORDER BY h.key`,
    parts === undefined || parts.length === 0
      ? values
      : [...values, parts.map(storedWord), ...(only === undefined ? [] : [packedBeginning(only)])],
  )
  const alive = rows.some(({ owner }) => owner !== null) ? await aliveOf(queries) : new Set<number>()
  const memories = new Map<number, Record<string, string>>()
  for (const { id, json } of rows) {
    const memory = memories.get(id) ?? {}
    memories.set(id, memory)
    if (json !== null) Object.assign(memory, unpacked(json, parts))
  }
  const first = rows.filter(({ id }, n) => rows[n - 1]?.id !== id)
  return first.map((row) => hostRecordOf(row, alive, memories.get(row.id) ?? {}))
}
