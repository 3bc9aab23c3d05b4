// All that was counted of a crawl in its process.
import type { CrawlReport } from '@avocet/core'
import type { CrawlStatus } from '@avocet/core/tools'
import type { Counted, CountKey, HostCounted, HostCounts } from './counted.ts'

/** The book. */
export class CrawlBook {
  readonly #counts = new Map<string, number>()
  /** Its hosts. */
  readonly hosts: HostBook = new HostBook()

  /** Adds what was counted since the last time. */
  add(counted: Counted): void {
    for (const [key, by] of Object.entries(counted.counts)) this.#counts.set(key, (this.#counts.get(key) ?? 0) + (by ?? 0))
    this.hosts.add(counted)
  }

  /** So many. */
  readonly of = (key: CountKey): number => this.#counts.get(key) ?? 0
}

// Hosts by name, at most fifty: the rest is counted together, so that a crawl of 100,000 hosts makes no more series than one of 50.
//
// A name is for good: series that come and go, or jump to another host, make rates wrong. So a name has a price in requests, and it rises as names run out: 25
// are for those with most traffic at the first looks, 15 for hosts with 100 requests, 10 for hosts with 10,000, which are there for one that becomes busy in
// the second week. What a host did before it had a name stays with the others: each event counts once, and no sum goes back. (Rejected: the top fifty of
// the moment. A host that leaves takes its counts along, or they jump over to the others.)

/** Names in all, and what one costs while there are fewer. */
const PRICES = [
  { names: 25, requests: 1 },
  { names: 40, requests: 100 },
  { names: 50, requests: 10_000 },
] as const

/** Hosts that are remembered beside those; about 200 bytes each. The first met are forgotten first. */
const MAX_HOSTS = 50_000

interface Note {
  readonly hostKey: string
  /** Before it had a name. */
  requests: number
  series: HostCounts | undefined
}

const NOTHING: HostCounts = { requests: 0, refusals: 0, failures: 0 }

/** The hosts of one crawl. */
export class HostBook {
  readonly #notes = new Map<string, Note>()
  readonly #named = new Map<string, Note>()
  #others = NOTHING

  /** Adds what was counted. */
  add({ hosts }: Pick<Counted, 'hosts'>): void {
    const notes = hosts.map((counted) => ({ counted, note: counted.hostKey === '' ? undefined : this.#noteOf(counted.hostKey) }))
    const unnamed = notes.filter(({ note }) => note !== undefined && note.series === undefined)
    for (const { counted, note } of unnamed.toSorted((a, b) => b.counted.requests - a.counted.requests)) {
      if (note === undefined) continue
      note.requests += counted.requests
      if (note.requests >= this.#price) this.#name(note)
    }
    for (const { counted, note } of notes) this.#count(counted, note)
  }

  /** Of those with a name, in the order in which they got it, and of all others together. */
  get counts(): { readonly named: ReadonlyMap<string, HostCounts>; readonly others: HostCounts } {
    const named = new Map([...this.#named].map(([hostKey, { series = NOTHING }]) => [hostKey, series]))
    return { named, others: this.#others }
  }

  get #price(): number {
    return PRICES.find(({ names }) => this.#named.size < names)?.requests ?? Infinity
  }

  #name(note: Note): void {
    note.series = NOTHING
    this.#named.set(note.hostKey, note)
  }

  #count(counted: HostCounted, note: Note | undefined): void {
    if (note?.series !== undefined) note.series = sum(note.series, counted)
    else this.#others = sum(this.#others, counted)
  }

  #noteOf(hostKey: string): Note {
    const known = this.#notes.get(hostKey)
    if (known !== undefined) return known
    if (this.#notes.size >= MAX_HOSTS) this.#forgetOne()
    const note: Note = { hostKey, requests: 0, series: undefined }
    this.#notes.set(hostKey, note)
    return note
  }

  #forgetOne(): void {
    for (const [hostKey, { series }] of this.#notes) if (series === undefined) return void this.#notes.delete(hostKey)
  }
}

function sum(a: HostCounts, b: HostCounts): HostCounts {
  return { requests: a.requests + b.requests, refusals: a.refusals + b.refusals, failures: a.failures + b.failures }
}

// What a scrape shows, as plain data: the status of the crawl, what was counted, and the process as it is now.

/** The process of a crawl, as it is now. */
export interface LiveFigures {
  readonly heapBytes: number
  /** Of its event loop, in seconds. Absent before it was measured. */
  readonly loopDelay?: Readonly<Record<'p50' | 'p99' | 'max', number>>
}

/** The process that answers. Numbers that its system does not tell are absent. */
export interface OwnFigures {
  readonly cpuSeconds: number
  readonly residentBytes: number
  /** Seconds since 1970. */
  readonly startedAt: number
  readonly openFds?: number
  readonly maxFds?: number
}

/** The status without its hosts. */
export type ShownStatus = Omit<CrawlStatus, 'hosts' | 'liveHosts'>

/** A crawl, as it is shown. */
export interface MeasuredCrawl {
  readonly status: ShownStatus
  /** How many hosts of its store are what: `fine`, `slow`, `refusing`, … Absent where nobody has read them. */
  readonly conditions?: CrawlReport['conditions']
  readonly book: CrawlBook
  /** Absent before it was seen. */
  readonly live?: LiveFigures
}
