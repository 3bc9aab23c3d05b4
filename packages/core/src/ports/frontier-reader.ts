// Port: the read side of a frontier, also on a store that another process is crawling. History, hosts, items, failures, counters.
import type { Blame } from '../values/errors.ts'
import type { HandlerError, HandlerErrorGroup } from './handler-error.ts'
import type { Json } from '../values/json.ts'
import type { RejectGroup, RejectQuery, RejectRecord } from './reject.ts'
import type { Missing } from './request.ts'
import type { SinkStanding } from './sink-record.ts'
import type { StoreSizes } from './store-sizes.ts'
import type { ChangeQuery, ChangeRecord } from './watch.ts'

/** Memory at rest: JSON text by part. A part is a plugin's name (`core` for core's own), or `#name` for a blob. */
export type MemoryParts = Readonly<Record<string, string>>

/** Parts that are blobs begin with it; names of plugins cannot contain it. */
export const BLOB_PREFIX = '#'

/** Totals of a crawl. known = waiting + done + moved + failed: a page that is visited again and again counts as what it was last. */
export interface Counts {
  /** Requests, in any state. */
  readonly known: number
  /** Includes `retired`. */
  readonly waiting: number
  /** Pages that a handler accepted. */
  readonly done: number
  /** Requests that redirected. */
  readonly moved: number
  /** Requests that were given up. */
  readonly failed: number
  /** Items of all visits, also those that were removed since. */
  readonly items: number
  /** Items that were removed because they were old (`keep`). Absent when none was. */
  readonly itemsGone?: number
  /** Records of documents of plugins. Absent when there is none. */
  readonly records?: number
  /** Rejects of the schema and of sinks. Absent when there is none. */
  readonly rejects?: number
  /** Hosts of all requests. */
  readonly hosts: number
  /** Hosts that are given up, for now. */
  readonly retiredHosts: number
  /** Waiting requests of retired hosts. */
  readonly retired: number
  /** Of done, moved and failed: how many are due again at a moment. Absent when none is. */
  readonly again?: number
}

/** A host at rest. */
export interface HostRecord {
  /** Host name, and port if it is not the default. */
  readonly hostKey: string
  /** Requests that are not settled. */
  readonly waiting: number
  /** Requests that gave a page or a document. */
  readonly done: number
  /** Requests that redirected. */
  readonly moved: number
  /** Requests whose last visit failed for good. */
  readonly failed: number
  /** Of done, moved and failed: how many are due again at a moment. Absent when none is. */
  readonly again?: number
  /** Attempts that ended as retry. */
  readonly retried: number
  /** Earliest epoch ms of the next visit; 0 when it may be visited at once. */
  readonly readyAt: number
  /** Why it was given up. Absent: it was not. */
  readonly retiredFor?: string
  /** Of a retired host: epoch ms of the next probe. Absent: in a later run. */
  readonly probeAt?: number
  /** Whether a live process holds it. */
  readonly held: boolean
  /** What core and plugins remember of it, part by part, as far as it was read. */
  readonly memory: MemoryParts
}

/** A known URL and its history. */
export interface RequestRecord {
  readonly id: number
  readonly url: string
  readonly handler: string
  readonly hostKey: string
  readonly state: 'waiting' | 'done' | 'moved' | 'failed'
  readonly depth: number
  readonly priority: number
  readonly attempts: number
  readonly freeAttempts: number
  /** What its link said beside the URL: each absent where it said nothing. Credentials among `headers` are references. */
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly data?: Json
  readonly identity?: string
  /** Name of its session; absent: that of its host. */
  readonly session?: string
  /** A browser fetches it. */
  readonly render?: 'browser'
  readonly parent?: string
  readonly anchorText?: string
  readonly redirectedFrom?: string
  /** Where a moved request went. */
  readonly target?: string
  /** Why it failed, or why it was last put back. */
  readonly reason?: string
  readonly blame?: Blame
  /** Of a page that failed in its handler: why, as the first page of its group has it. */
  readonly handlerError?: HandlerError
  /** Epoch ms before which it is not requested; of a settled one: at which it is due again. */
  readonly notBefore?: number
  /** Visits that were settled, and rounds that were not made. Absent for a request that was never to be visited again. */
  readonly visits?: number
  readonly skipped?: number
  /** Its next visit is one that a link or a seed asked for (`again`): epoch ms at which, and the URL of the page that has the link. */
  readonly asked?: { readonly at: number; readonly by?: string }
  /** Of a page that is missing and not believed to be gone: since when. It is on probation while it is due again. */
  readonly missing?: Missing
  /** Of a page that failed or moved: it is believed to be gone for good, and visited rarely, if at all. */
  readonly gone?: true
  /** When the last page that a handler got was fetched (epoch ms), and which visit its items are of. Absent: that is not known. */
  readonly lastPage?: { readonly at: number; readonly visit: number }
  /** Epoch ms of the last fetch, its status (0: no response), how long it took, bytes on the wire. Absent when never fetched. */
  readonly fetchedAt?: number
  readonly status?: number
  readonly durationMs?: number
  readonly wireBytes?: number
}

/** A stored item. `seq` ascends in commit order without gaps that matter; `ordinal` is its place among all items that its visit yielded. */
export interface ItemRecord {
  readonly seq: number
  readonly requestId: number
  readonly url: string
  readonly ordinal: number
  /** Number of the visit that it is of; absent for the first, which is 0. */
  readonly visit?: number
  readonly json: string
}

/** Which items to list, in the order of their commits. */
export interface ItemQuery {
  /** Default 0: from the start. */
  readonly afterSeq?: number
  /** The last one first. */
  readonly newestFirst?: true
  /** Default: all. */
  readonly limit?: number
  /** Handler of documents of a plugin, such as `files/file`: their records instead of items. They have numbers of their own. */
  readonly recordsOf?: string
}

/** Which items of a request to list, the newest first: by visit and ordinal, descending. Read by an index, so that it costs what is read. */
export interface RequestItemsQuery {
  readonly requestId: number
  /** Only what is older than this one. */
  readonly before?: Pick<ItemRecord, 'visit' | 'ordinal'>
  readonly limit: number
}

/** Which hosts to list. Pages go by key, ascending. */
interface HostQuery {
  /** Only this one. */
  readonly hostKey?: string
  readonly afterHostKey?: string
  /** Default: all. */
  readonly limit?: number
  /** Of their memory, those that are wanted. Default: all. */
  readonly parts?: readonly string[]
}

/** Which requests to list. Pages go by id, so the oldest comes first. */
export interface RequestQuery {
  /** Made of this URL: one a handler and method. */
  readonly url?: string
  readonly state?: RequestRecord['state']
  readonly hostKey?: string
  /** Of this handler, as `Link` names it. */
  readonly handler?: string
  /** Why it failed, or why it was last put back. */
  readonly reason?: string
  readonly afterId?: number
  /** Default: all. */
  readonly limit?: number
}

/** A process that crawls, as far as its store knows. */
export interface CrawlingProcess {
  /** Name of its machine. Absent: all processes of such a store are on this one. */
  readonly machine?: string
  readonly pid: number
  /** Hosts that it holds. */
  readonly hosts: number
  /** Epoch ms of the crawl's time: when it opened the store. */
  readonly since?: number
  /** How long ago it last said that it lives, in ms. */
  readonly silentMs?: number
}

/** What a store says of its crawl as a whole. */
export interface FrontierInfo {
  readonly name: string
  /** Epoch ms. */
  readonly createdAt: number
  readonly liveProcesses: number
  /** Those processes, by machine and pid. Absent where no other process can look. */
  readonly processes?: readonly CrawlingProcess[]
  /** Crawl memory of every process that ever wrote here, part by part, as `CrawlInfo.crawlMemories`. */
  readonly memories: readonly MemoryParts[]
}

/** Pages on probation that are listed one by one. */
export const MAX_PROBATION = 100

/** What somebody may have to look at. */
interface StoredProblems {
  /** Errors in the user's code, with how many failed pages each lost, most first; their counts add up to all pages that failed in the phase `handler`. */
  readonly handlerErrors: readonly HandlerErrorGroup[]
  /** How many rejects there are by source and group of reasons, most first, at most 100. Further groups of a source count as one (`OTHER_REASONS`). */
  readonly rejects: readonly RejectGroup[]
  /** Pages on probation: how many, and at most `MAX_PROBATION` of them, by how long they are missing. */
  readonly probation: { readonly pages: number; readonly requests: readonly RequestRecord[] }
}

/** An order of an operator, as it is stored. */
export interface StoredOrder {
  /** Epoch ms of the crawl's time when it was given. No two orders of a store have the same, and it rises. */
  readonly at: number
  readonly json: string
}

/** The port. */
export interface FrontierReader {
  /** Name of the crawl, who works on it, and what it remembers. Asked for every second. */
  info(): Promise<FrontierInfo>
  /** The sinks that the store knows, by name, and how far they are. Counts the items that they lack: not for every second. */
  sinks(): Promise<readonly SinkStanding[]>
  counts(): Promise<Counts>
  /** Reasons of failed requests with how often each occurs, most frequent first. */
  failures(): Promise<readonly { readonly reason: string; readonly count: number }[]>
  /** Beside reasons of failures. Looks at each page that failed in a handler, and at each reject: not for every second. */
  problems(): Promise<StoredProblems>
  /** Orders of operators that were given after the one at `after` (0 = all), oldest first. */
  orders(after: number): Promise<readonly StoredOrder[]>
  hosts(query: HostQuery): Promise<readonly HostRecord[]>
  requests(query: RequestQuery): Promise<readonly RequestRecord[]>
  items(query: ItemQuery): Promise<readonly ItemRecord[]>
  /** Visits without items are not kept: the numbers of those that are there say how many were between. */
  itemsOfRequest(query: RequestItemsQuery): Promise<readonly ItemRecord[]>
  rejects(query: RejectQuery): Promise<readonly RejectRecord[]>
  /** Changes of watched items. */
  changes(query: ChangeQuery): Promise<readonly ChangeRecord[]>
  /** What the store takes on disk as of `now`, epoch ms: estimated by samples, in some ms whatever its size. Absent: it takes none. */
  sizes?(now: number): Promise<StoreSizes>
  close(): Promise<void>
}

// The moment that stands for "until it is resumed": what an operator has paused without an end.

/** Epoch ms that never comes in practice, and that every store can keep: the end of the year 9999. */
const UNTIL_RESUMED = 253_402_300_799_000

/** Who holds a paused host, beside the names of plugins and `core`. */
export const OPERATOR = 'operator'

/** Whether a moment (epoch ms) is that one, also where a clock that was ahead has moved it. */
export function isUntilResumed(at: number): boolean {
  return at > UNTIL_RESUMED / 2 && at < 2 * UNTIL_RESUMED
}

const PAGE = 1_000

/**
 * Every item that `reader` knows, in the order of their commits. `Item` is what the spider of the store yields: nothing checks it.
 *
 * @example
 * ```ts
 * // titles-of.ts
 * import { itemsOf } from 'avocet'
 * import { openReader } from '@avocet/plugin-sqlite'
 *
 * // The titles in the store of a crawl, also while it runs: titlesOf('.avocet/books.db')
 * export async function titlesOf(path: string): Promise<readonly string[]> {
 *   const reader = await openReader(path)
 *   const titles: string[] = []
 *   for await (const { title } of itemsOf<{ title: string }>(reader)) titles.push(title)
 *   await reader.close()
 *   return titles
 * }
 * ```
 */
export async function* itemsOf<Item = Json>(reader: FrontierReader): AsyncGenerator<Item, void, undefined> {
  for (let afterSeq = 0; ;) {
    const page = await reader.items({ afterSeq, limit: PAGE })
    for (const { json } of page) yield JSON.parse(json) as Item
    if (page.length < PAGE) return
    afterSeq = page.at(-1)?.seq ?? Infinity
  }
}
