// Runs a handler of a spider on a recorded page: for tests of handlers, without a crawl.
import { Link, type Json, type Page, type Request, type Response, type Spider } from '@avocet/core'
import type { ResponseHeaders } from '@avocet/core/plugin'
import { hostKeyOf, type Fingerprint } from '@avocet/core/store'
import { checkCrawl } from '@avocet/config'
import { pageOf } from '@avocet/page'

/** A recorded page. */
export interface RecordedPage {
  /** Its URL: relative links are resolved against it. */
  readonly url: string
  readonly body: string | Uint8Array
  /** Name of the handler. Default `start`. */
  readonly handler?: string
  /** Default 200. */
  readonly status?: number
  /**
   * Lower-case names. Default: none. Without a content type, a text that begins with a tag is HTML, unless it is that of a feed or a sitemap; of anything else
   * type and charset are guessed from the body, as browsers do.
   */
  readonly headers?: ResponseHeaders
  /** `data` of the link that led here. */
  readonly data?: Json
  /** Epoch ms at which it was requested. Default 0. */
  readonly fetchedAt?: number
}

type SchemaIssues = readonly { readonly message: string; readonly path?: readonly unknown[] | undefined }[]

/** What a handler yielded, in order. */
export interface Yielded<Item> {
  /** Where the spider has a schema of items: what that makes of them. */
  readonly items: readonly Item[]
  readonly links: readonly Link[]
  /** Items that the schema refused, with what it says of them. */
  readonly rejects: readonly { readonly item: unknown; readonly issues: SchemaIssues }[]
}

/**
 * Runs a handler of a spider on a recorded page.
 *
 * @returns its items and links, and what the spider's schema refused; nothing is fetched, filtered or stored.
 * @throws AVO_SPIDER_INVALID for what is no spider, such as a function that makes one of arguments: call it first.
 * @throws Error when the spider has no such handler; and whatever the handler or the schema throws.
 * @example
 * ```ts
 * const { items, links } = await readPage(priceWatch, { url: 'https://shop.example/offer/7', body: '<h1>Tea</h1>', handler: 'offer' })
 * ```
 */
export async function readPage<Item>(spider: Spider<Item, unknown>, recorded: RecordedPage): Promise<Yielded<Item>> {
  const { handler = 'start' } = recorded
  checkCrawl({ spider })
  const read = Object.hasOwn(spider.handlers, handler) ? spider.handlers[handler] : undefined
  if (read === undefined)
    throw new Error(`expected a handler of the spider (${Object.keys(spider.handlers).join(', ')}), got ${handler}`)
  const items: Item[] = []
  const links: Link[] = []
  const rejects: Yielded<Item>['rejects'][number][] = []
  const schema = spider.items !== undefined && 'watch' in spider.items ? spider.items.schema : spider.items
  for await (const yielded of await read(recordedPage(recorded))) {
    if (yielded instanceof Link) links.push(yielded)
    else if (schema === undefined) items.push(yielded as Item)
    else {
      const checked = await schema['~standard'].validate(JSON.parse(JSON.stringify(yielded)))
      if (checked.issues === undefined) items.push(checked.value)
      else rejects.push({ item: yielded, issues: checked.issues })
    }
  }
  return { items, links, rejects }
}

/**
 * The page that a handler sees for a recording.
 *
 * @example
 * ```ts
 * recordedPage({ url: 'https://shop.example/', body: '<h1>Tea</h1>' }).text('h1') // 'Tea'
 * ```
 */
export function recordedPage(recorded: RecordedPage): Page {
  return pageOf({ request: requestOf(recorded), response: responseOf(recorded) })
}

function requestOf({ url, data, handler = 'start' }: RecordedPage): Request {
  const counts = { id: 1, depth: 0, priority: 0, attempts: 0, freeAttempts: 0, hops: 0 }
  return {
    ...counts,
    fingerprint: '' as Fingerprint,
    hostKey: hostKeyOf(new URL(url), 'host'),
    url,
    method: 'GET',
    headers: {},
    handler,
    data,
  }
}

/** Browsers guess HTML by some twenty tags only: a recording may be a part of a page, and begin with any. */
const MARKUP = /^\s*<(?!\?xml|rss|feed|rdf:|urlset|sitemapindex)[a-z!]/i

function headersOf({ body, headers = {} }: RecordedPage): ResponseHeaders {
  const isMarkup = headers['content-type'] === undefined && typeof body === 'string' && MARKUP.test(body)
  return isMarkup ? { ...headers, 'content-type': 'text/html' } : headers
}

function responseOf(recorded: RecordedPage): Response {
  const { url, body, status = 200, fetchedAt } = recorded
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const timings = { firstByteMs: 0, bodyMs: 0, reusedSocket: false }
  return {
    url,
    status,
    headers: headersOf(recorded),
    body: bytes,
    wireBytes: bytes.byteLength,
    timings,
    ...(fetchedAt !== undefined && { fetchedAt }),
  }
}
