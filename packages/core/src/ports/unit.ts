// What becomes of a request, from its handler to its commit, as plugins see it, and what they make of it for reports.
import type { ClosedPattern } from './discovery-limits.ts'
import type { HostView, Voted } from './exchange.ts'
import type { HandlerFailure } from './failure.ts'
import type { Outcome } from './frontier.ts'
import type { HostRecord, MemoryParts } from './frontier-reader.ts'
import type { DriedUp, RefusalRow } from './report.ts'
import type { NewRequest, Request } from './request.ts'
import type { Page } from './page.ts'
import type { Response } from './response.ts'
import type { HeldFate, WatchedValue } from './watch.ts'

/** A page that a handler got. */
interface HandledPage {
  /** Whose page it is. */
  readonly request: Request
  /** Of the request. */
  readonly host: HostView
  /** The page. */
  readonly response: Response
  /** Epoch ms. */
  readonly now: number
}

/** A page that its handler is done with, before it is committed. */
export interface Handled extends HandledPage {
  /** None: see `HandlerFailed`. */
  readonly failure?: undefined
  /** As its handler sees it. */
  readonly page: Page
  /** As JSON text, as `onItem` left them. */
  readonly items: readonly string[]
  /** Those of them that are watched. */
  readonly watched: readonly WatchedValue[]
  /** Items that the schema refused. */
  readonly rejects: number
  /** Items that plugins dropped. */
  readonly dropped: number
  /** What its links became, as far as they are not known to be in the store. */
  readonly links: readonly NewRequest[]
  /** Its items are held: they are among the rejects (`held`), go to no sink and change nothing. */
  hold(reason: string): void
  /**
   * What becomes of what was held before. `publish`: of pages of its host and handler; `drop`: of all pages of its host. `drop`
   * wins.
   */
  settleHeld(to: HeldFate): void
}

/** A page whose handler threw, timed out, or yielded what is neither item nor link. No host is blamed. */
export interface HandlerFailed extends HandledPage, Voted {
  /** What went wrong: `failure.message` has the message of what was thrown. */
  readonly failure: HandlerFailure
}

/** A unit that is about to be committed, or one that the store refused. */
export interface Unit {
  /** What was requested. */
  readonly request: Request
  /** Of the request. */
  readonly host: HostView
  /** `outcome.kind`: `done`, `moved`, `failed` or `retry`. */
  readonly outcome: Outcome
  /** Items of the page. */
  readonly items: number
  /** Items that plugins held. */
  readonly held: number
  /** Items that plugins dropped. */
  readonly dropped: number
  /** Items that the schema refused. */
  readonly rejects: number
  /** Links of the page. */
  readonly links: number
  /** Those of them that were not followed: the rule that refused them, the host that they led to if it is known, and how many. */
  readonly refused: readonly RefusalRow[]
  /** It is a document of a plugin, such as a sitemap. */
  readonly isDocument: boolean
  /** 1; -1: the store refused it, so that what was counted of it is taken back. */
  readonly times: 1 | -1
}

// What a plugin adds to reports on hosts at rest: read from what it left in their memory, without running anything.

/** What it finds in the memory of a host. */
export interface HostFindings {
  /** Parts of the memory that it reads: the name of the plugin, or `#` and the name of a blob. */
  readonly parts: readonly string[]
  /** Patterns of URLs that are closed, from the first slash on; with `url`, those that it is of. */
  closed?(memory: MemoryParts, url?: string): readonly ClosedPattern[]
  /** Handlers in trouble at the host. Throws AVO_FRONTIER_CORRUPT. */
  broken?(host: Pick<HostRecord, 'hostKey' | 'memory'>, now: number): readonly DriedUp[]
  /** Links of its pages that were not followed, of all runs. Throws AVO_FRONTIER_CORRUPT. */
  refused?(memory: MemoryParts): readonly RefusalRow[]
}
