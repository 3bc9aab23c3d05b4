// The port of a gatekeeper: it holds requests back until they can succeed, and looks at answers before they count. Loaded where the spider needs one.
//
// It asks for pages of its own meanwhile. What these send, in bodies, header fields and queries, is known to the server alone.
import type { Clock } from './clock.ts'
import type { Failure } from './failure.ts'
import type { CrawledPage, Page } from './page.ts'
import type { Plugin } from './plugin.ts'
import type { Leased, Request } from './request.ts'
import type { Spider } from './spider.ts'

/** What holds a request that could go otherwise. */
export interface Gate {
  /** Epoch ms at which it is asked about again. */
  readonly until: number
  /** As the end of a sentence. */
  readonly why: string
  /** Nothing can change before then. */
  readonly isResting: boolean
}

/** An answer before it counts. */
interface Reviewed {
  readonly request: Request
  /** When it was booked, epoch ms. */
  readonly admittedAt: number
  /** What it counts for otherwise. */
  readonly kind: 'page' | 'redirect' | 'failed' | 'retry'
  readonly page: Page
  /** Where it redirects to; undefined where it does not. */
  readonly target: string | undefined
}

/** What becomes of its request instead: it goes again at once, waits until `at` (epoch ms), neither of them counted, or fails. */
type Review =
  | { readonly kind: 'again' }
  | { readonly kind: 'retry'; readonly at: number; readonly reason: string }
  | { readonly kind: 'failed'; readonly failure: Failure }

/** A page that a gatekeeper wants. */
export interface OwnVisit {
  /** Canonical. */
  readonly url: string
  readonly method?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: string | undefined
  readonly session: string | undefined
  /** The host whose requests wait for it: it is booked there, wherever its URL is. */
  readonly hostKey: string
  /** In place of the name of a handler. */
  readonly handler: string
  /** URL that the user named, which is no secret: plugins are not asked for leave on its host. */
  readonly known: string
  /** It continues what has begun. */
  readonly isNext: boolean
}

/** Nothing is known of the page: a plugin put it off until then, epoch ms, or its host was given back. */
export interface VisitPutOff {
  readonly notBefore: number
}

/** The page that came. */
export interface OwnPage {
  readonly page: CrawledPage
  /** Its URL as others may see it. */
  readonly shownUrl: string
  /** Every URL on the way, its own last. */
  readonly way: readonly string[]
  /** `text` as others may see it. */
  shown(text: string): string
}

/** The crawl as a gatekeeper sees it. */
interface GatedCrawl {
  readonly spider: Spider
  /** What `remembers` gave, joined over the processes. Written with the next commit. */
  readonly memory: unknown
  readonly clock: Clock
  readonly handlerTimeoutMs: number
  readonly hostKeying: 'host' | 'domain'
  /** Names of plugins. */
  readonly plugins: readonly string[]
  /** Names of sessions that are configured. */
  readonly sessions: readonly string[]
  /** Requests a page, and follows redirects as far as the scope lets it. Told its end once: the page, or why there is none. */
  visit(wish: OwnVisit, ended: (came: OwnPage | VisitPutOff | string) => void): void
  /** Writes its memory now: no page may be committed for long. */
  save(): void
  /** More may go: the crawl looks again. */
  goOn(): void
  /** Tells a person, of a `notice` that nothing is wrong. */
  tell(message: string, as: 'problem' | 'notice'): void
  /** Takes secrets out of a text. */
  hidden(text: string): string
}

/** Before the crawl is open. */
export interface Gatekeeper {
  /** Name and shape of its memory. */
  readonly remembers: Pick<Plugin, 'name' | 'crawlMemory' | 'merge' | 'moments'>
  open(crawl: GatedCrawl): OpenGatekeeper
}

/** While it runs. */
export interface OpenGatekeeper {
  /** Something is in progress that the crawl waits for, and that is no exchange. */
  readonly busy: boolean
  /** Reason of requests that wait in the store while others go; undefined where there are no others. */
  readonly putOffFor: string | undefined
  /** What holds a request; undefined where it may go. Asking again changes nothing. */
  readonly holds: (request: Leased) => Gate | undefined
  /** Begins what requests wait for. */
  begin(): void
  /** Undefined: it counts as it was judged. */
  reviewed(answer: Reviewed): Review | undefined
  /** Begins nothing more. */
  close(): void
  /** All pages are done. */
  done(): void
}
