// From what was typed to somebody who brings pages as a crawl of this project would: from the web by its policies, or from a file.
import { type CrawlConfig, type Page, type RunnableConfig, type Spider } from '@avocet/core'
import { hostKeyOf } from '@avocet/core/store'
import { didYouMean, parseUrl, formatDuration } from '@avocet/core/plugin'
import { withoutCredentials } from '@avocet/plugin-secrets/names'
import type { ExitCode } from '@avocet/project/command'
import { loadConfig, pageSpider } from '@avocet/project/load'
import { planOf } from '@avocet/project/plan'
import { IN_MEMORY, storeCalled, storeExists, storeKind } from '@avocet/project/store'
import { given } from '@avocet/project/options'
import { say, type Place } from '@avocet/project/place'
import { printable } from '@avocet/project/text'
import { crawlOf, keptPages, type RequestWish } from './kept-pages.ts'
import { asKnown, knownRequest, type KnownRequest, type ToldOfPage } from './known-request.ts'
import { requestWishOf, type VisitWish } from './visit-flags.ts'
import type { Recalled } from './carried-memory.ts'
import { exitCodeOfVisit } from './visit-outcome.ts'
import { keptReport, lastPage, notKeptReport, visitReport, type VisitReport } from './visit-report.ts'
import { Visitor, type Visit } from './visitor.ts'

/** Any URL will do: planning a crawl needs one. */
const SOME_URL = 'http://page.invalid/'

/** What asking for a page gave. */
interface Fetched {
  /** Of any status; absent when there was no answer. */
  readonly page?: Page
  /** What of its answer may be written into a file; absent where nothing may, and of a kept page. */
  readonly kept?: Visit['kept']
  readonly report: VisitReport
  /** Epoch ms. */
  readonly now: number
  readonly code: ExitCode
}

/** How a page is asked for. */
interface PageWish {
  /** What was typed or written of it; by default GET. */
  readonly told?: ToldOfPage | undefined
  /** What the crawl knows of it, which counts where nothing was told. */
  readonly known?: KnownRequest | undefined
  /** Also what is kept is requested. */
  readonly refetch?: boolean
}

/** Brings pages, one after another. */
export interface VisitSession {
  /** As a crawl of this project has it; its spider means nothing. */
  readonly config: CrawlConfig
  /** A URL that a page has, as it may be shown. */
  shown(url: string): string
  /** What the crawl does with the page of `url`; said. Undefined where its store does not know. */
  known(url: string, told: ToldOfPage): Promise<KnownRequest | undefined>
  /** From what a crawl kept, or from the web. Throws what keeps a crawl from beginning. */
  fetch(url: string, wish?: PageWish): Promise<Fetched>
  /** What was typed about the page that is named. */
  readonly request: RequestWish
  close(): Promise<void>
}

/** Whose pages they are. */
interface SessionOf {
  /** If not the configuration's. */
  readonly spider?: Spider | undefined
  /** What has a kept page requested anew. */
  readonly refetchBy?: string
}

/** Opens a session. Throws AVO_CONFIG_INVALID, AVO_USAGE. */
export async function visitSession(
  wish: VisitWish,
  place: Place,
  { spider, refetchBy = '--refetch' }: SessionOf = {},
): Promise<VisitSession> {
  const { crawl } = wish
  const { folder, clock, stderr } = place
  const planned = await planOf({ ...crawl, args: {}, targets: [] }, place)
  const config = { ...planned.config, spider: pageSpider([SOME_URL], clock) }
  const own = spider ?? (await loadConfig(place, crawl.configPath))?.config.spider
  const request = await requestWishOf(wish.request, { folder, typed: crawl.headers })
  const secret = config.secretParameters
  const tell = (line: string): void => say(stderr, printable(line))
  const wanted = { folder, store: crawl.store, spider: own, say: tell, secret }
  const unknown = unknownSessionLine(request.session, config.sessions)
  if (unknown !== undefined) tell(unknown)
  // What is kept may be of another session.
  const kept = wish.refetch || request.session !== undefined ? undefined : await keptPages(wanted)
  const web = await webOf({ wish, place, config, spider: own })
  return {
    config,
    request,
    shown: (url) => withoutCredentials(url, secret),
    async known(url, told) {
      const address = parseUrl(url)
      // What the store knows may be of another session.
      return address === undefined || request.session !== undefined ? undefined : knownRequest(wanted, address, told)
    },
    async fetch(typed, { told = {}, known, refetch = false } = {}) {
      const url = parseUrl(typed) ?? typed
      const shown = withoutCredentials(url, secret)
      const { method, headers, body } = told
      const asked = { ...given('method', method), ...given('headers', headers), ...given('body', body) }
      const found = refetch ? undefined : kept?.find(shown, { ...asked, headers: { ...wish.crawl.headers, ...headers } })
      // The site may answer otherwise than it answered the crawl.
      const isOther = wish.crawl.config.userAgent !== undefined
      if (found !== undefined && !isOther) {
        const { page, fetchedAt } = found
        const now = clock.now()
        tell(`kept response of ${formatDuration(now - fetchedAt)} ago; ${refetchBy} requests it`)
        return { page: known ? asKnown(page, known, config) : page, report: keptReport(shown, page, fetchedAt), now, code: 0 }
      }
      if (found !== undefined && !wish.kept) tell('the kept response is not used: it may be another with this --user-agent')
      if (wish.kept) {
        const report = notKeptReport(printable(shown), whyNotKept({ isOther: found !== undefined, hasAny: kept !== undefined }))
        return { report, now: clock.now(), code: 6 }
      }
      if (isBehindLogin(url, own)) tell(loginLine(own, request.session))
      const visit = await web.visit(url, { ...asked, ...given('session', request.session) })
      const page = lastPage(visit, config)
      const brought = page && { page: known ? asKnown(page, known, config) : page }
      const { kept: keepable } = visit
      const end = { report: visitReport(visit, page), now: visit.now, code: exitCodeOfVisit(visit.outcome) }
      return { ...end, ...brought, ...(keepable && { kept: keepable }) }
    },
    async close() {
      kept?.close()
      await web.close()
    },
  }
}

/** Why a page has no kept response here, and what to do. */
function whyNotKept({ isOther, hasAny }: { readonly isOther: boolean; readonly hasAny: boolean }): string {
  if (isOther) return 'it may be another with this --user-agent; leave that out'
  return hasAny
    ? 'there is none; leave out --kept to request the page, or crawl it with --cache'
    : 'this crawl keeps none; leave out --kept to request the page, or crawl with --cache'
}

/** Whether a crawl would ask for `url` as somebody who has logged in. */
function isBehindLogin(url: string, spider: Spider | undefined): boolean {
  const login = spider?.login && parseUrl(spider.login.url)
  return login !== undefined && URL.canParse(url) && hostKeyOf(login, 'domain') === hostKeyOf(url, 'domain')
}

function loginLine(spider: Spider | undefined, session: string | undefined): string {
  const who =
    session === undefined
      ? 'the page is the one for visitors who are not logged in'
      : `the page is requested with the cookies that session ${session} has in the store, if any`
  return `spider ${spider?.name} logs in, and this command does not: ${who}`
}

/** Links and seeds may name any session, so one that the configuration does not have is no error. */
function unknownSessionLine(session: string | undefined, sessions: CrawlConfig['sessions'] = {}): string | undefined {
  if (session === undefined || Object.hasOwn(sessions, session)) return undefined
  const names = Object.keys(sessions)
  const hint = didYouMean(session, names)
  return `session ${session} is not among the sessions of the configuration${hint}: it has only the cookies that the store has of it, if any`
}

/** What asking the web depends on. */
interface Web {
  readonly wish: VisitWish
  readonly place: Place
  readonly config: RunnableConfig
  readonly spider: Spider | undefined
}

/** Asks the web; a visitor is made when something is to be asked. Throws AVO_FRONTIER_… where the store that was typed cannot be read. */
async function webOf({ wish, place, config, spider }: Web): Promise<Pick<Visitor, 'visit' | 'close'>> {
  const { folder, clock, stderr } = place
  const store = wish.crawl.store === IN_MEMORY ? undefined : wish.crawl.store
  const learned = store === undefined ? undefined : await storeKnowledge(storeCalled(folder, store))
  const sessions = learned ?? (await sessionsOf({ wish, place, spider }))
  let visitor: Visitor | undefined
  return {
    visit(url, request) {
      visitor ??= new Visitor({
        config,
        clock: config.clock ?? clock,
        accepts: spider?.accepts,
        patienceMs: wish.patienceMs,
        recall: { ...learned?.recall, ...(sessions && { crawl: sessions.recall.crawl }) },
        waits: ({ by, why, until }, now) =>
          say(stderr, `waits ${formatDuration(until - now)}: ${printable(by)}: ${printable(why)}`),
      })
      return visitor.visit(url, request)
    },
    async close() {
      await visitor?.close()
      await sessions?.close()
    },
  }
}

/** Where a session was typed, the crawl's store has its cookies, also without --store. Nothing is written there. */
async function sessionsOf({ wish, place, spider }: Pick<Web, 'wish' | 'place' | 'spider'>): ReturnType<typeof storeFound> {
  if (wish.request.session === undefined) return undefined
  return storeFound(await crawlOf({ folder: place.folder, store: wish.crawl.store, spider }, '.db'))
}

async function storeFound(path: string | undefined): Promise<Awaited<ReturnType<typeof storeKnowledge>> | undefined> {
  return path === undefined || !(await storeExists(path)) ? undefined : storeKnowledge(path)
}

/** What a crawl has learned of hosts, read from its store, also while it runs. Throws AVO_FRONTIER_…. */
async function storeKnowledge(path: string): Promise<{ readonly recall: Recalled; close(): Promise<void> }> {
  const reader = await storeKind(path).reader(path)
  return {
    recall: {
      host: async (hostKey) => (await reader.hosts({ hostKey }))[0]?.memory ?? {},
      crawl: async () => (await reader.info()).memories,
    },
    close: () => reader.close(),
  }
}
