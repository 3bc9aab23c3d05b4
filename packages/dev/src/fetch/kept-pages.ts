// Pages from the responses that a crawl of this project keeps: the same page can be tried a hundred times, and its site is requested once.
import { readdir } from 'node:fs/promises'
import type { Page, Request, Spider } from '@avocet/core'
import { headerOf, isRedirect, originOf, parseUrl } from '@avocet/core/plugin'
import { hostKeyOf, messageOf, type Fingerprint } from '@avocet/core/store'
import { isSecretName } from '@avocet/plugin-secrets/names'
import { pageOf } from '@avocet/page'
import {
  keptIn,
  CACHE_ENDING,
  cachePathOf,
  failedPathOf,
  localPlace,
  IN_MEMORY,
  storeCalled,
  storeFolder,
  storePathOf,
} from '@avocet/project/store'
import type { KeptResponse, KeptResponses } from '@avocet/project/store'
import { given } from '@avocet/project/options'

/** What is requested: a method with a body, for most pages neither. */
export interface RequestWish {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Name of the session that it belongs to. */
  readonly session?: string
}

/** A page, and when it was fetched (epoch ms). */
interface KeptPage {
  readonly page: Page
  readonly fetchedAt: number
}

/** Those of one crawl, open. */
export interface KeptPages {
  /**
   * Undefined where it, or where it redirects to, is not kept. `url`: with references in place of secrets. Without header fields in `wish`: the response to a
   * request without any, or the only one that is kept.
   */
  find(url: string, wish: RequestWish): KeptPage | undefined
  close(): void
}

/** As many as a crawl follows for one page, and some. */
const MAX_HOPS = 10

/** Which crawl is meant. */
export interface CrawlWanted {
  readonly folder: string
  /** As it was typed. */
  readonly store: string | undefined
  readonly spider: Pick<Spider, 'name' | 'accepts'> | undefined
}

interface Wanted extends CrawlWanted {
  /** Told why they cannot be read. */
  readonly say: (line: string) => void
}

/** Those of the store that was typed, or of the spider, or the only ones of the project; undefined where there are none. */
export async function keptPages(wanted: Wanted): Promise<KeptPages | undefined> {
  const store = await crawlOf(wanted, CACHE_ENDING)
  if (store === undefined) return undefined
  const local = localPlace(wanted.folder, store)
  try {
    const kept = await keptIn([cachePathOf(local), failedPathOf(local)])
    if (kept.length === 0) return undefined
    return {
      find: (url, wish) => guarded(wanted, () => found(kept, { url, wish, wanted })),
      close: () => kept.forEach((each) => each.close()),
    }
  } catch (error) {
    wanted.say(`kept responses are not used: ${messageOf(error)}`)
    return undefined
  }
}

/** The store of the crawl, which may not be there; where neither store nor spider is named, of the only file with `ending` of the project. */
export async function crawlOf({ folder, store, spider }: CrawlWanted, ending: string): Promise<string | undefined> {
  if (store === IN_MEMORY) return undefined
  if (store !== undefined) return storeCalled(folder, store)
  if (spider !== undefined) return storePathOf(spider.name, folder)
  const names = await readdir(storeFolder(folder)).catch((): string[] => [])
  const [only, ...more] = names.filter((name) => name.endsWith(ending))
  return only === undefined || more.length > 0 ? undefined : storePathOf(only.slice(0, -ending.length), folder)
}

function guarded({ say }: Wanted, find: () => KeptPage | undefined): KeptPage | undefined {
  try {
    return find()
  } catch (error) {
    say(`the kept response is not used: ${messageOf(error)}`)
    return undefined
  }
}

interface Sought {
  readonly url: string
  readonly wish: RequestWish
  readonly wanted: Wanted
}

function found(kept: readonly KeptResponses[], { url, wish, wanted }: Sought): KeptPage | undefined {
  const { accepts = (status: number) => status >= 200 && status < 300 } = wanted.spider ?? {}
  let [at, { method = 'GET', body }]: [string, RequestWish] = [url, wish]
  let headers = tellingApart(wish.headers)
  for (let hops = 0; hops <= MAX_HOPS; hops++) {
    const asked = { method, ...given('headers', headers), ...given('body', body) }
    const hop = kept.map((each) => each.find({ url: at, ...asked })).find((one) => one !== undefined)
    if (hop === undefined) return undefined
    const { response } = hop
    if (accepts(response.status)) return pageFrom(hop, { ...asked, url: at })
    const target = isRedirect(response) ? parseUrl(headerOf(response.headers, 'location') ?? '', at) : undefined
    if (target === undefined) return undefined
    // As in a crawl: they are for the origin that they were written for.
    if (originOf(target) !== originOf(at)) headers = undefined
    at = target
    // RFC 9110 §15.4: only 307 and 308 keep method and body.
    if (response.status !== 307 && response.status !== 308) [method, body] = ['GET', undefined]
  }
  return undefined
}

/** Header fields that were asked for; undefined for none but secrets, which say who asks, and the type of a body, which the body implies. */
function tellingApart(headers: RequestWish['headers'] = {}): RequestWish['headers'] {
  const names = Object.keys(headers).map((name) => name.toLowerCase())
  return names.every((name) => name === 'content-type' || isSecretName(name)) ? undefined : headers
}

function pageFrom(
  { response, fetchedAt }: KeptResponse,
  { headers = {}, ...asked }: Pick<Request, 'url' | 'method'> & RequestWish,
): KeptPage {
  const counts = { id: 1, depth: 0, priority: 0, attempts: 0, freeAttempts: 0, hops: 0 }
  const request: Request = {
    ...counts,
    fingerprint: '' as Fingerprint,
    hostKey: hostKeyOf(asked.url, 'host'),
    ...asked,
    headers,
    handler: 'start',
    data: undefined,
  }
  return { page: pageOf({ request, response }), fetchedAt }
}
