// What stands on one host: the pages, and what a crawl of them should find. Each kind of site is a function from a description to this.
import type { Chance } from '../seeded.ts'

/** A page before it is bytes. */
export interface Draft {
  readonly status: number
  readonly contentType: string
  readonly body: string | Uint8Array
  /** Where a redirect leads. */
  readonly location?: string
  /** How it says that it is as it was, and since when it is. Ms since the web was started. */
  readonly validator?: { readonly kind: 'etag' | 'last-modified'; readonly changedAtMs: number }
}

/** A product as the shop has it. */
export interface SiteProduct {
  readonly path: string
  readonly sku: string
  readonly name: string
  /** With two decimals at most. */
  readonly price: number
  /** Ms since the web was started at which it became that; absent where prices stay. */
  readonly sinceMs?: number
}

/** A quote as its page has it. */
export interface SiteQuote {
  readonly text: string
  readonly author: string
  readonly tags: readonly string[]
}

/** The content of one host. */
export interface Site {
  /** Paths that a crawl begins with. */
  readonly seeds: readonly string[]
  /** Paths of all HTML pages that following links from the seeds finds, seeds included, in the order of the site. */
  paths(): readonly string[]
  /** What stands at `path` (with its query); undefined = nothing. `atMs` since the web was started: most sites stay as they are. */
  draft(path: string, atMs: number): Draft | undefined
  /** Number of the time in which nothing changes. Absent: nothing ever does. */
  roundAt?(atMs: number): number
  /** Sites of the same word here have the same pages, whatever their host. */
  readonly sharedAs?: string
  products(atMs: number): readonly SiteProduct[]
  quotes(): readonly SiteQuote[]
}

/** What a kind of site is made from. */
export interface Ground {
  /** Origin of the host, such as `http://shop-007.test`, for absolute links. */
  readonly base: string
  /** Origin of another host of the model. */
  baseOf(host: string): string
  /** Chance of this host, by purpose. */
  chance(purpose: string): Chance
}
