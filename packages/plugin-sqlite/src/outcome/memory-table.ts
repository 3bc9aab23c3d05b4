// Memory of hosts and of the crawl, part by part. Of several writes of one part in a transaction the last is written.
import type { CrawlInfo, MemoryParts } from '@avocet/core/store'
import { memoriesAtOpen, memoriesByProcess, type CrawlPartRow } from '@avocet/store-sql'
import type { Database, Statement } from '../file/driver.ts'
import type { Writer } from '../file/writer.ts'

type PartRow = Pick<CrawlPartRow, 'part' | 'json'>

function keyOf({ process, part }: CrawlPartRow): string {
  return `${process} ${part}`
}

/** Without the texts that plugins keep beside it: they are large, change all the time, and are of no use to other processes. */
const HEARD = "SELECT process, part, json FROM crawl_memory WHERE process <> +? AND part NOT GLOB '#*' ORDER BY process"

function isHeard({ part }: CrawlPartRow): boolean {
  return !part.startsWith('#')
}

function partOf({ part, json }: PartRow): MemoryParts {
  return { [part]: json }
}

/**
 * Memories of one connection.
 *
 * Each process writes the crawl memory under its own id. What open handed out of processes that are gone is merged into the memory of the
 * process that opened; once that writes a part, the old ones of the part go, or the next open would merge them a second time.
 */
export class MemoryTable {
  readonly #hosts = new Map<number, Record<string, string>>()
  readonly #crawl = new Map<string, string>()
  readonly #inherited: number[] = []
  /** Texts of other processes, as they were last read. */
  #seen: ReadonlyMap<string, string> = new Map()
  readonly #read: Statement<PartRow>
  readonly #write: Statement
  readonly #readCrawl: Statement<CrawlPartRow>
  readonly #readHeard: Statement<CrawlPartRow>
  readonly #writeCrawl: Statement
  readonly #dropCrawl: Statement

  constructor(db: Database, writer: Writer) {
    this.#read = db.prepare<unknown[], PartRow>('SELECT part, json FROM host_memory WHERE host = +?')
    this.#write = db.prepare(
      'INSERT INTO host_memory (host, part, json) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET json = excluded.json',
    )
    this.#readCrawl = db.prepare('SELECT process, part, json FROM crawl_memory ORDER BY process')
    this.#readHeard = db.prepare(HEARD)
    this.#writeCrawl = db.prepare('INSERT OR REPLACE INTO crawl_memory (process, part, json) VALUES (?, ?, ?)')
    this.#dropCrawl = db.prepare('DELETE FROM crawl_memory WHERE process = +? AND part = +?')
    writer.whenRolledBack(() => {
      this.#hosts.clear()
      this.#crawl.clear()
    })
  }

  ofHost(hostId: number): MemoryParts {
    return Object.fromEntries(this.#read.all(hostId).map(({ part, json }) => [part, json]))
  }

  /** Crawl memories of all processes, and of those in `alive`; the others are inherited. */
  inherit(alive: ReadonlySet<number>): Pick<CrawlInfo, 'crawlMemories' | 'running'> {
    const rows = this.#readCrawl.all()
    this.#seen = new Map(rows.filter(isHeard).map((row) => [keyOf(row), row.json]))
    const byProcess = memoriesByProcess(rows, partOf)
    this.#inherited.splice(0, Infinity, ...[...byProcess.keys()].filter((process) => !alive.has(process)))
    return memoriesAtOpen(byProcess, alive)
  }

  /** Parts that processes beside `process` wrote since this was last asked, by process. The first time: all of them. */
  elsewhere(process: number): MemoryParts[] {
    const rows = this.#readHeard.all(process)
    const news = rows.filter((row) => this.#seen.get(keyOf(row)) !== row.json)
    // What is gone is forgotten, or the ids of processes would add up over the weeks.
    this.#seen = new Map(rows.map((row) => [keyOf(row), row.json]))
    return [...memoriesByProcess(news, partOf).values()]
  }

  setHost(hostId: number, parts: MemoryParts | undefined): void {
    if (parts !== undefined) this.#hosts.set(hostId, Object.assign(this.#hosts.get(hostId) ?? {}, parts))
  }

  setCrawl(parts: MemoryParts | undefined): void {
    for (const [part, json] of Object.entries(parts ?? {})) this.#crawl.set(part, json)
  }

  /** Writes what was set in this transaction; `process` is this one. */
  save(process: number): void {
    for (const [hostId, parts] of this.#hosts) {
      for (const [part, json] of Object.entries(parts)) this.#write.run(hostId, part, json)
    }
    for (const [part, json] of this.#crawl) {
      this.#writeCrawl.run(process, part, json)
      for (const gone of this.#inherited) this.#dropCrawl.run(gone, part)
    }
    this.#hosts.clear()
    this.#crawl.clear()
  }
}
