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

// A page as a web serves it, what is served where there is none, and conditional requests. Both webs answer with it.

/** The complete response for a path. Header names in lower case. */
export interface SitePage {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

const NOT_FOUND_BODY = '<!doctype html>\n<title>404 Not Found</title>\n<h1>404 Not Found</h1>\n'

/** The page of status 404, the same everywhere. */
export const NOT_FOUND: SitePage = {
  status: 404,
  headers: { 'content-type': 'text/html; charset=utf-8', 'content-length': String(NOT_FOUND_BODY.length) },
  body: new TextEncoder().encode(NOT_FOUND_BODY),
}

const EMPTY = new Uint8Array()

/** Fields of a request by lower-case name. */
type Asked = Readonly<Record<string, string | readonly string[] | undefined>>

/** What a server answers that has `page`: the page, that the client has it already, or the part that is asked for. */
export function asAsked(page: SitePage, asked: Asked): SitePage {
  const found = unlessKnown(page, asked)
  return found === page ? partOf(page, asked) : found
}

/**
 * The page from the byte on that a Range asks for, or 416 where it has no such byte. Other ranges, and those of another version (If-Range), get the whole
 * (RFC 9110 §13.1.5, §14.2). Only a page with a validator has parts.
 */
function partOf(page: SitePage, { range, 'if-range': version }: Asked): SitePage {
  const { etag, 'last-modified': modified } = page.headers
  const [, digits] = /^bytes=(\d{1,15})-$/.exec(typeof range === 'string' ? range : '') ?? []
  const isSame = version === undefined || version === etag || version === modified
  if (digits === undefined || page.status !== 200 || !isSame || (etag === undefined && modified === undefined)) return page
  const [from, whole] = [Number(digits), page.body.byteLength]
  if (from >= whole) return { status: 416, headers: { 'content-range': `bytes */${whole}`, 'content-length': '0' }, body: EMPTY }
  const body = page.body.subarray(from)
  const fields = { 'content-range': `bytes ${from}-${whole - 1}/${whole}`, 'content-length': String(body.byteLength) }
  return { status: 206, headers: { ...page.headers, ...fields }, body }
}

/** The page, or 304 without a body when the client has it already. If-None-Match goes before If-Modified-Since (RFC 9110 §13.2.2). */
function unlessKnown(page: SitePage, asked: Asked): SitePage {
  const { etag, 'last-modified': modified } = page.headers
  if (page.status !== 200 || (etag === undefined && modified === undefined)) return page
  const tags = asked['if-none-match']
  const since = asked['if-modified-since']
  const isKnown =
    tags === undefined
      ? modified !== undefined && typeof since === 'string' && Date.parse(since) >= Date.parse(modified)
      : etag !== undefined && String(tags).includes(etag)
  if (!isKnown) return page
  const headers = { ...(etag !== undefined && { etag }), ...(modified !== undefined && { 'last-modified': modified }) }
  return { status: 304, headers, body: EMPTY }
}
