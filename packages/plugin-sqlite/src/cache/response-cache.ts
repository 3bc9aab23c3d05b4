// The plugin `response-cache`: keeps every response that reached a handler, or redirected, so that handlers can run again without requests.
//
// It decides nothing, and serves nothing: a crawl requests what it would request without it. Reading is
// kept-responses.ts.
import { definePlugin, type Plugin, type Request, type Response, AvocetError } from '@avocet/core'
import {
  checkOptions,
  headerOf,
  isRedirect,
  parseUrl,
  type Exchange,
  type OptionRules,
  type Session,
  option,
} from '@avocet/core/plugin'
import { canonicalUrl, groupOf, messageOf } from '@avocet/core/store'
import { CacheFile } from './cache-file.ts'
import { Keeper } from './keeper.ts'
import { closeSync, lstatSync, openSync, readSync } from 'node:fs'
import { CACHE_APPLICATION_ID } from '../file/schema.ts'
import { openResponses } from './kept-responses.ts'

/** Options of `responseCache`. */
export interface ResponseCacheOptions {
  /** Maximum size of what is kept, compressed; then pages farthest from the seeds are dropped, the oldest first. Default 1,073,741,824 (1 GiB). */
  readonly maxBytes?: number
}

const RULES: OptionRules<ResponseCacheOptions> = { maxBytes: option.wholeNumber(2 ** 20) }

const DEFAULT_MAX_BYTES = 2 ** 30

/**
 * Keeps responses in the file at `path`, which is made if it is missing: method, URL, body, identity and a hash of the header fields of the request that are
 * no secrets, and status, header fields, body and moment of the response. Fields that hand out secrets, such as Set-Cookie, are left out, and `__secret__`
 * replaces the crawl's secrets in bodies: as they are, percent-encoded, and escaped as in JSON. A full disk or a damaged file is a problem in the report, and
 * the crawl goes on; so are responses that could not be kept, by number.
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
  let keepable: Awaited<ReturnType<Session['keepable']>> | undefined
  let keeper: Keeper | undefined
  return definePlugin({
    name: 'response-cache',
    outsideEffects: true,
    async open({ problem, ...session }) {
      try {
        keepable = await session.keepable()
        const file = await CacheFile.open(path, { readonly: false })
        keeper = new Keeper({ file, maxBytes, problem })
      } catch (error) {
        problem(`responses are not kept in this run: ${messageOf(error)}`)
      }
    },
    onResponse({ exchange, response, wanted, now }) {
      const { request } = exchange
      if (keeper === undefined) return
      const hasRoom = isWorthKeeping(request, response, wanted) && keeper.hasRoomFor(response.body)
      const kept = hasRoom ? keepable?.({ request, response }) : undefined
      if (kept === undefined) {
        if (hasRoom) keeper.withhold()
        return
      }
      const { status, wireBytes } = response
      const whole = { response: { ...kept, status, wireBytes }, fetchedAt: sentAtOf(exchange), now }
      keeper.offer({ ...whole, requested: request, handler: request.handler, depth: request.depth })
    },
    async close() {
      await keeper?.close()
      keeper = undefined
    },
  })
}

/** Pages that are kept of those that handlers fail on, in an hour. */
const MOST_FAILED = 20
const HOUR_MS = 3_600_000

/**
 * Keeps the first page of each kind of error in handlers, at most 20 an hour, as `responseCache` keeps all responses: a corrected handler can be
 * tried on it. The file at `path` is made with the first of them.
 *
 * @example
 * ```ts
 * const plugins = [failedResponses('.avocet/books.cache')]
 * ```
 */
export function failedResponses(path: string): Plugin {
  const kinds = new Set<string>()
  let since = -Infinity
  let session: Session | undefined
  let keeper: Promise<Keeper> | undefined
  let offering: Promise<unknown> = Promise.resolve()
  return definePlugin({
    name: 'response-cache',
    outsideEffects: true,
    open(opened) {
      session = opened
    },
    onHandled({ request, response, failure, now }) {
      if (failure === undefined) return
      const { handlerError } = failure
      if (now - since >= HOUR_MS) kinds.clear()
      if (kinds.size === 0) since = now
      const kind = groupOf(handlerError)
      if (kinds.has(kind) || kinds.size >= MOST_FAILED || handlerError.code.startsWith('AVO_PLUGIN_')) return
      if (session === undefined) return
      kinds.add(kind)
      const { problem, keepable } = session
      const offer = async (): Promise<void> => {
        const kept = (await keepable())({ request, response })
        if (kept === undefined) return void kinds.delete(kind)
        keeper ??= CacheFile.open(path, { readonly: false }).then(
          (file) => new Keeper({ file, maxBytes: DEFAULT_MAX_BYTES, problem }),
        )
        const open = await keeper
        const { status, wireBytes } = response
        const { handler, depth } = request
        const whole = { response: { ...kept, status, wireBytes }, fetchedAt: now, now }
        if (open.hasRoomFor(kept.body)) open.offer({ ...whole, requested: request, handler, depth })
      }
      // A page that cannot be kept can be requested again.
      offering = offering.then(offer).catch(() => undefined)
    },
    async close() {
      await offering
      await keeper?.then((open) => open.close()).catch(() => undefined)
      keeper = undefined
    },
  })
}

/** A 304 has no body: what is kept of the visit before is the page. A body that was saved is in a file of its own. */
function isWorthKeeping(request: Request, response: Response, wanted: boolean): boolean {
  // Another page, which was requested in its exchange.
  if (response.url !== request.url || response.saved !== undefined) return false
  if (wanted) return response.status !== 304
  if (!isRedirect(response)) return false
  const target = parseUrl(headerOf(response.headers, 'location') ?? '', request.url)
  // Another spelling has the same key: the page that comes there is what is to be found.
  return target !== undefined && canonicalUrl(target) !== canonicalUrl(request.url)
}

// Whether a file is one of kept responses: only those may be removed with the store that they are of.

/** Where SQLite has the number of the application in the header of a file (https://sqlite.org/fileformat2.html §1.3.8). */
const APPLICATION_AT = 68

/**
 * What `responseCache` kept in the file at `path`, sound or not; undefined where there is none, or anything else. `count` is absent of one that cannot be read.
 */
export async function ownResponses(path: string): Promise<{ readonly count?: number } | undefined> {
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) return undefined
  try {
    const responses = await openResponses(path)
    try {
      return { count: responses.count }
    } finally {
      responses.close()
    }
  } catch (error) {
    const isOlder = error instanceof AvocetError && error.code === 'AVO_FRONTIER_VERSION'
    return isOlder || applicationOf(path) === CACHE_APPLICATION_ID ? {} : undefined
  }
}

function applicationOf(path: string): number | undefined {
  const file = openSync(path, 'r')
  try {
    const header = Buffer.alloc(APPLICATION_AT + 4)
    return readSync(file, header, 0, header.length, 0) === header.length ? header.readUInt32BE(APPLICATION_AT) : undefined
  } finally {
    closeSync(file)
  }
}

/** As the history of the store has the visit, whole. */
function sentAtOf({ sentAt, admittedAt }: Exchange): number {
  return Math.round(sentAt ?? admittedAt)
}
