// The parts of one open store, put together: who uses whom, and what this process holds.
import type { Frontier, HeldFate, MemoryParts, NewItem } from '@avocet/core/store'
import { InProgressFile } from '@avocet/store-sql'
import type { Database, Statement } from './file/driver.ts'
import type { FileWatch } from './file/file-watch.ts'
import type { Writer } from './file/writer.ts'
import { IdentityIndex } from './identity/identity-index.ts'
import { Owners, Shares } from './process/owners.ts'
import { ProcessTable, type Moment } from './process/process-table.ts'
import { DueHostIndex } from './queue/due-host-index.ts'
import { type HeldHost, WaitingQueue } from './queue/waiting-queue.ts'
import { HostTable, type StoredHost } from './queue/host-table.ts'
import { RequestTable } from './queue/request-table.ts'
import { SinkTable } from './outcome/sink-table.ts'
import { MemoryTable } from './outcome/memory-table.ts'
import { RejectTable } from './outcome/reject-table.ts'
import { OutcomeTable } from './outcome/outcome-table.ts'
import { WatchTable } from './outcome/watch-table.ts'
import { CrawlTotals } from './outcome/crawl-totals.ts'

/** What a store is made of. */
export interface StoreParts {
  readonly db: Database
  readonly path: string
  readonly writer: Writer
  readonly watch: FileWatch
  /** Ms of the monotonic clock that the processes of the machine share. */
  readonly monotonic: () => number
}

/** An open store whose tables exist. */
export class Store {
  readonly db: Database
  readonly writer: Writer
  readonly totals: CrawlTotals
  readonly identity: IdentityIndex
  readonly hosts: HostTable
  readonly requests: RequestTable
  readonly queue: WaitingQueue
  readonly outcomes: OutcomeTable
  readonly memories: MemoryTable
  readonly items: YieldTable
  readonly records: YieldTable
  readonly rejects: RejectTable
  readonly watched: WatchTable
  readonly sinks: SinkTable
  readonly processes: ProcessTable
  readonly owners: Owners
  readonly due: DueHostIndex
  readonly shares: Shares
  readonly monotonic: () => number
  readonly #path: string
  readonly #watch: FileWatch
  #inProgress: InProgressFile | undefined
  /** Hosts that this process holds, by key. */
  readonly held: Map<string, HeldHost> = new Map()
  readonly #dataVersion: Statement<number>
  #seenVersion: number | undefined
  #newsVersion: number | undefined

  constructor({ db, path, writer, watch, monotonic }: StoreParts) {
    this.db = db
    this.monotonic = monotonic
    this.writer = writer
    this.totals = new CrawlTotals(db, writer)
    this.identity = new IdentityIndex(db)
    this.hosts = new HostTable(db, writer)
    this.requests = new RequestTable(db, writer)
    this.queue = new WaitingQueue(db, this.requests)
    this.outcomes = new OutcomeTable(db, { totals: this.totals, queue: this.queue, writer })
    this.memories = new MemoryTable(db, writer)
    this.items = new YieldTable(db, 'item')
    this.records = new YieldTable(db, 'record')
    this.rejects = new RejectTable(db, this.totals)
    this.watched = new WatchTable(db, this.totals)
    this.sinks = new SinkTable(db)
    this.processes = new ProcessTable(db, path)
    this.#path = path
    this.#watch = watch
    this.owners = new Owners({
      db,
      path,
      writer,
      processes: this.processes,
      hosts: this.hosts,
      queue: this.queue,
      outcomes: this.outcomes,
    })
    this.due = new DueHostIndex(db)
    this.shares = new Shares(db, this.processes, this.due)
    this.#dataVersion = db.prepare<unknown[], number>('PRAGMA data_version').pluck()
  }

  /** The host's row while this process still holds it, for this transaction. */
  ownHost(held: HeldHost): StoredHost | undefined {
    const host = this.hosts.get(held.hostId)
    return host?.owner === this.processes.id && host.epoch === held.epoch ? host : undefined
  }

  /** Forgets a host that this process holds no longer, once the transaction is committed. */
  lost(held: HeldHost): void {
    this.writer.whenCommitted(() => {
      if (this.held.get(held.hostKey) === held) this.held.delete(held.hostKey)
    })
  }

  /** Of this process, and of those beside it, for this transaction. */
  get sinkProcesses(): { readonly id: number; isAlive(id: number): boolean } {
    return { id: this.processes.id, isAlive: (id) => this.processes.others(this.monotonic()).alive.has(id) }
  }

  /** This moment, of which the crawl says that it is `now`. */
  moment(now: number): Moment {
    return { now, monotonic: this.monotonic() }
  }

  /** Says that this process lives. One that was taken for dead while it was only slow is back from then on; what it held is lost, and free. */
  beat(moment: Moment): void {
    if (this.processes.beat(moment)) this.writer.whenCommitted(() => this.inProgress.renew())
  }

  /** Ids of owners that are gone: processes that died, and such as nobody knows. */
  goneOwners(): number[] {
    const dead = this.processes.hasOthers ? this.processes.others(this.monotonic()).dead : []
    return [...new Set([...dead, ...this.owners.unknown()])]
  }

  /** Whether a request of this host is settled. */
  isSettledAt(held: HeldHost, id: number): boolean {
    const request = Number.isSafeInteger(id) ? this.outcomes.read(id) : undefined
    return request?.host === held.hostId && request.state !== 'waiting'
  }

  /**
   * Whether another connection has committed since this was last asked, which SQLite counts in `data_version`; or the file is gone, which the next call says.
   */
  changedElsewhere(): boolean {
    const version = this.#dataVersion.get()
    const changed = this.#seenVersion !== undefined && version !== this.#seenVersion
    this.#seenVersion = version
    return changed || this.#watch.isGone
  }

  /** What other processes wrote of their crawl memory since this was last asked; looked at only where somebody has committed. */
  newsElsewhere(): MemoryParts[] {
    const version = this.#dataVersion.get()
    if (version === this.#newsVersion) return []
    this.#newsVersion = version
    return this.memories.elsewhere(this.processes.id)
  }

  /** What this process has in progress. Registered processes only: the file is named after the process's id. */
  get inProgress(): InProgressFile {
    this.#inProgress ??= new InProgressFile(this.#path, this.processes.id)
    return this.#inProgress
  }

  /** Writes parts of this process's crawl memory. */
  note(crawlMemory: MemoryParts): Promise<void> {
    return this.writer.write('now', () => {
      this.memories.setCrawl(crawlMemory)
      this.save()
    })
  }

  /** Appends orders of operators. Moments rise from the last one. */
  order(jsons: readonly string[], { now, drop }: Parameters<Frontier['order']>[1]): Promise<void> {
    return this.writer.write('now', () => {
      const append = this.db.prepare('INSERT INTO orders (at, json) SELECT max(?, coalesce(max(at), 0) + 1), ? FROM orders')
      for (const json of jsons) append.run(now, json)
      this.db.prepare('DELETE FROM orders WHERE at IN (SELECT value FROM json_each(?))').run(JSON.stringify(drop))
    })
  }

  /** What becomes of what is held of a host. */
  settleHeld(host: number, settlement: Parameters<WatchTable['settleHeld']>[1]): ReturnType<WatchTable['settleHeld']> {
    return this.watched.settleHeld(host, settlement, (page, items) => {
      const added = this.items.add(page, items)
      this.totals.count('items', added)
      return added
    })
  }

  /** The same for the first `most` items of a host, by its key; returns how many items it is. */
  settleHeldAt(hostKey: string, to: HeldFate, most: number): number {
    const host = this.hosts.find(hostKey)
    return host === undefined ? 0 : this.settleHeld(host.id, { to, most }).settled
  }

  /** Writes what a transaction changed of hosts, memory and totals. */
  save(): void {
    this.hosts.save()
    this.memories.save(this.processes.id)
    this.totals.save()
  }
}

// Items, and records of documents of plugins: exactly once by (request, visit, ordinal), in commit order. Records are no items, so no total and no sink has
// them.

/** Those of one connection. */
class YieldTable {
  readonly #insert: Statement

  constructor(db: Database, table: 'item' | 'record') {
    this.#insert = db.prepare(`INSERT INTO ${table} (request, visit, ordinal, json) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`)
  }

  /** `visit`: 0 for the first one of the request. Returns how many were new. */
  add({ id, visit }: { readonly id: number; readonly visit: number }, yields: readonly NewItem[]): number {
    return yields.reduce((sum, { json, ordinal }, n) => sum + this.#insert.run(id, visit, ordinal ?? n, json).changes, 0)
  }
}
