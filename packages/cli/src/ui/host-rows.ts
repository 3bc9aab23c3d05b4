// Rows of the table of hosts: those on the screen, with what their policies know, which is read from their memory in the store, a few at a time, and kept.
import type { HoldLine, HostLine, HostLines, HostsWish } from '@avocet/dashboard'
import type { CrawlConfig } from '@avocet/core'
import type { Clock, FrontierReader, HostRecord } from '@avocet/core/store'
import type { CrawlAtRest } from '@avocet/at-rest'
import { coreMemory, type Explanation } from '@avocet/core/tools'
import { foundByPolicies, historiansOf, type FoundByPolicies } from '@avocet/project/plan'
import { crawlAtRest } from '../store/at-rest.ts'
import { hostIndexOf, indexed, type HostIndex, type IndexedHost } from '../store/host-index.ts'

/** What a row has beyond the index. */
interface HostNotes extends FoundByPolicies {
  readonly hold: HoldLine | null
}

/** What rows are made from. */
export interface RowParts {
  readonly reader: FrontierReader
  readonly config: Partial<CrawlConfig>
  readonly clock: Clock
  /** Present: this process crawls, and is not to be held up. */
  readonly live?: unknown
}

const NO_NOTES: HostNotes = { foundRps: null, breaker: null, hold: null }
/** Rows of which the memory is kept, and for how long. */
const MAX_KEPT = 2_000
const KEEP_MS = 5_000
/** Memories that are read in one turn: beside a crawl, and beside nothing. */
const READ_LIVE = 8
const READ_AT_REST = 60
const INDEX_AT_REST_MS = 60

/** The table of one crawl. */
export class HostRows {
  readonly #parts: RowParts
  readonly #index: HostIndex
  readonly #kept = new Map<string, { readonly at: number; readonly notes: HostNotes }>()

  constructor(parts: RowParts) {
    const { reader, clock, live } = parts
    this.#parts = parts
    this.#index = hostIndexOf(reader, clock, live === undefined ? INDEX_AT_REST_MS : undefined)
  }

  /** All hosts by what they are like, as far as they are read. */
  async judged(): Promise<HostIndex['judged']> {
    await this.#index.read()
    return this.#index.judged
  }

  /** The rows that are wished for. */
  async lines(wish: HostsWish): Promise<HostLines> {
    await this.#index.read()
    const wanted = this.#index.wanted(wish)
    const from = Math.min(wish.from, Math.max(0, wanted.length - wish.count))
    const hosts = wanted.slice(from, from + wish.count)
    await this.#readNotes(hosts)
    const total = this.#index.isComplete
      ? this.#index.size
      : Math.max(this.#index.size, (await this.#parts.reader.counts()).hosts)
    const rows = hosts.map((host) => this.#line(this.#index.get(host.hostKey) ?? host))
    return { total, indexed: this.#index.size, matching: wanted.length, from, rows }
  }

  /** The row of one host. */
  async line(record: HostRecord): Promise<HostLine> {
    const { clock, reader } = this.#parts
    const crawl = await crawlAtRest(reader)
    this.#keep(crawl, record)
    return this.#line(indexed(record, crawl.judge(record, clock.now())))
  }

  #line(host: IndexedHost): HostLine {
    return { ...host, ...(this.#kept.get(host.hostKey)?.notes ?? NO_NOTES) }
  }

  async #readNotes(hosts: readonly IndexedHost[]): Promise<void> {
    const { clock, reader, live } = this.#parts
    const now = clock.now()
    const old = hosts.filter(({ hostKey }) => (this.#kept.get(hostKey)?.at ?? -Infinity) < now - KEEP_MS)
    if (old.length === 0) return
    const crawl = await crawlAtRest(reader)
    for (const { hostKey } of old.slice(0, live === undefined ? READ_AT_REST : READ_LIVE)) {
      const [record] = await reader.hosts({ hostKey })
      if (record) this.#keep(crawl, record)
    }
  }

  #keep(crawl: CrawlAtRest, record: HostRecord): void {
    const { clock, config } = this.#parts
    const now = clock.now()
    const [oldest] = this.#kept.size < MAX_KEPT ? [] : this.#kept.keys()
    if (oldest !== undefined) this.#kept.delete(oldest)
    const explained = crawl.explain(record, { ...historiansOf(config)(record), now })
    const { heldFor, holds, values } = explained
    const atRest = heldFor && record.waiting > 0 ? holdLine({ ...heldFor, until: record.readyAt }, now) : null
    this.#kept.delete(record.hostKey)
    this.#kept.set(record.hostKey, {
      at: now,
      notes: {
        ...foundByPolicies(values, coreMemory.ofHost(record.memory).proven === true),
        hold: holdLine(holds[0], now) ?? atRest,
      },
    })
  }
}

/** A hold that is over is none. */
export function holdLine(hold: Explanation['holds'][number] | undefined, now: number): HoldLine | null {
  if (hold === undefined || hold.until <= now) return null
  return { by: hold.by, why: hold.why, until: Number.isFinite(hold.until) ? Math.round(hold.until) : null }
}
