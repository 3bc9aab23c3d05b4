// What the store of a crawl knows of a page: its handler, and the data of its link. So a page is tried as the crawl would handle it, without typing that again.
// It is requested as it was typed.
import { atRest } from '@avocet/at-rest'
import type { CrawlConfig, Json, Page, Request } from '@avocet/core'
import { messageOf, type RequestRecord } from '@avocet/core/store'
import { pageOf } from '@avocet/page'
import { nameFrom, readStore, storeExists } from '@avocet/project/store'
import { given } from '@avocet/project/options'
import { crawlOf, type CrawlWanted, type RequestWish } from './kept-pages.ts'

/** What was typed, or written in code: it counts before what a store knows. */
export interface ToldOfPage extends RequestWish {
  readonly handler?: string | undefined
}

/** What a crawl does with a page. */
export interface KnownRequest {
  readonly handler: string
  readonly data?: Json
  /** Where the crawl found it. */
  readonly seen: Pick<Request, 'depth' | 'priority'> & Partial<Pick<Request, 'parent' | 'anchorText'>>
  /** The store, as messages call it. */
  readonly store: string
}

/** Whose store, and which names of parameters are secret. */
export interface KnownWanted extends CrawlWanted {
  readonly secret?: readonly string[] | undefined
  /** Told what was taken from the store, and why a store cannot be read. */
  readonly say: (line: string) => void
}

/** What the store knows of `url`, in WHATWG form. Undefined where there is none, or where it has no request of this method and body. */
export async function knownRequest(wanted: KnownWanted, url: string, told: ToldOfPage): Promise<KnownRequest | undefined> {
  const path = await crawlOf(wanted, '.db')
  if (path === undefined || !(await storeExists(path))) return undefined
  const store = nameFrom(wanted.folder, path)
  const all = await readStore(
    path,
    async (reader) => (await (await atRest(reader)).requestsOf(url, wanted.secret)).requests,
  ).catch((error: unknown) => {
    wanted.say(`what the crawl knows of this URL is not used: ${messageOf(error)}`)
    return []
  })
  const requests = all.filter(({ method = 'GET', body }) => method === (told.method ?? 'GET') && body === told.body)
  const found = requests.find(({ handler }) => handler === told.handler) ?? requests[0]
  if (found === undefined) return undefined
  const { depth, priority, parent, anchorText } = found
  const { handler = found.handler } = told
  const data = handler === found.handler ? found.data : undefined
  const line = takenLine(requests, { handler: told.handler, data, store })
  if (line !== undefined) wanted.say(line)
  const seen = { depth, priority, ...given('parent', parent), ...given('anchorText', anchorText) }
  return { handler, store, seen, ...given('data', data) }
}

/** `page` as its handler sees it in the crawl. */
export function asKnown(page: Page, { handler, data, seen }: KnownRequest, { userAgent }: CrawlConfig): Page {
  const { request, response } = page
  return pageOf({ request: { ...request, ...seen, handler, data: data ?? request.data }, response, userAgent })
}

/** What was taken from where; undefined where it is what would be done without a store. */
function takenLine(
  requests: readonly RequestRecord[],
  { handler, data, store }: { readonly handler: string | undefined; readonly data: Json | undefined; readonly store: string },
): string | undefined {
  const [first, ...others] = [...new Set(requests.map((request) => request.handler))]
  const isNamed = handler === undefined && (first !== 'start' || others.length > 0)
  const taken = [...(isNamed ? [`handler ${first}`] : []), ...(data === undefined ? [] : ['data'])].join(' and ')
  if (taken === '') return undefined
  return `${taken} from ${store}${isNamed && others.length > 0 ? `; other handlers of this URL: ${others.join(', ')}` : ''}`
}
