// A web whose hosts have hours and limits, on every path by which a crawl comes to a request, and a judge who reads their clocks by himself.
//
// Some hosts have the hours of `*`, some their own, some say them in robots.txt, some are always open. They have links, redirects to one another, sitemaps,
// files, pages to render that load more, pages behind a login, and a robots.txt that is on another host; they fail, refuse, and are dead for two days.
// An operator adds URLs.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crawl, link, spider, type Crawl, type CrawlConfig, type Page, type Spider } from 'avocet'
import type { TraceEvent } from '@avocet/core/plugin'
import type { Fetcher, Outbound } from '@avocet/core/store'
import { cookies } from '@avocet/plugin-cookies'
import { file, files } from '@avocet/plugin-files'
import { sitemaps } from '@avocet/plugin-sitemaps'
import { polite } from '@avocet/preset-polite'
import { seeded, VirtualClock } from '@avocet/simulator'
import { scriptedWeb, type Answer } from '../../test/crawl/scripted-web.ts'

const DAY_MS = 86_400_000
const HTML = { 'content-type': 'text/html; charset=utf-8' }
const ALWAYS = { between: ['00:00', '24:00'], timeZone: 'UTC' } as const
/** By the number of a host, modulo 5. The fourth says its hours in robots.txt. */
const KINDS = [
  { between: ['20:00', '08:00'], timeZone: 'Europe/Berlin' },
  { between: ['12:00', '12:40'], timeZone: 'UTC' },
  { between: ['01:30', '02:30'], timeZone: 'America/New_York' },
  { between: ['06:00', '08:45'], timeZone: 'UTC' },
  ALWAYS,
] as const
const IN_ROBOTS = 3
const MAX_RPS = 0.5
/** Requests of a rendered page beside its document. */
const LOADS = 5
/** Open for forty minutes a day. */
const MEMBERS = 'g1.test'
const MEMBER_PAGES = [1, 2, 3, 4, 5, 6, 7, 8]
/** A URL is added after so many requests. */
const ADDED_EVERY = 500
/** A start that is so late is made up for. */
const SLACK_MS = 50

type TracedExchange = Extract<TraceEvent, { readonly kind: 'begun' }>['exchange']

/** How large it is. */
export interface GovernedOptions {
  readonly hosts: number
  readonly pages: number
  readonly days: number
  /** Epoch ms. */
  readonly startAt: number
  readonly seed?: string
  /** Ends the crawl after so many. */
  readonly admissions?: number
}

/** What was found. */
export interface Governed {
  readonly admissions: number
  /** Begun, or sent over a slow connection, while the clock of the host showed a time outside of its hours. */
  readonly closed: readonly string[]
  /** Begun before its `maxRps` allowed it. */
  readonly above: readonly string[]
  /** By path. */
  readonly paths: ReadonlyMap<string, number>
}

/** Crawls it, on virtual time. */
export async function governed(options: GovernedOptions): Promise<Governed> {
  const { hosts, days, startAt, admissions = Infinity, seed = 'governor' } = options
  const clock = new VirtualClock({ startAt })
  const names = Array.from({ length: hosts }, (_, n) => nameOf(n))
  const judge = new Judge()
  const answers = answersOf(options, clock)
  const folder = mkdtempSync(join(tmpdir(), 'avocet-governor-'))
  const run = crawl({
    spider: spiderOf(names),
    policies: polite(),
    plugins: [sitemaps(), cookies(), files({ folder })],
    hosts: {
      '*': { ...KINDS[0], maxRps: MAX_RPS },
      ...Object.fromEntries(names.map((name, n) => [name, n % 5 === IN_ROBOTS ? ALWAYS : KINDS[n % 5]])),
    },
    recrawl: [{ everyMs: 3_600_000 }],
    maxTimeMs: days * DAY_MS,
    concurrency: 200,
    drainMs: 0,
    randomSeed: seed,
    clock,
    fetcher: judgedWeb(clock, answers, {
      fetched(outbound, { sentAfterMs = 0 }) {
        const begun = judge.begun(outbound, [clock.now(), clock.now() + sentAfterMs])
        if (begun >= admissions) run.stop()
        else if (begun % ADDED_EVERY === 0) add(run, begun / ADDED_EVERY, hosts)
      },
      dialled: (hostname) => judge.connects(hostname, clock.now()),
    }),
    browser: loadingBrowser(hosts),
  })
  run.hooks.onTrace.tap('governor', (event: TraceEvent) => judge.hears(event))
  try {
    await clock.run(() => run.run())
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return judge
}

function nameOf(n: number): string {
  return `g${n}.test`
}

/** An operator adds a URL. */
function add(run: Crawl, nth: number, hosts: number): void {
  void run.control({ kind: 'add', seeds: [{ url: `http://${nameOf(nth % hosts)}/a${nth}` }] })
}

/** A browser that loads something of the page's own host and of another one, once the document is there. */
function loadingBrowser(hosts: number): NonNullable<CrawlConfig['browser']> {
  const target = { port: 80, isPlain: true, privateAllowed: false, signal: new AbortController().signal }
  return ({ http }) => ({
    fetch(outbound, receiver) {
      if (outbound.render === undefined) return http.fetch(outbound, receiver)
      const n = numberIn(new URL(outbound.url).hostname)
      // What another host says in its robots.txt is not known where none of its pages is.
      const others = [n + 1, n + 2].filter((other) => other % 5 !== IN_ROBOTS).map((other) => other % hosts)
      return http.fetch(outbound, {
        sent: () => receiver.sent(),
        headers: (head) => receiver.headers(head),
        failed: (cause) => receiver.failed(cause),
        done(response) {
          for (const each of [n, ...others]) void http.dial?.({ hostname: nameOf(each), ...target }).catch(() => undefined)
          receiver.done(response)
        },
      })
    },
    rendering: { wants: ({ render }) => render !== undefined, fullAt: undefined },
    close: () => http.close(),
  })
}

function numberIn(text: string): number {
  return Number(/\d+/.exec(text)?.[0])
}

/** Reads the clocks of hosts, and counts. */
class Judge implements Governed {
  admissions = 0
  readonly closed: string[] = []
  readonly paths = new Map<string, number>()
  readonly #clocks = KINDS.map(
    ({ timeZone }) => new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
  )
  /** When its requests began, by host and exchange; `loaded`: what a page loaded, as if it had begun one by one. */
  readonly #starts = new Map<string, Map<string, { readonly at: number; readonly loaded?: true }>>()
  readonly #read = new Set<string>()
  /** Hosts whose next request is a probe. */
  readonly #probing = new Set<string>()

  hears(event: TraceEvent): void {
    if (event.kind === 'begun') this.#started(event.exchange, event.at)
    else if (event.kind === 'answered' && event.response.loads !== undefined) this.#loaded(event.exchange, event.at)
    // It waited for its connection, and was taken back.
    else if (event.kind === 'unsent') this.#starts.get(event.exchange.hostKey)?.delete(event.exchange.id)
    else if (event.kind === 'held' && event.hold?.by === 'breaker') this.#probing.add(event.hostKey)
  }

  #started({ id, hostKey, request, required }: TracedExchange, at: number): void {
    this.#startsOf(hostKey).set(id, { at })
    if (request.hostKey !== hostKey) this.#count('another host, for one that requires it')
    else if (required) this.#count('required')
    if (request.attempts + request.freeAttempts > 0) this.#count('again, after a failure or a refusal')
    if (request.hops > 0) this.#count('redirected')
    if (this.#probing.delete(hostKey)) this.#count('a probe')
  }

  #loaded({ id, hostKey }: TracedExchange, at: number): void {
    for (let n = 0; n < LOADS; n++) this.#startsOf(hostKey).set(`${id} ${n}`, { at, loaded: true })
    for (let n = 0; n < LOADS; n++) this.#count('loaded by a rendered page')
  }

  #startsOf(hostKey: string): Map<string, { readonly at: number; readonly loaded?: true }> {
    const starts = this.#starts.get(hostKey) ?? new Map<string, { readonly at: number; readonly loaded?: true }>()
    this.#starts.set(hostKey, starts)
    return starts
  }

  /** Begun before its `maxRps` allowed it, had all begun evenly. */
  get above(): readonly string[] {
    return [...this.#starts].flatMap(([hostKey, starts]) => {
      let evenAt = 0
      return [...starts.values()].flatMap(({ at, loaded = false }) => {
        const early = loaded ? 0 : evenAt - at
        evenAt = Math.max(at, evenAt) + 1_000 / MAX_RPS
        return early > SLACK_MS + 1 ? [`${hostKey} ${early} ms too early at ${new Date(at).toISOString()}`] : []
      })
    })
  }

  /** `moments`: it begins, and it is sent. How many have begun. */
  begun({ url, method, render, headers }: Outbound, moments: readonly number[]): number {
    const { hostname, pathname } = new URL(url)
    const kind = numberIn(hostname) % 5
    // The hours that a host says in robots.txt are not known before that is read.
    if (kind !== IN_ROBOTS || this.#read.has(hostname)) for (const at of moments) this.#look(kind, url, at)
    if (pathname === '/robots.txt') this.#read.add(hostname)
    this.#count(`${render === undefined ? '' : 'rendered '}${method} ${pathname.replace(/\d+/g, 'N')}`)
    if (headers['cookie'] !== undefined) this.#count('with a session')
    return ++this.admissions
  }

  /** Beside the document of a page that is rendered. */
  connects(hostname: string, at: number): void {
    this.#look(numberIn(hostname) % 5, `a page loads from ${hostname}`, at)
    this.#count('connections of rendered pages')
  }

  #look(kind: number, url: string, at: number): void {
    const { between } = KINDS[kind] ?? ALWAYS
    const [begin, end] = between
    const time = this.#clocks[kind]?.format(at) ?? ''
    const isIn = begin < end ? time >= begin && time < end : time >= begin || time < end
    if (!isIn) this.closed.push(`${time} ${url}`)
  }

  #count(path: string): void {
    this.paths.set(path, (this.paths.get(path) ?? 0) + 1)
  }
}

/** Answers by chance, and looks at each request with its answer. */
function judgedWeb(
  clock: VirtualClock,
  answerOf: (url: string, method: string) => Answer,
  {
    fetched,
    dialled,
  }: { readonly fetched: (outbound: Outbound, answer: Answer) => void; readonly dialled: (hostname: string) => void },
): Fetcher {
  return {
    fetch(outbound, receiver) {
      const given = answerOf(outbound.url, outbound.method)
      const isBuilt = outbound.render !== undefined && given.status === undefined && given.fails === undefined
      const answer = isBuilt ? { ...given, loads: LOADS } : given
      fetched(outbound, answer)
      return scriptedWeb(clock, { [outbound.url]: answer }).fetch(outbound, receiver)
    },
    dial({ hostname }) {
      dialled(hostname)
      return Promise.reject(new Error('a web on virtual time has no sockets'))
    },
    close: () => Promise.resolve(),
  }
}

/** What URLs answer, by chance. */
function answersOf(
  { hosts, pages, startAt, seed = 'governor' }: GovernedOptions,
  clock: VirtualClock,
): (url: string, method: string) => Answer {
  const chance = seeded(seed, 'answers')
  let nth = 0
  return (url, method) => {
    const { hostname, pathname, origin } = new URL(url)
    const n = numberIn(hostname)
    const dice = chance(nth++)
    if (n % 10 === 9 && clock.now() - startAt < 2 * DAY_MS) return { fails: 'AVO_CONNECT_REFUSED', unsent: true }
    if (pathname === '/login') return loginAnswer(method)
    if (pathname === '/robots.txt' && n % 5 === 4)
      return { status: 302, headers: { location: `http://${nameOf((n + 1) % hosts)}/for/robots.txt` } }
    if (pathname.endsWith('robots.txt')) {
      const hours = n % 5 === IN_ROBOTS ? 'Visit-time: 0600-0845\n' : ''
      return { body: `User-agent: *\n${hours}Disallow: /private\nSitemap: ${origin}/sitemap.xml` }
    }
    if (dice < 0.02) return { status: 503, headers: { 'retry-after': '120' } }
    if (dice < 0.04) return { status: 500 }
    if (dice < 0.05) return { fails: 'AVO_FIRST_BYTE_TIMEOUT', afterMs: 9_000 }
    if (pathname === '/sitemap.xml') return sitemapAnswer(origin)
    if (pathname.startsWith('/f')) return { headers: { 'content-type': 'image/png' }, body: pathname }
    const other = `http://${nameOf(Math.floor(dice * 1e6) % hosts)}/p${Math.floor(dice * 1e5) % pages}`
    if (dice > 0.97) return { status: 301, headers: { location: other } }
    const at = Number(/\d+$/.exec(pathname)?.[0] ?? 0)
    const isOut = pathname.startsWith('/m') && dice > 0.9
    const links = [2 * at + 1, 2 * at + 2].filter((page) => page < pages).map((page) => `<a href="/p${page}">on</a>`)
    return {
      headers: HTML,
      body: `${isOut ? '<i>out</i>' : ''}${links.join('')}`,
      afterMs: 20 + dice * 200,
      sentAfterMs: dice < 0.1 ? 9_000 : 0,
    }
  }
}

function loginAnswer(method: string): Answer {
  if (method === 'POST') return { headers: { ...HTML, 'set-cookie': 'sid=1; Path=/' }, body: 'in' }
  return { headers: HTML, body: '<form method=post action=/login><input name=user></form>' }
}

function sitemapAnswer(origin: string): Answer {
  const urls = [1, 2, 3].map((page) => `<url><loc>${origin}/s${page}</loc></url>`)
  return {
    headers: { 'content-type': 'application/xml' },
    body: `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.join('')}</urlset>`,
  }
}

function spiderOf(names: readonly string[]): Spider {
  return spider({
    name: 'governed',
    seeds: names.flatMap((name) => [
      `http://${name}/p0`,
      ...(name === MEMBERS ? MEMBER_PAGES.map((page) => ({ url: `http://${name}/m${page}`, session: 'alice' })) : []),
    ]),
    scope: { hosts: names },
    login: {
      url: `http://${MEMBERS}/login`,
      submit: (page: Page) => page.form().fill({ user: 'alice' }).submit(),
      isLoggedOut: (page: Page) => page.$('i').length > 0,
    },
    handlers: {
      *start(page) {
        const n = Number(/\d+$/.exec(page.url.pathname)?.[0] ?? 0)
        if (n % 10 === 3) yield file(page, `/f${n}.png`)
        if (n % 10 === 4) yield link(`/r${n}`, { render: 'browser' })
        yield* page.links()
      },
    },
  })
}
