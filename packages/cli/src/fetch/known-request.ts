// What the store of a crawl knows of a URL beyond its spelling: which handler has its page, and what the link said. So a page is tried as the crawl would
// handle it, without typing all that again.
//
// Credentials are not in a store. A field that held one is left out, and said.
import { existsSync } from 'node:fs'
import type { Json, Page } from '@avocet/core'
import { messageOf, type RequestRecord } from '@avocet/core/store'
import { beginsAsReference, pageOf } from '@avocet/core/tools'
import { nameFrom } from '../load/store-path.ts'
import { historyOf } from '../store/known-url.ts'
import { readStore } from '../store/open-store.ts'
import { crawlOf, type CrawlWanted, type RequestWish } from './kept-pages.ts'

/** What was typed, or written in code: it counts before what a store knows. */
export interface ToldOfPage extends RequestWish {
  readonly handler?: string | undefined
}

/** How a crawl requests a page, and what it does with it. */
export interface KnownRequest {
  readonly handler: string
  readonly data?: Json
  readonly request: RequestWish
  /** The store, as messages call it. */
  readonly store: string
}

/** Whose store, and which names of parameters are secret. */
export interface KnownWanted extends CrawlWanted {
  readonly secret?: readonly string[] | undefined
  /** Told what was taken from the store, and why a store cannot be read. */
  readonly say: (line: string) => void
}

/** What the store knows of `url`, in WHATWG form. Undefined where there is none, or where it does not know this request of it. */
export async function knownRequest(wanted: KnownWanted, url: string, told: ToldOfPage): Promise<KnownRequest | undefined> {
  const path = await crawlOf(wanted, '.db')
  if (path === undefined || !existsSync(path)) return undefined
  const store = nameFrom(wanted.folder, path)
  const requests = await readStore(path, async (reader) => (await historyOf(reader, url, wanted.secret)).requests).catch(
    (error: unknown) => {
      wanted.say(`what the crawl knows of this URL is not used: ${messageOf(error)}`)
      return []
    },
  )
  const same = requests.filter((record) => isWhatWasTold(record, told))
  const [found] = same.toSorted((a, b) => rankOf(a, told) - rankOf(b, told))
  if (found === undefined) return undefined
  const { method, headers = {}, body, data, identity } = found
  const sent = Object.entries(headers).filter(([, value]) => !beginsAsReference(value))
  const known: KnownRequest = {
    handler: told.handler ?? found.handler,
    store,
    request: {
      ...(method !== undefined && { method }),
      ...(sent.length > 0 && { headers: Object.fromEntries(sent) }),
      ...(body !== undefined && { body }),
      ...(identity !== undefined && { identity }),
    },
    ...(data !== undefined && { data }),
  }
  for (const line of linesOf(found, { known, told, same })) wanted.say(line)
  return known
}

/** `page` as its handler sees it. */
export function asKnown(page: Page, { handler, data }: Pick<KnownRequest, 'handler' | 'data'>, html: 'parse5' | 'fast'): Page {
  return pageOf({ request: { ...page.request, handler, data: data ?? page.request.data }, response: page.response, html })
}

function isWhatWasTold(record: RequestRecord, { method, body }: ToldOfPage): boolean {
  if (method === undefined && body === undefined) return true
  return (record.method ?? 'GET') === (method ?? 'GET') && record.body === body
}

/** That of the handler that was told first; then what a URL alone says: a GET. */
function rankOf({ handler, method = 'GET' }: RequestRecord, told: ToldOfPage): number {
  return (handler === told.handler || told.handler === undefined ? 0 : 2) + (method === 'GET' ? 0 : 1)
}

interface Taken {
  readonly known: KnownRequest
  readonly told: ToldOfPage
  readonly same: readonly RequestRecord[]
}

/** What was taken from where. Nothing of what would be done without a store. */
function linesOf(found: RequestRecord, { known, told, same }: Taken): string[] {
  const { method = 'GET', headers = {}, body, data } = found
  const others = new Set(same.map(({ handler }) => handler).filter((handler) => handler !== found.handler))
  const taken = [
    ...(told.method === undefined && method !== 'GET' ? [`method ${method}`] : []),
    ...(known.request.headers === undefined ? [] : ['header fields']),
    ...(told.body === undefined && body !== undefined ? ['body'] : []),
    ...(told.handler === undefined && (found.handler !== 'start' || others.size > 0) ? [`handler ${found.handler}`] : []),
    ...(data === undefined ? [] : ['data']),
  ]
  const lost = Object.keys(headers).filter((name) => beginsAsReference(headers[name]))
  const last = taken.pop()
  const list = taken.length === 0 ? last : `${taken.join(', ')} and ${last}`
  const more = told.handler === undefined && others.size > 0 ? `; other handlers of this URL: ${[...others].join(', ')}` : ''
  return [
    ...(list === undefined ? [] : [`${list} from ${known.store}${more}`]),
    ...(lost.length === 0 ? [] : [`without ${lost.join(', ')}, whose value no store has; add --header`]),
  ]
}
