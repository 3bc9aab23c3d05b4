// What a crawl says of itself: the live status while it runs, and the report at its end.
import type { ClosedPattern } from './discovery-limits.ts'
import type { Counts } from './frontier-reader.ts'
import type { HandlerErrorGroup } from './handler-error.ts'
import type { Probation } from './request.ts'
import type { RejectGroup } from './reject.ts'
import type { SinkStatus } from './sink-record.ts'
import type { SourceCount } from './document-handler.ts'

/**
 * How a run ended. `done`: nothing is waiting. `given-up`: all that waits is of hosts that were given up. `patience`: what is left waits longer than
 * `patienceMs`. `limit`: pages or time. `stopped`: asked to. `failed`: the store or a plugin gave up; `error` says why.
 */
export type Ending = 'done' | 'given-up' | 'patience' | 'limit' | 'stopped' | 'failed'

/** What pauses a whole crawl: its user, an operator by an order in the store, the store that cannot be used, or this machine (no network, no descriptors). */
export type PausedBy = 'user' | 'operator' | 'store' | 'machine'

/** What holds a host, until when, and which plugin decided so. */
export interface Hold {
  /** Plugin that said so, `core`, or `operator` where it is paused by an order. */
  readonly by: string
  /** In words. */
  readonly why: string
  /** Epoch ms; Infinity = until one of its exchanges ends. */
  readonly until: number
}

/** A host that this process holds, as it is now. */
export interface HostStatus {
  /** Host name, and port if it is not the default. */
  readonly hostKey: string
  /** Exchanges that are booked and not over. */
  readonly inFlight: number
  /** Waiting requests, in RAM and in the store. */
  readonly waiting: number
  /** Whether it ever answered with a success, in any run. */
  readonly proven: boolean
  /** Failures and answers with 5xx in a row, up to now; see `HostView`. */
  readonly consecutiveFailures: number
  /** Epoch ms of the last booking; 0 when there was none. With something in flight: nothing of it is younger. */
  readonly lastStartAt: number
  /** Of the last exchange that was sent, from sending to the end; 0 when there was none. */
  readonly lastDurationMs: number
  /** Answers of this run. */
  readonly answered: number
  /** Refusals (429, 503) of this run. */
  readonly refused: number
  /** Failures of this run. */
  readonly failed: number
  /** Items that its pages gave, of all runs; with those that are about to be committed. */
  readonly items: number
  /** When its oldest exchange in flight was booked, epoch ms. Absent when nothing is in flight. */
  readonly inFlightSince?: number
  /** What holds it; absent when nothing does. */
  readonly hold?: Hold
}

/** Counters of this run; they begin at 0 when the process starts. */
export interface RunCounts {
  /** Pages that a handler accepted. */
  readonly pages: number
  /** Exchanges sent. */
  readonly requests: number
  /** Exchanges that failed: no name, no connection, a time limit, a reset. A request may have several. */
  readonly failures: number
  /** Items that were committed. */
  readonly items: number
  /** Items that `onItem` of a plugin dropped. */
  readonly dropped: number
  /** Of the failed: pages that failed for one of their items: not plain JSON, or the schema or `onItem` threw. */
  readonly spoiled: number
  /** Visits to pages that were handled, lost or unchanged. */
  readonly handled: number
  /** Of them: those lost to an error in the handler, the schema or `onItem`. */
  readonly lost: number
  /** Visits that were left out, because the one before came too late. */
  readonly missed: number
  /** Items that the spider's schema refused. They are kept aside: `avocet rejects`. */
  readonly rejects: number
  /** Items that plugins held, also those that were published or dropped since. */
  readonly held: number
  /** Changes of watched items that were recorded. */
  readonly changes: number
  /** Requests that were given up. */
  readonly failed: number
  /** Attempts after which a request waits for another one. */
  readonly retried: number
  /** Redirects that were followed. */
  readonly moved: number
  /** Links that handlers yielded, and targets of redirects. */
  readonly links: number
  /** Of them and of redirects, those that were new. */
  readonly added: number
  /** Out of scope, refused by a plugin, beyond a budget, or no URL. */
  readonly refusedLinks: number
  /** Bytes of bodies as they came over the wire. */
  readonly wireBytes: number
  /** Throws caught in plugins. */
  readonly pluginErrors: number
}

/** What a stop still waits for. */
export interface DrainStatus {
  /** Epoch ms at which nothing is waited for any more; Infinity = until it has ended. */
  readonly until: number
  /** Epoch ms at which requests that may be sent twice go back to the queue. Absent when they are waited for like the others. */
  readonly recallAt?: number
}

/** The live status. */
export interface CrawlStatus {
  /** Of the spider. */
  readonly name: string
  /** `draining`: nothing new is begun, and what is in flight finishes. */
  readonly phase: 'opening' | 'running' | 'paused' | 'draining' | 'closed'
  /** Epoch ms. */
  readonly now: number
  /** Epoch ms. */
  readonly startedAt: number
  /** Counters of this run. */
  readonly run: RunCounts
  /** Requests of all runs, in any state. Like all totals kept up to date from commits, without asking the store. */
  readonly known: number
  /** Requests that are not settled. */
  readonly waiting: number
  /** done + moved + failed: a page that is visited again and again counts as what it was last. */
  readonly settled: number
  /** Pages that a handler accepted, and documents of plugins. */
  readonly done: number
  /** Requests that redirected. */
  readonly moved: number
  /** Requests whose last visit failed for good, also those that are due again. */
  readonly failed: number
  /** Items of all runs. */
  readonly items: number
  /** Exchanges that are booked and not over. */
  readonly inFlight: number
  /** When something can be requested next, epoch ms; in the past: now. Absent: nothing waits, or nobody knows. */
  readonly nextAt?: number
  /** As of `StoredReport`: of this run. */
  readonly rounds?: CrawlReport['rounds']
  /** The most that may be in flight: `concurrency`. */
  readonly slots: number
  /** Seeds that were offered, and of how many; of a function nobody knows. Absent once all were. */
  readonly seeds?: { readonly offered: number; readonly of?: number }
  /** Pages that are in their handler. */
  readonly handlersRunning: number
  /** Open connections, and how many of them are in use. Absent when the fetcher does not count them. */
  readonly connections?: { readonly open: number; readonly busy: number }
  /** While it drains: for how long, epoch ms. */
  readonly drain?: DrainStatus
  /** Hosts that this process holds. */
  readonly liveHosts: number
  /** Each of them. */
  readonly hosts: readonly HostStatus[]
  /**
   * Hosts that operators have paused by an order, also those that no process holds and that this run has not met. `first`: at most 100, by name. `until`:
   * epoch ms; Infinity = until it is resumed. Absent when there are none.
   */
  readonly pausedHosts?: {
    readonly count: number
    readonly first: readonly { readonly hostKey: string; readonly until: number }[]
  }
  /** The sinks of this run. Absent when there are none. */
  readonly sinks?: readonly SinkStatus[]
  /** Why the whole crawl is paused, if it is. */
  readonly pausedFor?: string
  /** Its user, an operator, the store that cannot be used, or this machine. Absent when it is not paused. */
  readonly pausedBy?: PausedBy
}

/** One final report. Plain JSON. */
export interface CrawlReport extends StoredReport {
  /** Version of its shape. */
  readonly schema: 1
  /** Of the spider. */
  readonly name: string
  /** The store could not be read at the end: `counts` is as of the last commit, and lists are missing. */
  readonly withoutStore?: true
  /** How the run ended. */
  readonly ended: Ending
  /** One sentence on why it ended. */
  readonly why: string
  /** Whether the store had requests of an earlier run. */
  readonly resumed: boolean
  /** Epoch ms. */
  readonly startedAt: number
  /** Epoch ms. */
  readonly endedAt: number
  /** Counters of this run. */
  readonly run: RunCounts
  /** What this run has offered of its seeds: the next one offers the rest. Absent: all. */
  readonly seeds?: CrawlStatus['seeds']
  /** The sinks of this run. Absent when there were none. */
  readonly sinks?: readonly SinkStatus[]
  /** What documents of plugins, such as sitemaps, listed in this run. Absent: there were none. */
  readonly sources?: readonly SourceCount[]
  /** Messages of errors in plugins, and what else a person should know of, each with its count, at most 50. */
  readonly problems: readonly { readonly message: string; readonly count: number }[]
  /** Why it failed; absent unless `ended` is `failed`. */
  readonly error?: { readonly code: string; readonly message: string }
}

/** What a report has from the store: of all runs, whoever made them. */
export interface StoredReport {
  /** Totals of all runs. */
  readonly counts: Counts
  /** An operator has paused the crawl: later runs request nothing until it is resumed. */
  readonly paused?: true
  /** Hosts that operators have paused. */
  readonly pausedHosts?: CrawlStatus['pausedHosts']
  /** Of those that are done: documents of plugins, such as sitemaps and files. */
  readonly documents?: number
  /** Reasons of failed requests of all runs, most frequent first. */
  readonly failures: readonly { readonly reason: string; readonly count: number }[]
  /** Errors in handlers and in `onItem`, of all runs: how many pages each lost, most first, at most 101. */
  readonly handlerErrors: readonly HandlerErrorGroup[]
  /** Items that the schema or a sink refused, of all runs, by source and group of reasons, at most 100 groups. */
  readonly rejects: readonly RejectGroup[]
  /** Hosts with waiting requests: how many, until when, why; at most 100, those with most waiting first. */
  readonly waitingHosts: readonly {
    readonly hostKey: string
    readonly waiting: number
    readonly until: number
    readonly why: string
  }[]
  /** Hosts that were given up, at most 100. `probeAt`: epoch ms of the next probe; absent: at the start of the next run. */
  readonly retiredHosts: readonly {
    readonly hostKey: string
    readonly waiting: number
    readonly reason: string
    readonly probeAt?: number
  }[]
  /** Pages that are missing and not yet believed to be gone. */
  readonly probation: Probation
  /** Patterns of URLs that are closed, and budgets that were met, at most 100. `avocet scope accept` opens them. */
  readonly closedPatterns: readonly ClosedPattern[]
  /**
   * Handlers that used to get items from a host and get none any more, or fail now, at most 100. Needs `journal()`, which the
   * command has.
   */
  readonly driedUp: readonly DriedUp[]
  /** Links that were not followed, of all runs, by the rule that refused them. Needs `journal()`. */
  readonly refusedLinks: readonly RefusedByRule[]
  /** How many hosts are `paused`, `unreachable`, `blocked`, `refusing`, `slow`, `fine` or have a `broken layout`. */
  readonly conditions: Readonly<Record<string, number>>
  /** The last round of each interval of visits. `due`: made and left out; `late`: pages whose visits were left out. */
  readonly rounds: readonly Readonly<Record<'everyMs' | 'begunAt' | 'due' | 'visited' | 'late', number>>[]
  /** How long ago pages that are visited again were visited last, of a sample. */
  readonly ages?: Readonly<Record<'medianMs' | 'p99Ms' | 'pages', number>>
}

/** A handler that got items from a host and gets none any more, yielded neither item nor link for any of ten pages or more, or fails on its pages now. */
export interface DriedUp {
  /** Host name, and port if it is not the default. */
  readonly hostKey: string
  /** Absent: handlers of this host that are not counted by name. */
  readonly handler?: string
  /** Items of all its pages. */
  readonly items: number
  /** How many of its last pages in a row had none. */
  readonly barren: number
  /** In words: `no items in the last 40 pages of handler product, after 400 items`. */
  readonly why: string
}

/**
 * What refused a link. Of the scope: `off-host` (`within`, `hosts`), `blocked-host`, `too-deep`, `not-allowed`, `denied`. Of any crawl: `bad-port`, `bad-host`,
 * `not-http`, `malformed`, `url-too-long`, `url-limit` (too many segments or parameters), `trap` (a path that repeats itself), `link-budget`
 * (beyond what a page, a host or a site may add). Of a plugin: `plugin` and its name.
 */
export type RefusalRule = string

/** Links that a rule refused: its name, the host that they led to, or nothing, and how many. */
export type RefusalRow = readonly [RefusalRule, string, number]

/** Links that were refused by one rule. */
interface RefusedByRule {
  /** Its name. */
  readonly rule: RefusalRule
  /** Links that it refused, in all runs. */
  readonly count: number
  /** Where they led, most links first, at most ten. */
  readonly hosts: readonly { readonly hostKey: string; readonly count: number }[]
  /** Of the links: those to other hosts than these, or to none. */
  readonly others: number
}
