// From what a list says to links: which of its URLs it may speak for, which handler they go to, and when they are visited again.
//
// A list speaks for the site (the registrable domain) that it is on. For others it needs the right: their robots.txt names it ("cross submission",
// https://www.sitemaps.org/protocol.html#sitemaps_cross_submits), or the user does.
import { link, type Link } from '@avocet/core'
import { originOf, siteOf } from '@avocet/core/plugin'
import type { ListedUrl, ReadList } from './list-reader.ts'
import type { SitemapRules } from './options.ts'

/** Indexes inside each other; the protocol allows one. */
const MOST_LEVELS = 3
/** Lists go ahead of pages: what is known of a site decides which page is next. */
export const LIST_PRIORITY = 1_000

/** What the request for a list carries. */
export interface ListOrigin {
  /** The host whose robots.txt named it, or the index that did. Absent: the user named it, and trusts it. */
  readonly of?: string
  /** Indexes above it. */
  readonly level: number
}

/** A list, where it is, and by whose word. */
export interface FoundList {
  readonly url: string
  readonly origin: ListOrigin
  readonly list: ReadList
}

/** How many URLs were left out, and why. */
export interface LeftOut {
  foreign: number
  deep: number
}

/** The links of a list. What is left out is counted in `left`. */
export function* listLinks({ url, origin, list }: FoundList, rules: SitemapRules, left: LeftOut): Generator<Link> {
  const isTrusted = trusting(url, origin)
  const level = origin.level + 1
  for (const listed of list.urls) {
    if (!isTrusted(originOf(listed.url))) left.foreign++
    else if (list.kind !== 'index') yield* pageLink(listed, rules)
    else if (level > MOST_LEVELS) left.deep++
    else yield listLink(listed.url, { ...origin, level })
  }
}

/** A link to a list, which is read in each run. */
function listLink(url: string, data: ListOrigin, handler = 'sitemaps/sitemap'): Link {
  return link(url, { handler, again: true, priority: LIST_PRIORITY, data: { ...data } })
}

function* pageLink({ url, modifiedAt, priority }: ListedUrl, rules: SitemapRules): Generator<Link> {
  const handler = rules.handlerOf(url)
  if (handler === undefined) return
  const rank = rules.priority && priority !== undefined ? Math.round((priority - 0.5) * 10) : 0
  yield link(url, { handler, ...(rank !== 0 && { priority: rank }), ...(modifiedAt !== undefined && { modifiedAt }) })
}

/** Whether a list may speak for an origin. */
function trusting(url: string, { of }: ListOrigin): (origin: string) => boolean {
  if (of === undefined) return () => true
  const sites = new Set([siteOf(hostOf(originOf(url))), siteOf(of)])
  const known = new Map<string, boolean>()
  return (origin) => {
    const before = known.get(origin)
    if (before !== undefined) return before
    const isTrusted = sites.has(siteOf(hostOf(origin)))
    if (known.size < 1_000) known.set(origin, isTrusted)
    return isTrusted
  }
}

function hostOf(origin: string): string {
  return origin.slice(origin.indexOf('//') + 2)
}
