// What the store of a crawl knows of a URL beyond its spelling: which handler has its page, and what the link said. So a page is tried as the crawl would
// handle it, without typing all that again.
//
// What was typed counts first, by name. Credentials are not in a store: a field that held one is left out, and said. A store never has a request repeated that
// is not safe (RFC 9110 §9.2.1): its kept response is used, and it is sent only where its method was typed.
import type { Json, Page, Request } from '@avocet/core'
import { originOf } from '@avocet/core/plugin'
import { isSecretName, messageOf, type RequestRecord } from '@avocet/core/store'
import { beginsAsReference } from '@avocet/core/tools'
import { pageOf } from '@avocet/page'
import { nameFrom } from '../load/store-path.ts'
import { given } from '../options/values.ts'
import { historyOf } from '../store/known-url.ts'
import { readStore } from '../store/open-store.ts'
import { storeExists } from '../store-kinds/store-kinds.ts'
import { crawlOf, type CrawlWanted, type RequestWish } from './kept-pages.ts'

/** What was typed, or written in code: it counts before what a store knows. */
export interface ToldOfPage extends RequestWish {
  readonly handler?: string | undefined
}

/** How a crawl requests a page, and what it does with it. */
export interface KnownRequest {
  /** Of the request in the store, which may have been typed without its parameters, or with others that the crawl drops. */
  readonly url: string
  readonly handler: string
  readonly data?: Json
  readonly request: RequestWish
  /** As its handler sees it, whatever brings the page. */
  readonly seen: Pick<Request, 'id' | 'depth' | 'priority' | 'headers'> &
    Partial<Pick<Request, 'parent' | 'anchorText' | 'identity'>>
  /** The store, as messages call it. */
  readonly store: string
  /** Why nothing is sent, where no response is kept, and what to type. */
  readonly unsent?: string | undefined
}

/** Whose store, and which names of parameters are secret. */
export interface KnownWanted extends CrawlWanted {
  readonly secret?: readonly string[] | undefined
  /** How a method is named: `--method POST`. */
  readonly methodBy: (method: string) => string
  /** Told what was taken from the store, and why a store cannot be read. */
  readonly say: (line: string) => void
}

/** What the store knows of `url`, in WHATWG form. Undefined where there is none, or where it does not know this request of it. */
export async function knownRequest(wanted: KnownWanted, url: string, told: ToldOfPage): Promise<KnownRequest | undefined> {
  const path = await crawlOf(wanted, '.db')
  if (path === undefined || !(await storeExists(path))) return undefined
  const store = nameFrom(wanted.folder, path)
  const requests = await readStore(path, async (reader) => (await historyOf(reader, url, wanted.secret)).requests).catch(
    (error: unknown) => {
      wanted.say(`what the crawl knows of this URL is not used: ${messageOf(error)}`)
      return []
    },
  )
  const closest = meantRequests(requests, told)
  if (closest === undefined) return undefined
  const known = knownOf(closest.first, { told, store, wanted })
  for (const line of linesOf(closest, { known, told, url })) wanted.say(line)
  return { ...known, unsent: unsentOf(closest, { told, store, wanted }) }
}

/** `page`, fetched or kept, as its handler sees it in the crawl. */
export function asKnown(page: Page, { url, handler, data, seen }: KnownRequest, html: 'parse5' | 'fast'): Page {
  const { request, response } = page
  // As in a crawl: they are for the origin that they were written for.
  const headers = originOf(request.url) === originOf(url) ? { ...request.headers, ...seen.headers } : request.headers
  return pageOf({ request: { ...request, ...seen, headers, handler, data: data ?? request.data }, response, html })
}

/** `page` of a file as its handler sees it in the crawl, with the method and body that it would have been requested with. */
export function asRecorded(page: Page, known: KnownRequest, html: 'parse5' | 'fast'): Page {
  const { method = 'GET', body } = known.request
  const request = { ...page.request, method, ...given('body', body) }
  return asKnown(pageOf({ request, response: page.response, html }), known, html)
}

/** What was told before what is known, by name, whatever the case of letters; names in lower case. */
export function fieldsOver(known: RequestWish['headers'] = {}, told: RequestWish['headers'] = {}): Record<string, string> {
  const entries = [...Object.entries(known), ...Object.entries(told)]
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value]))
}

/** Requests of a URL that may be meant: it may be requested with several methods and bodies, each for a handler of its own. */
interface MeantRequests {
  readonly first: RequestRecord
  /** What was typed of method and body is theirs. */
  readonly same: readonly RequestRecord[]
  /** Those of them that say as much as the first. */
  readonly like: readonly RequestRecord[]
}

/** The handler that was typed goes first, then header fields, then one that a URL alone says. Undefined where none can be meant. */
function meantRequests(requests: readonly RequestRecord[], told: ToldOfPage): MeantRequests | undefined {
  const { method, body, handler, headers = {} } = told
  const isMeant = (record: RequestRecord): boolean =>
    (method === undefined || (record.method ?? 'GET') === method) && (body === undefined || record.body === body)
  const rankOf = (record: RequestRecord): number => {
    const own = fieldsOver(record.headers)
    const hasFields = Object.entries(headers).every(([name, value]) => isSecretName(name) || own[name.toLowerCase()] === value)
    const isOther = handler !== undefined && record.handler !== handler
    return (isOther ? 4 : 0) + (hasFields ? 0 : 2) + ((record.method ?? 'GET') === 'GET' ? 0 : 1)
  }
  const same = requests.filter(isMeant)
  const least = Math.min(...same.map(rankOf))
  const like = same.filter((record) => rankOf(record) === least)
  const first = like.find(({ headers: own }) => own === undefined) ?? like[0]
  return first && { first, same, like }
}

interface Asked {
  readonly told: ToldOfPage
  readonly store: string
  readonly wanted: KnownWanted
}

function knownOf(found: RequestRecord, { told, store, wanted: { spider } }: Asked): KnownRequest {
  const { url, method, headers = {}, body, data, identity, render, id, depth, priority, parent, anchorText } = found
  const sent = Object.entries(headers).filter(([, value]) => !beginsAsReference(value))
  const shown = Object.entries(told.headers ?? {}).filter(([name]) => !isSecretName(name))
  const { handler = found.handler } = told
  // Data is for its handler, and for the one that has taken the place of it.
  const isFor = handler === found.handler || (spider !== undefined && !Object.hasOwn(spider.handlers, found.handler))
  return {
    url,
    handler,
    store,
    request: {
      ...given('method', method),
      ...(sent.length > 0 && { headers: Object.fromEntries(sent) }),
      ...given('body', body),
      ...given('identity', identity),
      ...given('render', render),
    },
    seen: {
      ...{ id, depth, priority, headers: fieldsOver(headers, Object.fromEntries(shown)) },
      ...given('parent', parent),
      ...given('anchorText', anchorText),
      ...given('identity', identity),
    },
    ...(data !== undefined && isFor && { data }),
  }
}

/** RFC 9110 §9.2.1: what a request with it asks for changes nothing at the site. */
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE'])

/** Undefined where the request may be sent. */
function unsentOf({ first, like }: MeantRequests, { told, store, wanted: { methodBy } }: Asked): string | undefined {
  const { method = 'GET', body } = first
  if (SAFE.has(method) || told.body !== undefined) return undefined
  const what = body === undefined ? '' : `, with the body that ${store} has`
  if (told.method === undefined)
    return `expected a method for a URL that the crawl requests with ${method}, got none; ${methodBy(method)} sends that${what}, ${methodBy('GET')} requests the URL alone`
  if (new Set(like.map((record) => record.body)).size === 1) return undefined
  return `expected the body of one of the ${like.length} ${method} requests that ${store} has of this URL, got none; add the one that you mean`
}

interface Taken {
  readonly known: KnownRequest
  readonly told: ToldOfPage
  /** As it was typed. */
  readonly url: string
}

/** What was taken from where. Nothing of what would be done without a store. */
function linesOf({ first, same, like }: MeantRequests, { known, told, url }: Taken): string[] {
  const { method = 'GET', headers = {}, body, data } = first
  const others = new Set(same.map(({ handler }) => handler).filter((handler) => handler !== first.handler))
  const overridden = new Set(Object.keys(told.headers ?? {}).map((name) => name.toLowerCase()))
  const names = Object.keys(headers).filter((name) => !overridden.has(name.toLowerCase()))
  const lost = names.filter((name) => beginsAsReference(headers[name]))
  const taken = [
    ...(first.url === url ? [] : [`URL ${first.url}`]),
    ...(told.method === undefined && method !== 'GET' ? [`method ${method}`] : []),
    ...(names.length === lost.length ? [] : ['header fields']),
    ...(told.body === undefined && body !== undefined ? ['body'] : []),
    ...(told.handler === undefined && (first.handler !== 'start' || others.size > 0) ? [`handler ${first.handler}`] : []),
    ...(known.data === undefined ? [] : ['data']),
  ]
  const last = taken.pop()
  const list = taken.length === 0 ? last : `${taken.join(', ')} and ${last}`
  const more = told.handler === undefined && others.size > 0 ? `; other handlers of this URL: ${[...others].join(', ')}` : ''
  return [
    ...(list === undefined ? [] : [`${list} from ${known.store}${more}`]),
    ...(data === undefined || known.data !== undefined
      ? []
      : [`without the data of this URL, which is for handler ${first.handler}`]),
    ...(lost.length === 0 ? [] : [`without ${lost.join(', ')}, whose value no store has; add --header`]),
    ...(like.length < 2 ? [] : [`one of ${like.length} requests of this URL; choose another with --header, --method or --body`]),
  ]
}
