// Fills an empty store from the records of a dump: a transaction for some thousands, queues and counts worked out on the way.
//
// Until the last record is there the file is of no version that opens (`LOADING_VERSION`): whoever opens a store that was half loaded is told so, and may
// start over. The index of known URLs is made at the end, in one go.
import {
  DumpWatch,
  type DumpCounts,
  type DumpedStore,
  type DumpRecord,
  rejectGroupOf,
  type DumpedHost,
  type DumpedRequest,
  type SinkRecord,
} from '@avocet/core/store'
import { AvocetError } from '@avocet/core'
import { LOADING_VERSION, SCHEMA_VERSION } from '../file/schema.ts'
import { indexKnown } from '../identity/identity-index.ts'
import type { Store } from '../store.ts'
import { NEVER, STATES } from '@avocet/store-sql'
import type { Database, Statement } from '../file/driver.ts'
import type { StoredHost } from '../queue/host-table.ts'

/** Records of one transaction: some 200 ms. */
const AT_ONCE = 10_000

/** Returns how many there were. Throws AVO_FRONTIER_UNUSABLE for a store that has something, AVO_FRONTIER_CORRUPT for a dump that is not whole. */
export async function loadStore(store: Store, records: AsyncIterable<DumpRecord>): Promise<DumpCounts> {
  assertEmpty(store)
  const { db, writer } = store
  const watch = new DumpWatch()
  const rows = new LoadedRows(store)
  let header: DumpedStore | undefined
  let batch: DumpRecord[] = []
  const write = async (): Promise<void> => {
    const some = batch
    batch = []
    await writer.write('now', () => {
      db.pragma(`user_version = ${LOADING_VERSION}`)
      rows.write(some)
      store.hosts.save()
    })
  }
  for await (const record of records) {
    watch.see(record)
    if (record.type === 'store') header = record
    // With the first record the store is one that is being loaded.
    if (batch.push(record) === AT_ONCE || record.type === 'store') await write()
  }
  watch.assertEnded()
  await write()
  await writer.write('surely', () => {
    if (header !== undefined) keepCrawl(store, header)
    indexKnown(db)
    db.pragma(`user_version = ${SCHEMA_VERSION}`)
  })
  return watch.counts
}

function assertEmpty({ totals, hosts, db }: Store): void {
  const { known, items } = totals.load()
  const memories = db.prepare<unknown[], number>('SELECT count(*) FROM crawl_memory').pluck().get() ?? 0
  if (known === 0 && items === 0 && memories === 0 && hosts.peek(1) === undefined) return
  throw new AvocetError(
    'AVO_FRONTIER_UNUSABLE',
    'expected an empty store to load a dump into, got one that holds a crawl; name another',
  )
}

function keepCrawl({ db }: Store, { name, createdAt, lastAt, run }: DumpedStore): void {
  db.prepare(
    `UPDATE crawl SET name = @name, created_at = @createdAt, last_at = @lastAt, run = @run, known = (SELECT count(*) FROM request),
     done = (SELECT coalesce(sum(done), 0) FROM host), moved = (SELECT coalesce(sum(moved), 0) FROM host),
     failed = (SELECT coalesce(sum(failed), 0) FROM host), again = (SELECT coalesce(sum(again), 0) FROM host),
     items = (SELECT count(*) FROM item), rejects = (SELECT count(*) FROM reject)`,
  ).run({ name, createdAt, lastAt, run })
}

// Records of a dump as rows. What follows from them (spans, counts of hosts and reasons) is counted on the way.

/** Requests one after the other that wait for their first visit, of one host and priority. */
interface Run {
  readonly host: StoredHost
  readonly rank: number
  readonly first: number
  size: number
}

/** `INSERT INTO table (columns)` with as many places. */
function inserting(db: Database, table: string, columns: string): Statement {
  return db.prepare(`INSERT INTO ${table} (${columns}) VALUES (${columns.replaceAll(/\w+/g, '?')})`)
}

/** Of one store. */
class LoadedRows {
  readonly #store: Store
  readonly #insert: Readonly<Record<'attempt' | 'visited' | 'trouble' | 'death' | 'item' | 'record' | 'reject', Statement>>
  readonly #hostMemory: Statement
  readonly #crawlMemory: Statement
  readonly #process: Statement
  readonly #error: Statement
  readonly #errorIds = new Map<string, number>()
  readonly #addReason: Statement
  readonly #reason: Statement<number>
  readonly #failed: Statement
  #processes: number
  #run: Run | undefined

  constructor(store: Store) {
    const { db } = store
    this.#store = store
    const made = 'request, visit, ordinal, json'
    this.#insert = {
      attempt: inserting(db, 'attempt', 'id, state, attempts, free_attempts, fetched_at, status, duration_ms, wire_bytes, run'),
      visited: inserting(
        db,
        'visited',
        'id, visits, due_at, skipped, etag, last_modified, body_hash, missing, missing_since, asked_at, asked_by, page_at, page_visit',
      ),
      trouble: inserting(db, 'trouble', 'id, reason, blame, target, error'),
      death: inserting(db, 'death', 'id, runs'),
      item: inserting(db, 'item', `seq, ${made}`),
      record: inserting(db, 'record', `seq, ${made}`),
      reject: inserting(db, 'reject', `id, source, ${made}, reason, kind, at, retried`),
    }
    this.#hostMemory = inserting(db, 'host_memory', 'host, part, json')
    this.#crawlMemory = inserting(db, 'crawl_memory', 'process, part, json')
    this.#process = db.prepare("UPDATE sqlite_sequence SET seq = ? WHERE name = 'process'")
    this.#error = inserting(db, 'handler_error', 'kind, json, seen_at')
    this.#addReason = db.prepare('INSERT OR IGNORE INTO reason (word) VALUES (?)')
    this.#reason = db.prepare<unknown[], number>('SELECT id FROM reason WHERE word = ?').pluck()
    this.#failed = db.prepare('UPDATE reason SET failed = failed + 1 WHERE id = ?')
    this.#processes = store.processes.id
  }

  /** Within a transaction; the caller saves the hosts. */
  write(records: readonly DumpRecord[]): void {
    for (const record of records) this.#take(record)
    this.#endRun()
    this.#store.requests.flush()
  }

  #take(record: DumpRecord): void {
    if (record.type === 'request') return this.#request(record)
    if (record.type === 'host') return this.#host(record)
    if (record.type === 'memory') return this.#memory(record.parts)
    if (record.type === 'sink') return this.#sink(record.record)
    if (record.type === 'item' || record.type === 'record') {
      const { seq, requestId, visit, ordinal, json } = record
      this.#insert[record.type].run(seq, requestId, visit, ordinal, json)
    } else if (record.type === 'reject') {
      const { id, source, requestId, visit, ordinal, json = null, reason, at, retried = false } = record
      const row = [id, source, requestId, visit, ordinal, json, reason, rejectGroupOf(reason), at, retried ? 1 : 0]
      this.#insert.reject.run(...row)
    } else if (record.type === 'handler-error') {
      const { kind, error, seenAt } = record
      this.#errorIds.set(kind, Number(this.#error.run(kind, JSON.stringify(error), seenAt).lastInsertRowid))
    }
  }

  #host({ hostKey, origin, readyAt, retried, epoch, onProbation, abandoned, retired, memory }: DumpedHost): void {
    const host = this.#store.hosts.obtain(hostKey, origin)
    host.ready_at = Math.min(readyAt, NEVER)
    host.retried = retried
    host.epoch = epoch
    host.probation = onProbation ? 1 : 0
    host.abandoned = abandoned === true ? 1 : 0
    host.retired_for = retired?.reason ?? null
    host.probe_at = retired === undefined || retired.probeAt === Infinity ? null : retired.probeAt
    for (const [part, json] of Object.entries(memory)) this.#hostMemory.run(host.id, part, json)
  }

  /** Of a process that is gone: the next one that opens the store inherits it. */
  #memory(parts: Readonly<Record<string, string>>): void {
    this.#processes++
    for (const [part, json] of Object.entries(parts)) this.#crawlMemory.run(this.#processes, part, json)
    this.#process.run(this.#processes)
  }

  #sink(record: SinkRecord): void {
    this.#store.sinks.keep(record, { id: this.#store.processes.id, isAlive: () => false })
  }

  #request(record: DumpedRequest): void {
    const { hosts, requests, queue } = this.#store
    const { id, hostKey, url, priority, state, notBefore, deaths } = record
    const host = hosts.obtain(hostKey, url)
    requests.insert(id, host, record)
    const isTried = this.#history(record)
    if (state !== 'waiting') {
      host[state]++
      if (notBefore !== undefined) host.again++
    }
    if (notBefore !== undefined) queue.delay(host, { id, rank: -priority }, Math.ceil(notBefore))
    else if (state === 'waiting' && isTried) queue.delay(host, { id, rank: -priority }, 0)
    else if (state === 'waiting') this.#wait(host, -priority, id)
    if (deaths !== undefined) this.#insert.death.run(id, deaths)
  }

  /** Whether it was ever tried. */
  #history(record: DumpedRequest): boolean {
    const { id, state, attempts, freeAttempts, fetched = {}, visitedIn, reason, blame, target, errorKind } = record
    const seen = [fetched.at, fetched.status, fetched.durationMs, fetched.wireBytes, visitedIn]
    const isTried = state !== 'waiting' || attempts + freeAttempts > 0 || seen.some((value) => value !== undefined)
    const values = seen.map((value) => value ?? null)
    if (isTried) this.#insert.attempt.run(id, STATES.indexOf(state), attempts, freeAttempts, ...values)
    if ((reason ?? blame ?? target ?? errorKind) !== undefined) {
      const reasonId = reason === undefined ? null : this.#reasonOf(reason)
      this.#insert.trouble.run(id, reasonId, blame ?? null, target ?? null, this.#errorIds.get(errorKind ?? ' ') ?? null)
      if (state === 'failed' && reasonId !== null) this.#failed.run(reasonId)
    }
    this.#visits(record)
    return isTried
  }

  #visits({ id, earlier, asked, page }: DumpedRequest): void {
    if (earlier === undefined) return
    const { visits, dueAt, skipped, etag, lastModified, bodyHash, missing, gone } = earlier
    const validators = [etag, lastModified, bodyHash].map((value) => value ?? null)
    const lost = [gone === true ? -1 : (missing?.visits ?? 0), missing?.since ?? null]
    const more = [asked?.at, asked?.by, page?.at, page?.visit].map((value) => value ?? null)
    this.#insert.visited.run(id, visits, Math.ceil(dueAt), skipped, ...validators, ...lost, ...more)
  }

  #wait(host: StoredHost, rank: number, id: number): void {
    const run = this.#run
    if (run !== undefined && run.host === host && run.rank === rank && run.first + run.size === id) run.size++
    else {
      this.#endRun()
      this.#run = { host, rank, first: id, size: 1 }
    }
  }

  #endRun(): void {
    if (this.#run !== undefined) this.#store.queue.addSpan(this.#run.host, this.#run.rank, this.#run)
    this.#run = undefined
  }

  #reasonOf(word: string): number {
    this.#addReason.run(word)
    return this.#reason.get(word) ?? 0
  }
}
