// What the page shows of a crawl, as plain JSON. Times are epoch ms, durations ms, rates per second; null = not known, or never. No text in it is markup.
import type { PageVisits } from './page-visits.ts'
import type { History, Series } from './series.ts'

/** What a crawl is doing. `elsewhere`: another process crawls the store; `silent`: one that may be dead; `at-rest`: nobody does. */
export type CrawlPhase = 'opening' | 'running' | 'paused' | 'draining' | 'closed' | 'elsewhere' | 'silent' | 'at-rest'

/** What each view has at its head. */
export interface CrawlHead {
  readonly name: string
  readonly store: string
  readonly phase: CrawlPhase
  readonly at: number
  readonly pausedFor: string | null
  /** Of one that runs and has nothing to do: when its next request is due. */
  readonly idleUntil: number | null
  /** Why what is shown is older than it should be. */
  readonly trouble: string | null
}

/** A name, and how often it came. */
export interface NamedCount {
  readonly name: string
  readonly count: number
}

/** What holds some hosts. */
export interface WaitGroup {
  readonly by: string
  readonly why: string
  readonly hosts: number
  /** When the first of them goes on; null = when something in flight has ended or, by `operator`, when it is resumed. */
  readonly until: number | null
}

/** How far a sink is. */
export interface SinkLine {
  readonly name: string
  readonly written: number
  readonly behind: number
  readonly error: string | null
}

/** What an operator has ordered, in words. */
export interface OrderLine {
  readonly at: number
  readonly words: string
}

/** The crawl now. `live` is null where this process does not crawl it. */
export interface NowPicture {
  readonly known: number
  readonly waiting: number
  readonly done: number
  readonly moved: number
  /** known = waiting + done + moved + failed. */
  readonly failed: number
  readonly items: number
  readonly rejects: number
  readonly hosts: number
  readonly givenUpHosts: number
  readonly processes: number
  readonly startedAt: number | null
  /** How many were offered; null = all, or not known. */
  readonly seeds: string | null
  readonly live: LivePicture | null
  /** Hosts by what they are like, the gravest first, and a few of those in trouble. */
  readonly conditions: readonly NamedCount[]
  readonly inTrouble: readonly Pick<HostLine, 'hostKey' | 'state' | 'why'>[]
  readonly failures: readonly NamedCount[]
  readonly troubles: readonly NamedCount[]
  /** Where `live` is null only what orders hold is known. */
  readonly waits: readonly WaitGroup[]
  readonly sinks: readonly SinkLine[]
  /** The last ones, newest first. */
  readonly orders: readonly OrderLine[]
}

/** What only the process that crawls knows. */
export interface LivePicture {
  readonly pagesPerSecond: number
  readonly averagePagesPerSecond: number
  /** Ms until it has finished. */
  readonly restMs: number | null
  readonly inFlight: number
  readonly slots: number
  readonly handlersRunning: number
  readonly connections: number | null
  readonly liveHosts: number
  readonly heldHosts: number
  readonly requests: number
  readonly refusals: number
  readonly retried: number
  readonly wireBytes: number
}

/** States by which hosts are filtered. */
export const HOST_STATES = ['all', 'broken layout', 'unreachable', 'blocked', 'refusing', 'paused', 'slow', 'fine'] as const

/** One of them. */
export type HostState = (typeof HOST_STATES)[number]

/** Orders of hosts. */
export const HOST_SORTS = ['trouble', 'name', 'waiting', 'done', 'failed', 'retried'] as const

/** One of them. */
export type HostSort = (typeof HOST_SORTS)[number]

/** What holds a host. */
export interface HoldLine {
  readonly by: string
  readonly why: string
  readonly until: number | null
}

/** One row of the table of hosts. */
export interface HostLine {
  readonly hostKey: string
  readonly state: Exclude<HostState, 'all'>
  /** Why; empty where it is fine. */
  readonly why: string
  readonly waiting: number
  readonly done: number
  readonly failed: number
  readonly retried: number
  /** Requests per second that its policy has found. */
  readonly foundRps: number | null
  readonly breaker: string | null
  readonly hold: HoldLine | null
}

/** Rows, and of how many. */
export interface HostLines {
  readonly total: number
  /** Hosts read so far: less than `total` while a large store is read. */
  readonly indexed: number
  readonly matching: number
  /** Place of the first row among those that match. */
  readonly from: number
  readonly rows: readonly HostLine[]
}

/** What a plugin knows. */
export interface KnownFacts {
  readonly by: string
  readonly facts: string
}

/** What operators have ordered for a host. */
export interface HostOrders {
  readonly isPaused: boolean
  /** Limits in place of those of the configuration; null: as configured. */
  readonly maxRps: number | null
  readonly maxInFlight: number | null
  readonly delayMs: number | null
}

/** One host. */
export interface HostPicture {
  readonly hostKey: string
  readonly line: HostLine
  readonly retiredFor: string | null
  readonly probeAt: number | null
  readonly holds: readonly HoldLine[]
  readonly orders: HostOrders
  readonly known: readonly KnownFacts[]
  readonly series: Series
  /** Its rate, without failures and times. */
  readonly rates: History
  /** As `avocet why` says it, a line each. */
  readonly story: readonly string[]
  /** Some of its pages that failed, and some that wait. */
  readonly pages: readonly PageLine[]
}

/** One request. */
export interface PageLine {
  readonly id: number
  readonly url: string
  readonly state: string
  readonly reason: string | null
  readonly attempts: number
  /** It has failed, is not due again, and was not dropped before. */
  readonly canBeDropped: boolean
}

/** One URL. */
export interface UrlPicture {
  readonly url: string
  readonly hostKey: string | null
  readonly story: readonly string[]
  readonly requests: readonly PageLine[]
  /** Of those of its requests that were visited. */
  readonly visits: readonly PageVisits[]
  /** The page that led to it, the page that led to that one, and so on. */
  readonly parents: readonly { readonly url: string; readonly anchorText: string | null }[]
}

/** One item. */
export interface ItemLine {
  readonly seq: number
  readonly url: string
  readonly json: string
}

/** An item that was refused. */
export interface RejectLine {
  readonly id: string
  readonly source: string
  readonly url: string
  readonly reason: string
  readonly json: string
}

/** The newest items, the newest first, and rejects. */
export interface ItemsPicture {
  readonly count: number
  readonly items: readonly ItemLine[]
  readonly rejectCount: number
  readonly rejectGroups: readonly { readonly source: string; readonly reason: string; readonly count: number }[]
  readonly rejects: readonly RejectLine[]
}

/** Pages that were given up for one class of reasons. */
export interface FailureClass {
  readonly name: string
  readonly means: string
  readonly count: number
  /** Whether time may heal it. */
  readonly heals: boolean
  /** Whether they were dropped: nobody needs to look at them. */
  readonly isDropped: boolean
  readonly reasons: readonly NamedCount[]
  readonly samples: readonly PageLine[]
}

/** A kind of error of handlers. */
export interface HandlerErrorLine {
  readonly message: string
  readonly count: number
  readonly url: string
}

/** All given-up pages. */
export interface FailuresPicture {
  readonly classes: readonly FailureClass[]
  readonly handlerErrors: readonly HandlerErrorLine[]
}

/** A sentence in pieces; pieces with `code` are shown as code, those with `href` as links. */
export type SheetText =
  | string
  | readonly (string | { readonly code: string } | { readonly href: string; readonly text: string })[]

/** How a host was treated, for its owner. */
export interface PolitenessSheet {
  readonly title: string
  readonly subtitle: string
  readonly facts: readonly { readonly name: string; readonly value: string; readonly note: string | null }[]
  readonly sentences: readonly SheetText[]
  readonly tables: readonly {
    readonly title: string
    readonly columns: readonly string[]
    readonly rows: readonly { readonly cells: readonly string[]; readonly isBad: boolean }[]
  }[]
  readonly footer: SheetText
}

/** One crawl of a folder. */
export interface CrawlLine {
  readonly id: string
  readonly name: string
  readonly store: string
  readonly phase: CrawlPhase
  readonly known: number
  readonly waiting: number
  readonly done: number
  readonly failed: number
  readonly items: number
  readonly hosts: number
  /** Why it cannot be read. */
  readonly error: string | null
}
