// The plugin `response-cache`: keeps every response that reached a handler, or redirected, so that handlers can run again without requests.
//
// It decides nothing, and serves nothing: a crawl requests what it would request without it. Reading is kept-responses.ts.
import { definePlugin, type Plugin, type Request, type Response } from '@avocet/core'
import {
  checkOptions,
  fetchedAtOf,
  headerOf,
  isRedirect,
  parseUrl,
  wholeNumber,
  type OptionRules,
  type Session,
} from '@avocet/core/plugin'
import { canonicalUrl, messageOf } from '@avocet/core/store'
import { CacheFile } from './cache-file.ts'
import { Keeper } from './keeper.ts'
import { visitOf } from './kept-visits.ts'

/** Options of `responseCache`. */
export interface ResponseCacheOptions {
  /** Maximum size of what is kept, compressed; then pages farthest from the seeds are dropped, the oldest first. Default 1,073,741,824 (1 GiB). */
  readonly maxBytes?: number
}

const RULES: OptionRules<ResponseCacheOptions> = { maxBytes: wholeNumber(2 ** 20) }

const DEFAULT_MAX_BYTES = 2 ** 30

/**
 * Keeps responses in the file at `path`, which is made if it is missing: method, URL, body, identity and a hash of the header fields of the request that are
 * no secrets, and status, header fields, body and moment of the response. Fields that hand out secrets, such as Set-Cookie, are left out, and `__secret__`
 * replaces the crawl's secrets in bodies: as they are, percent-encoded, as references of HTML, as escapes of JavaScript and JSON, and these in one another, up
 * to five levels deep. A full disk or a damaged file is a problem in the report, and the crawl goes on; so are responses that could not be kept, by number.
 *
 * @throws AVO_CONFIG_INVALID for an option that is unknown or out of range.
 * @example
 * ```ts
 * const plugins = [responseCache('.avocet/books.cache')]
 * ```
 */
export function responseCache(path: string, options: ResponseCacheOptions = {}): Plugin {
  checkOptions('responseCache', options, RULES)
  const { maxBytes = DEFAULT_MAX_BYTES } = options
  let withoutSecrets: Session['withoutSecrets'] | undefined
  let keeper: Keeper | undefined
  return definePlugin({
    name: 'response-cache',
    outsideEffects: true,
    async open({ problem, ...session }) {
      withoutSecrets = session.withoutSecrets
      try {
        keeper = new Keeper({ file: await CacheFile.open(path, { readonly: false }), maxBytes, problem })
      } catch (error) {
        problem(`responses are not kept in this run: ${messageOf(error)}`)
      }
    },
    onResponse({ exchange, response, wanted, now }) {
      const { request } = exchange
      if (keeper === undefined || !isWorthKeeping(request, response, wanted) || !keeper.hasRoomFor(response.body)) return
      const kept = withoutSecrets?.({ request, response })
      const { status, wireBytes } = response
      if (kept === undefined) return keeper.withhold()
      const whole = { response: { ...kept, status, wireBytes }, fetchedAt: fetchedAtOf(exchange), now }
      keeper.offer({ ...whole, requested: request, visits: visitOf(request), depth: request.depth })
    },
    async close() {
      await keeper?.close()
      keeper = undefined
    },
  })
}

/** A 304 has no body: what is kept of the visit before is the page. */
function isWorthKeeping(request: Request, response: Response, wanted: boolean): boolean {
  // Another page, which was requested in its exchange.
  if (response.url !== request.url) return false
  if (wanted) return response.status !== 304
  if (!isRedirect(response)) return false
  const target = parseUrl(headerOf(response.headers, 'location') ?? '', request.url)
  // Another spelling has the same key: the page that comes there is what is to be found.
  return target !== undefined && canonicalUrl(target) !== canonicalUrl(request.url)
}
