// A site for members, and a crawl of it in virtual time: sessions end after so many pages, some pages are nobody's, and what it felt is counted.
import { crawl, memoryFrontier, spider, type CrawlConfig, type CrawlReport, type Page, type Spider } from 'avocet'
import type { Fetcher, Frontier } from '@avocet/core/store'
import { cookies } from '@avocet/plugin-cookies'
import { VirtualClock } from '@avocet/simulator'

/** The page with the form. */
export const FORM =
  '<p class=out></p><form id=login method=post action="/do-login"><input name=user><input type=password name=password></form>'

/** What it is asked. */
type Fetched = Parameters<Fetcher['fetch']>[0]

/** What the site answers. */
export interface SiteAnswer {
  /** As of a rendered page. */
  readonly unauthorized?: true
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What it is. */
interface SiteOptions {
  /** Pages of one session; then it is logged out. */
  readonly ends?: number
  /** Where logged-out requests are redirected. */
  readonly outTo?: string
  readonly pages?: number
  /** A page that answers 401, whoever asks. */
  readonly isForbidden?: (path: string) => boolean
  /** What is asked first. */
  readonly answer?: (href: string, isIn: boolean, headers: Fetched['headers']) => SiteAnswer | undefined
}

/** The page with `body`. */
export function formPage(body = FORM): SiteAnswer {
  return { status: 200, headers: { 'content-type': 'text/html' }, body }
}

/** The site. */
export type MemberSite = ReturnType<typeof memberSite>

/** Makes it: a front page with links to `pages`. */
export function memberSite({
  ends = Infinity,
  outTo = '/login',
  pages = 20,
  isForbidden = () => false,
  answer = () => undefined,
}: SiteOptions = {}) {
  const left = new Map<string, number>()
  const links = Array.from({ length: pages }, (_, n) => `/p${n}`)
  const felt = { logins: 0 }
  const logIn = (): SiteAnswer => {
    const id = `s${++felt.logins}`
    left.set(id, ends)
    return { status: 302, headers: { location: '/welcome', 'set-cookie': `sid=${id}; Path=/` }, body: '' }
  }
  return {
    felt,
    paths: ['/', ...links].toSorted(),
    endSessions: () => left.clear(),
    answer({ url, headers }: Fetched, more: readonly string[]): SiteAnswer {
      const { pathname, search } = new URL(url)
      const id = /sid=(\w+)/.exec(headers['cookie'] ?? '')?.[1] ?? ''
      const isIn = (left.get(id) ?? 0) > 0
      const own = answer(url, isIn, headers)
      if (own !== undefined) return own
      if (pathname === '/do-login') return logIn()
      if (pathname === '/welcome') return formPage('hello')
      if (pathname === '/login') return formPage()
      if (!isIn)
        return { status: 302, headers: { location: `${outTo}${outTo.includes('?') ? '&' : '?'}next=${pathname}` }, body: '' }
      left.set(id, (left.get(id) ?? 0) - 1)
      if (isForbidden(pathname)) return { status: 401, headers: { 'content-type': 'text/html' }, body: 'no' }
      return formPage(pathname + search === '/' ? [...links, ...more].map((path) => `<a href="${path}">x</a>`).join('') : 'page')
    },
  }
}

/** How it is crawled. */
interface CrawlWish extends Omit<Partial<CrawlConfig>, 'store'> {
  readonly url?: string
  readonly login?: Partial<NonNullable<Spider['login']>>
  /** Beside those of the front page. */
  readonly links?: readonly string[]
  readonly store?: { readonly clock: VirtualClock; readonly frontier: Frontier }
}

/** What became of it. */
interface Crawled {
  readonly report: CrawlReport
  /** Paths, sorted. */
  readonly items: readonly string[]
  readonly asked: readonly string[]
  readonly store: { readonly clock: VirtualClock; readonly frontier: Frontier }
}

/** Crawls it. */
export async function membersOf(site: MemberSite, wish: CrawlWish = {}): Promise<Crawled> {
  const { url = 'https://members.test/login', login, links = [], store = newStore(), ...config } = wish
  const { clock, frontier } = store
  const asked: string[] = []
  const members = spider({
    name: 'members',
    seeds: ['https://members.test/'],
    login: {
      url,
      submit: (page: Page) => page.form('#login').fill({ user: 'ann', password: 'apple' }).submit(),
      isLoggedOut: (page: Page) => page.$('.out').length > 0,
      ...login,
    },
    handlers: {
      *start(page: Page) {
        yield { path: page.url.pathname }
        yield* page.links()
      },
    },
  })
  const fetcher = fetcherOf(clock, (request) => {
    asked.push(`${request.method} ${new URL(request.url).pathname}`)
    return site.answer(request, links)
  })
  const fixed = {
    spider: members,
    policies: [],
    plugins: [cookies()],
    hosts: { '*': { delayMs: 0 } },
    randomSeed: 't',
    concurrency: 4,
  }
  const made = crawl({ ...fixed, ...config, clock, fetcher, frontier })
  const report = await clock.run(() => made.run())
  const found = await frontier.reader.items({ afterSeq: 0, limit: 9_999 })
  return { report, items: found.map(({ json }) => (JSON.parse(json) as { path: string }).path).toSorted(), asked, store }
}

function newStore(): Crawled['store'] {
  return { clock: new VirtualClock(), frontier: memoryFrontier() }
}

/** A site as a fetcher: 20 ms an answer. */
export function fetcherOf(clock: VirtualClock, answer: (request: Fetched) => SiteAnswer): Fetcher {
  return {
    fetch(request, receiver) {
      let isOver = false
      receiver.sent()
      clock.at(clock.now() + 20, () => {
        if (isOver) return
        isOver = true
        const { status, headers, body: text, ...rest } = answer(request)
        const wish = receiver.headers({ status, headers })
        const body = wish === 'read' ? new TextEncoder().encode(text) : new Uint8Array()
        const timings = { firstByteMs: 20, bodyMs: 0, reusedSocket: false }
        receiver.done({ url: request.url, status, headers, body, wireBytes: body.length, timings, ...rest })
      })
      return () => (isOver = true)
    },
    close: async () => {},
  }
}
