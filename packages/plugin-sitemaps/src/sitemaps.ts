// The plugin: finds sitemaps and feeds, reads them in each run, and yields their URLs to the handlers of the spider.
import { definePlugin, type Link, type Page, type Plugin, type Request } from '@avocet/core'
import { originOf, reportedOptions, siteOf, type RequiredDocument, type Session, parseUrl } from '@avocet/core/plugin'
import { joinedLists, remember, remembered, type FoundLists } from './found-lists.ts'
import { checkedRules, type SitemapRules, type SitemapsOptions } from './options.ts'
import { LIST_PRIORITY, listLinks, type LeftOut, type ListOrigin } from './list-links.ts'
import { MOST_LIST_BYTES, readList } from './read-list.ts'

const SITEMAP = 'sitemaps/sitemap'
/** At a well-known path, where there may be none. */
const LOOKED_FOR = 'sitemaps/looked-for'
const LOOKED_FOR_PATH = '/sitemap.xml'
const FEED = 'sitemaps/feed'
/** What robots.txt of one host may name: a plugin may add as many. */
const MOST_SITEMAPS = 1_000
const TOO_MANY_HOSTS =
  'robots.txt of more hosts names sitemaps than a run remembers for the next, which reads those of the others only if a page of theirs waits; ' +
  'give their seeds again: true'

/**
 * Follows sitemaps (XML, text, RSS, Atom; packed or not; indexes of them) and feeds. By default it reads those that robots.txt of the hosts of seeds names, or
 * `/sitemap.xml`.
 *
 * Scope, robots.txt and limits of the crawl apply to each listed URL. A page that is known is visited again if `<lastmod>` is later than its last visit. Lists
 * are read once in each run.
 * @throws AVO_CONFIG_INVALID for an option that is unknown or of the wrong kind.
 *
 * @example
 * ```ts
 * const plugins = [sitemaps({ handler: { product: /\/p\// }, everyMs: 3_600_000 })]
 * ```
 * Source: https://www.sitemaps.org/protocol.html.
 */
export function sitemaps(options: SitemapsOptions = {}): Plugin {
  const rules = checkedRules(options)
  const { everyMs, urls, feeds } = rules
  const { handler } = options
  // By the memory of a crawl, which is another object in each: one plugin may serve several.
  const sessions = new WeakMap<object, Session>()
  // One byte more tells that there are more.
  const reading = { maxBytes: MOST_LIST_BYTES + 1, ...(everyMs !== undefined && { everyMs }) }
  const handle = (page: Page, crawl: FoundLists): Promise<Iterable<Link>> => readPage(page, rules, sessions.get(crawl))
  const take = (document: RequiredDocument, memory: WatchMemory, crawl: FoundLists): void => {
    const named = namedIn(document)
    const session = sessions.get(crawl)
    if (named === undefined) return hasFailed(memory, document)
    wasRead(memory, document.now, everyMs)
    const hostKey = document.host.key
    const origin = originOf(document.url)
    const urls = named.length > 0 || !rules.fallback ? named.slice(0, MOST_SITEMAPS) : [origin + LOOKED_FOR_PATH]
    if (named.length > MOST_SITEMAPS)
      session?.problem(
        `${document.url} names ${named.length} sitemaps, more than ${MOST_SITEMAPS}: the others are left out; add them to urls`,
      )
    for (const url of urls)
      document.add({ url, handler: handlerOf(url), again: true, priority: LIST_PRIORITY, data: { of: hostKey, level: 0 } })
    if (!remember(crawl, { origin, hostKey, urls })) session?.problem(TOO_MANY_HOSTS)
  }
  return definePlugin<WatchMemory, FoundLists>({
    name: 'sitemaps',
    outsideEffects: false,
    options: { ...reportedOptions(options), ...(typeof handler === 'object' && { handler: Object.keys(handler) }) },
    linksTo: typeof handler === 'object' ? Object.keys(handler) : [handler ?? 'start'],
    hostMemory: () => ({ readAt: 0, failures: 0 }),
    version: 2,
    crawlMemory: () => ({ own: {}, elsewhere: {} }),
    merge: joinedLists,
    handlers: {
      sitemap: { ...reading, handle },
      feed: { ...reading, handle },
      'looked-for': { ...reading, handle, accepts: [404, 410] },
    },
    open(session, crawl) {
      sessions.set(crawl, session)
      const add = (url: string, handler: string, data: ListOrigin): void =>
        session.add({ url, handler, again: true, priority: LIST_PRIORITY, data })
      for (const url of urls) add(url, SITEMAP, { level: 0 })
      for (const url of feeds) add(url, FEED, { level: 0 })
      // A host of which nothing waits is not asked for its robots.txt.
      if (rules.robots)
        for (const { url, of } of remembered(crawl)) if (mayHaveSeeds(session, of)) add(url, handlerOf(url), { of, level: 0 })
    },
    admit(ask, memory, crawl) {
      const session = sessions.get(crawl)
      if (!rules.robots || session === undefined || ask.nextUrl === undefined || !session.isSeedHost(ask.host.key)) return
      if (isDue(memory, { now: ask.now, openedAt: session.now }))
        ask.require(`${originOf(ask.nextUrl)}/robots.txt`, (document) => take(document, memory, crawl))
    },
    onSettled({ request, outcome }, crawl) {
      if (outcome.kind === 'failed' && isNamed(request)) sessions.get(crawl)?.problem(missing(request.url, outcome.reason))
    },
    explain({ host }, { readAt, failures }, crawl) {
      const named = [...remembered(crawl)].flatMap(({ url, of }) => (of === host.key ? [url] : []))
      return {
        ...(readAt > 0 && { readAt }),
        ...(failures > 0 && { failures }),
        ...(named.length > 0 && { sitemaps: named.slice(0, 5) }),
      }
    },
  })
}

/** Of a sitemap of a host. */
function handlerOf(url: string): string {
  return new URL(url).pathname === LOOKED_FOR_PATH ? LOOKED_FOR : SITEMAP
}

/** Whether it is a list that the user or an index named: one that robots.txt named is its site's affair. */
function isNamed({ handler, data }: Pick<Request, 'handler' | 'data'>): boolean {
  const { of, level } = originIn(data)
  return (handler === SITEMAP || handler === FEED) && (of === undefined || level > 0)
}

function missing(url: string, reason: string): string {
  return `${url}: expected a sitemap or a feed, got ${reason}; its URLs are not known`
}

/** A host whose seeds were removed is left alone. With hosts keyed by domain, `of` may be below the key. */
function mayHaveSeeds(session: Session, of: string): boolean {
  return !session.hasAllSeeds || session.isSeedHost(of) || session.isSeedHost(siteOf(of))
}

/** The links of a sitemap or a feed; what is wrong with it is said once an hour. */
async function readPage(page: Page, rules: SitemapRules, session: Session | undefined): Promise<Iterable<Link>> {
  const { request, response } = page
  // A spider may take other statuses for pages.
  if (response.status >= 300) return []
  const { strict, alternates } = rules
  const list = await readList(response.body, {
    url: request.url,
    contentType: response.headers['content-type']?.toString(),
    strict,
    alternates,
  })
  if (list.problem !== undefined) session?.problem(`${request.url}: expected a sitemap or a feed; it ${list.problem}`)
  return counted({ url: request.url, origin: originIn(request.data), list }, rules, session)
}

function* counted(found: Parameters<typeof listLinks>[0], rules: SitemapRules, session: Session | undefined): Generator<Link> {
  const left: LeftOut = { foreign: 0, deep: 0 }
  yield* listLinks(found, rules, left)
  if (left.foreign > 0)
    session?.problem(
      `${found.url} lists ${left.foreign} URLs of other sites, whose robots.txt does not name it: they are left out; add it to urls to trust it`,
    )
  if (left.deep > 0) session?.problem(`${found.url} is a sitemap index inside of others: its ${left.deep} sitemaps are left out`)
}

/** What the request carries; of one that was made by hand, the user's trust. */
function originIn(data: unknown): ListOrigin {
  const { of, level } = (typeof data === 'object' && data !== null ? data : {}) as Partial<Record<keyof ListOrigin, unknown>>
  return { ...(typeof of === 'string' && { of }), level: typeof level === 'number' ? level : 0 }
}

/** The sitemaps that a robots.txt names: none where there is no such file; undefined where nobody knows. */
function namedIn({ url, result }: RequiredDocument): readonly string[] | undefined {
  if (result.kind === 'failed') return undefined
  const { status, body } = result.response
  if (status >= 500 || status === 429) return undefined
  return status >= 200 && status < 300 ? sitemapLines(new TextDecoder().decode(body), originOf(url)) : []
}

/** Looked at: a file of 512 KiB has room for tens of thousands. */
const MOST_LINES = 20_000
const LINE = /^\s*sitemap\s*:\s*(\S+)/i

/** Absolute http(s) URLs of the `Sitemap` lines in `text`, each once; `origin`: of the file. Source: https://www.sitemaps.org/protocol.html#submit_robots */
export function sitemapLines(text: string, origin: string): readonly string[] {
  const found = new Set<string>()
  for (const line of text.split(/\r\n|\r|\n/)) {
    const url = parseUrl(LINE.exec(line)?.[1] ?? '#', origin)
    if (url !== undefined && LINE.test(line)) found.add(url)
    if (found.size >= MOST_LINES) break
  }
  return [...found]
}

/** First wait after a failure, which doubles up to a day. */
const RETRY_MS = 600_000
const DAY_MS = 86_400_000

/** What is remembered of a host. */
interface WatchMemory {
  /** Epoch ms at which its robots.txt was last read, or failed to come; 0: never. */
  readAt: number
  /** Epoch ms at which it is to be read again in the same run; absent: not. */
  nextAt?: number | undefined
  /** In a row. */
  failures: number
}

/** Whether it is to be read at `now`, in a run that began at `openedAt`. */
function isDue(
  { readAt, nextAt = Infinity }: WatchMemory,
  { now, openedAt }: { readonly now: number; readonly openedAt: number },
): boolean {
  return readAt < openedAt || now >= nextAt
}

/** It was read. */
function wasRead(memory: WatchMemory, now: number, everyMs: number | undefined): void {
  memory.readAt = now
  memory.failures = 0
  memory.nextAt = everyMs === undefined ? undefined : now + everyMs
}

/** It could not be had: its host may be in trouble, and is not asked at once. */
function hasFailed(memory: WatchMemory, { now, chance }: RequiredDocument): void {
  memory.readAt = now
  memory.nextAt = now + Math.round(Math.min(DAY_MS, RETRY_MS * 2 ** Math.min(memory.failures, 20)) * (0.75 + chance / 2))
  memory.failures++
}
