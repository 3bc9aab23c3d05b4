// The read side of the store, on the frontier's own connection or on one of its own beside a crawl that goes on.
import type {
  Counts,
  DocumentRecord,
  FrontierInfo,
  FrontierReader,
  HandlerErrorGroup,
  HostRecord,
  ItemRecord,
  MemoryPage,
  MemoryParts,
  RequestQuery,
  RejectGroup,
  RejectQuery,
  RejectRecord,
  RequestRecord,
  SinkStanding,
  StoredOrder,
  VisitPage,
  VisitQuery,
} from '@avocet/core/store'
import {
  HOST_RECORD_COLUMNS,
  hostRecordOf,
  itemRecordOf,
  lastingReader,
  type HostRecordRow,
  type ItemRecordRow,
} from '@avocet/store-sql'
import type { Database, Statement } from '../file/driver.ts'
import { storeError } from '../file/store-error.ts'
import { ProcessTable } from '../process/process-table.ts'
import { handlerErrorsOf } from '../outcome/handler-error-table.ts'
import { sinksOf } from '../outcome/sink-table.ts'
import { CRAWL_MEMORY, memoriesByProcess, type CrawlPartRow } from '../outcome/memory-table.ts'
import { recordsOf, type RecordPage, RejectRows } from './reject-rows.ts'
import { RequestRows } from './request-rows.ts'
import { VisitRows } from './visit-rows.ts'

const HOST = `SELECT ${HOST_RECORD_COLUMNS} FROM host`

/** Reads one store. */
export class StoreReader implements FrontierReader {
  readonly #path: string
  readonly #monotonic: () => number
  readonly #requests: RequestRows
  readonly #rejects: RejectRows
  readonly #processes: ProcessTable
  readonly #info: Statement<{ readonly name: string; readonly created_at: number }>
  readonly #held: Statement<number>
  readonly #counts: Statement<Counts & { readonly again: number; readonly rejects: number; readonly records: number }>
  readonly #hosts: Statement<HostRecordRow>
  readonly #mentioning: Statement<{ readonly host: number; readonly json: string }>
  readonly #host: Statement<HostRecordRow>
  readonly #memory: Statement<[part: string, json: string]>
  readonly #part: Statement<[part: string, json: string]>
  readonly #crawlMemory: Statement<CrawlPartRow>
  readonly #failures: Statement<{ readonly reason: string; readonly count: number }>
  readonly #handlerErrors: () => HandlerErrorGroup[]
  readonly #items: Statement<ItemRecordRow>
  readonly #visits: VisitRows
  readonly #records: (page: RecordPage) => readonly DocumentRecord[]
  readonly #sinks: () => SinkStanding[]
  readonly #orders: Statement<StoredOrder>

  constructor(db: Database, path: string, monotonic: () => number) {
    this.#path = path
    this.#monotonic = monotonic
    this.#requests = new RequestRows(db)
    this.#rejects = new RejectRows(db)
    this.#processes = new ProcessTable(db, path)
    this.#info = db.prepare('SELECT name, created_at FROM crawl')
    this.#held = db.prepare<unknown[], number>('SELECT count(*) FROM host WHERE owner = ?').pluck()
    this.#counts = db.prepare(
      `SELECT known, known - done - moved - failed AS waiting, done, moved, failed, items, again, rejects, (SELECT count(*) FROM record) AS records,
       (SELECT count(*) FROM host) AS hosts,
       (SELECT count(*) FROM host WHERE retired_for IS NOT NULL) AS retiredHosts,
       (SELECT coalesce(sum(ready + delayed - again), 0) FROM host WHERE retired_for IS NOT NULL) AS retired FROM crawl`,
    )
    this.#hosts = db.prepare(`${HOST} WHERE key > ? ORDER BY key LIMIT ?`)
    this.#mentioning = db.prepare(
      'SELECT host, json FROM host_memory WHERE host > ? AND part = ? AND instr(json, ?) > 0 ORDER BY host LIMIT ?',
    )
    this.#host = db.prepare(`${HOST} WHERE key = ?`)
    this.#memory = db.prepare<unknown[], [string, string]>('SELECT part, json FROM host_memory WHERE host = ?').raw()
    this.#part = db.prepare<unknown[], [string, string]>('SELECT part, json FROM host_memory WHERE host = ? AND part = ?').raw()
    this.#crawlMemory = db.prepare(CRAWL_MEMORY)
    this.#failures = db.prepare('SELECT word AS reason, failed AS count FROM reason WHERE failed > 0 ORDER BY failed DESC, word')
    this.#handlerErrors = handlerErrorsOf(db)
    this.#sinks = sinksOf(db)
    this.#orders = db.prepare('SELECT at, json FROM orders WHERE at > ? ORDER BY at')
    this.#records = recordsOf(db)
    this.#visits = new VisitRows(db)
    this.#items = db.prepare(
      `SELECT i.seq, i.request, i.ordinal, i.json, i.visit, r.path, h.origin FROM item i JOIN request r ON r.id = i.request
       JOIN host h ON h.id = r.host WHERE i.seq > ? ORDER BY i.seq LIMIT ?`,
    )
  }

  /** A reader that asks `current` for the one to use at each call: it outlives closing and opening. */
  static of(current: () => StoreReader): FrontierReader {
    return lastingReader(current)
  }

  async info(): Promise<FrontierInfo> {
    return this.#read(() => {
      const row = this.#info.get()
      const processes = this.#processes.living(this.#monotonic(), (id) => this.#held.get(id) ?? 0)
      return { name: row?.name ?? '', createdAt: row?.created_at ?? 0, liveProcesses: processes.length, processes }
    })
  }

  async counts(): Promise<Counts> {
    return this.#read(() => {
      const { again, rejects, records, ...counts } = this.#counts.get() ?? damaged()
      return { ...counts, ...(records > 0 && { records }), ...(again > 0 && { again }), ...(rejects > 0 && { rejects }) }
    })
  }

  async crawlMemories(): Promise<readonly MemoryParts[]> {
    return this.#read(() => [...memoriesByProcess(this.#crawlMemory.all()).values()])
  }

  async orders(after: number): Promise<readonly StoredOrder[]> {
    return this.#read(() => this.#orders.all(after))
  }

  async hosts({ afterHostKey = '', limit, parts }: Parameters<FrontierReader['hosts']>[0]): Promise<readonly HostRecord[]> {
    return this.#read(() => {
      const alive = this.#alive()
      return this.#hosts.all(afterHostKey, limit).map((row) => this.#toRecord(row, alive, parts))
    })
  }

  async host(hostKey: string): Promise<HostRecord | undefined> {
    return this.#read(() => {
      const row = this.#host.get(hostKey)
      return row && this.#toRecord(row, this.#alive())
    })
  }

  async memories(page: Parameters<FrontierReader['memories']>[0]): Promise<MemoryPage> {
    const { part, mentioning, after = '0', limit } = page
    return this.#read(() => {
      const rows = this.#mentioning.all(Number(after), part, mentioning, limit)
      const next = rows.length < limit ? undefined : rows.at(-1)?.host
      return { texts: rows.map(({ json }) => json), ...(next !== undefined && { next: String(next) }) }
    })
  }

  async history(url: string): Promise<readonly RequestRecord[]> {
    return this.#read(() => this.#requests.ofUrl(url))
  }

  async requests(query: RequestQuery): Promise<readonly RequestRecord[]> {
    return this.#read(() => this.#requests.select(query))
  }

  async probation({ limit }: { limit: number }): Promise<{ pages: number; requests: readonly RequestRecord[] }> {
    return this.#read(() => this.#requests.missing(limit))
  }

  async failures(): Promise<readonly { readonly reason: string; readonly count: number }[]> {
    return this.#read(() => this.#failures.all())
  }

  async handlerErrors(): Promise<readonly HandlerErrorGroup[]> {
    return this.#read(() => this.#handlerErrors())
  }

  async rejects(query: RejectQuery): Promise<readonly RejectRecord[]> {
    return this.#read(() => this.#rejects.select(query))
  }

  async rejectGroups(): Promise<readonly RejectGroup[]> {
    return this.#read(() => this.#rejects.groups())
  }

  async items({ afterSeq, limit }: { afterSeq: number; limit: number }): Promise<readonly ItemRecord[]> {
    return this.#read(() => this.#items.all(afterSeq, limit).map(itemRecordOf))
  }

  async visits(query: VisitQuery): Promise<VisitPage> {
    return this.#read(() => this.#visits.select(query))
  }

  async records(page: RecordPage): Promise<readonly DocumentRecord[]> {
    return this.#read(() => this.#records(page))
  }

  async sinks(): Promise<readonly SinkStanding[]> {
    return this.#read(() => this.#sinks())
  }

  async close(): Promise<void> {}

  #toRecord(row: HostRecordRow, alive: ReadonlySet<number>, parts?: readonly string[]): HostRecord {
    const memory = parts === undefined ? this.#memory.all(row.id) : parts.flatMap((part) => this.#part.all(row.id, part))
    return hostRecordOf(row, alive, Object.fromEntries(memory))
  }

  #alive(): Set<number> {
    return this.#processes.others(this.#monotonic()).alive
  }

  #read<T>(read: () => T): T {
    try {
      return read()
    } catch (thrown) {
      throw storeError(thrown, this.#path)
    }
  }
}

function damaged(): never {
  throw Object.assign(new Error('the crawl has no row'), { code: 'SQLITE_CORRUPT' })
}
