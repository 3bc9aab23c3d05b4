// Logins in whole crawls: a form with a token, sessions that end, kills, accounts that are wrong; and what the site felt.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crawl, definePlugin, memoryFrontier, spider, type CrawlConfig, type CrawlReport, type Page, type Spider } from 'avocet'
import type { Exchange, TraceEvent } from '@avocet/core/plugin'
import type { Fetcher, Frontier } from '@avocet/core/store'
import { atRest } from '@avocet/at-rest'
import { cookies } from '@avocet/plugin-cookies'
import { robots } from '@avocet/plugin-robots'
import { sqlite } from '@avocet/plugin-sqlite'
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it, onTestFinished } from 'vitest'
import { itemsOf, LoginSite, PAGES, type Asked, type Answered } from '../../../examples/login/site.ts'
import { failedLoginsOf } from '../../../packages/cli/src/store/failed-logins.ts'

const A = 'http://members.test'

/** The site, as a fetcher: 20 ms an answer. */
function webOf(
  clock: VirtualClock,
  answer: (asked: Asked, url: URL) => Answered,
  slowMs: (path: string) => number = () => 0,
): Fetcher & { readonly asked: string[] } {
  const asked: string[] = []
  return {
    asked,
    fetch({ url, method, headers, body }, receiver) {
      let isOver = false
      const at = new URL(url)
      clock.at(clock.now(), () => {
        if (isOver) return
        asked.push(`${method} ${at.pathname}`)
        receiver.sent()
        clock.at(clock.now() + 20 + slowMs(at.pathname), () => {
          if (isOver) return
          isOver = true
          const {
            status,
            headers: fields,
            body: text,
          } = answer({ method, path: at.pathname, cookie: headers['cookie'], body }, at)
          const wish = receiver.headers({ status, headers: fields })
          const bytes = wish === 'read' ? new TextEncoder().encode(text) : new Uint8Array()
          const timings = { firstByteMs: 20, bodyMs: 0, reusedSocket: false }
          receiver.done({ url, status, headers: fields, body: bytes, wireBytes: bytes.length, timings })
        })
      })
      return () => (isOver = true)
    },
    close: async () => {},
  }
}

const PASSWORDS: Readonly<Record<string, string>> = { ann: 'apple', alice: 'pear', bob: 'plum' }

/** Follows all pages; logs in as the session, or as ann. */
function members(seeds: Spider['seeds'] = [`${A}/`], password = (user: string): string => PASSWORDS[user] ?? ''): Spider {
  return spider({
    name: 'members',
    seeds,
    login: {
      url: `${A}/login`,
      submit(page) {
        const user = page.request.session ?? 'ann'
        return page
          .form('#login')
          .fill({ user, password: password(user) })
          .submit()
      },
      isLoggedOut: (page) => page.$('.logged-out').length > 0,
    },
    handlers: {
      *start(page: Page) {
        const number = page.$('h1').attr('data-number')
        if (number !== undefined) yield { number: Number(number), user: page.text('h1').replace(/.* /, '') }
        yield* page.links()
      },
    },
  })
}

/** The same, with another login. */
function membersWith(other: Partial<NonNullable<Spider['login']>>, seeds?: Spider['seeds']): Spider {
  const made = members(seeds)
  return made.login === undefined ? made : { ...made, login: { ...made.login, ...other } }
}

interface Ran {
  readonly site: LoginSite
  readonly report: CrawlReport
  readonly items: readonly { readonly number: number; readonly user: string }[]
  readonly asked: readonly string[]
  readonly clock: VirtualClock
  readonly frontier: Frontier
}

async function crawled(
  config: Partial<CrawlConfig> = {},
  {
    site = new LoginSite(PASSWORDS),
    frontier = memoryFrontier(),
    clock = new VirtualClock(),
    answer = (asked: Asked) => site.answer(asked),
    slowMs,
  }: {
    readonly slowMs?: (path: string) => number
    readonly site?: LoginSite
    readonly frontier?: Frontier
    readonly clock?: VirtualClock
    readonly answer?: (asked: Asked, url: URL) => Answered
  } = {},
): Promise<Ran> {
  const fetcher = webOf(clock, answer, slowMs)
  const hosts = { '*': { delayMs: 0 } }
  const made = crawl({
    spider: members(),
    policies: [],
    plugins: [cookies()],
    hosts,
    randomSeed: 'test',
    ...config,
    clock,
    fetcher,
    frontier,
  })
  const report = await clock.run(() => made.run())
  const items = (await frontier.reader.items({ afterSeq: 0, limit: 9_999 })).map(
    ({ json }) => JSON.parse(json) as Ran['items'][number],
  )
  return { site, report, items, asked: fetcher.asked, clock, frontier }
}

const sorted = (items: Ran['items']): Ran['items'] => items.toSorted((a, b) => a.number - b.number || (a.user < b.user ? -1 : 1))
const fast = { policies: [{ name: 'no-pace', policy: 'rate' as const }], maxPerHost: 8 }

describe('a login', () => {
  it('is made before the first page, and again when the session ends: everything is crawled once', async () => {
    const { site, items, report } = await crawled()

    expect(sorted(items)).toEqual(itemsOf('ann'))
    expect([site.logins, site.failedLogins, report.ended]).toEqual([5, 0, 'done'])
  })

  it('is one for many pages that come back together', async () => {
    const { site, items } = await crawled(fast)

    expect(sorted(items)).toEqual(itemsOf('ann'))
    expect([site.logins, site.formsSeen]).toEqual([5, 5])
    expect(site.loggedOutPages).toBeGreaterThan(4)
    expect(site.loggedOutPages).toBeLessThanOrEqual(4 * 8)
  })

  it('is not made for a page that was requested before the last one, however late it comes', async () => {
    const seen = new Set<string>()
    let logins = 0
    const first = (path: string): boolean => !seen.has(path) && seen.add(path) !== undefined
    const answer = ({ path, method }: Asked): Answered => {
      const headers = { 'content-type': 'text/html' }
      if (method === 'POST') return (logins++, { status: 303, headers: { location: '/' }, body: '' })
      if (path === '/login')
        return { status: 200, headers, body: '<form id=login method=post><input name=user><input name=password></form>' }
      if (path !== '/' && first(path)) return { status: 200, headers, body: '<p class=logged-out>' }
      return {
        status: 200,
        headers,
        body: `<h1 data-number=${path.length}>Page of ann</h1><a href=/end>1</a><a href=/slowly>2</a>`,
      }
    }
    const slowMs = (path: string): number => (path === '/slowly' && !seen.has(path) ? 5_000 : 0)
    const { items, report } = await crawled(fast, { answer, slowMs })

    expect([report.ended, items.map(({ number }) => number).toSorted(), logins]).toEqual(['done', [1, 4, 7], 2])
  })

  it('is one for each session, and sessions do not see the pages of each other', async () => {
    const seeds = ['alice', 'bob'].map((session) => ({ url: `${A}/`, session }))
    const { site, items } = await crawled({ spider: members(seeds), ...fast })

    expect(sorted(items)).toEqual(sorted([...itemsOf('alice'), ...itemsOf('bob')]))
    expect([site.logins, site.failedLogins]).toEqual([10, 0])
  })

  it('with named sessions crawls every page of each once, by two processes on one store', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'avocet-login-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const clock = new VirtualClock()
    const site = new LoginSite(PASSWORDS)
    const fetcher = webOf(clock, (asked) => site.answer(asked))
    const seeds = ['alice', 'bob'].map((session) => ({ url: `${A}/`, session }))
    const open = (): Frontier => sqlite(join(folder, 'store.db'), { clock, synchronous: 'normal' })
    const [first, second] = [open(), open()]
    const common = { spider: members(seeds), policies: [], hosts: { '*': { delayMs: 0 } }, randomSeed: 'two', clock, fetcher }
    const process = (frontier: Frontier) => crawl({ ...common, plugins: [cookies()], frontier }).run()

    await clock.run(() => Promise.all([first, second].map(process)))

    const items = (await first.reader.items({ afterSeq: 0, limit: 9_999 })).map(
      ({ json }) => JSON.parse(json) as Ran['items'][number],
    )
    await Promise.all([first.close(), second.close()])
    const keys = items.map(({ user, number }) => `${user} ${number}`)
    expect(new Set(keys).size).toBe(keys.length)
    expect(keys.length).toBe(2 * itemsOf('alice').length)
  }, 60_000)

  it('loses nothing when the crawl is cut off anywhere, and logs in no more than it must', async () => {
    for (const maxPages of [1, 2, 49, 50, 51, 120]) {
      const site = new LoginSite(PASSWORDS)
      const frontier = memoryFrontier()
      await crawled({ ...fast, maxPages }, { site, frontier })
      const { items } = await crawled(fast, { site, frontier })

      expect(sorted(items)).toEqual(itemsOf('ann'))
      expect([maxPages, site.logins <= 6]).toEqual([maxPages, true])
    }
  })

  it('that is cut off in its middle is made anew', async () => {
    const site = new LoginSite(PASSWORDS)
    const frontier = memoryFrontier()
    for (const maxTimeMs of [10, 25, 45, 65]) await crawled({ maxTimeMs }, { site, frontier })
    const { items, report } = await crawled({}, { site, frontier })

    expect([items.length, report.ended]).toEqual([PAGES, 'done'])
  })

  it.each([302, 401, 403])('is made where a page says so by status %d', async (status) => {
    const site = new LoginSite(PASSWORDS)
    const answer = (asked: Asked): Answered => {
      const given = site.answer(asked)
      if (asked.path === '/login' || !given.body.includes('logged-out')) return given
      return status === 302 ? { ...given, status, headers: { location: `/login?next=${asked.path}` } } : { ...given, status }
    }
    const { items } = await crawled(fast, { site, answer })

    expect(sorted(items)).toEqual(itemsOf('ann'))
  })

  it('that fails is repeated after growing pauses, said, and costs no page', async () => {
    const told: string[] = []
    const ear = { name: 'ear', onTrace: (event: TraceEvent) => void (event.kind === 'problem' && told.push(event.message)) }
    const { site, report, items, asked } = await crawled({
      spider: members([`${A}/`], () => 'wrong'),
      plugins: [cookies(), ear],
    })

    expect(items).toEqual([])
    expect(site.failedLogins).toBe(4)
    expect(told[0]).toMatch(
      / failed \(1 in a row\): .* says that it is logged out; its pages wait; check the account and the form$/,
    )
    expect([report.ended, report.counts.waiting]).toEqual(['patience', 1])
    expect(report.problems.map(({ message }) => message).join('\n')).toMatch(
      /login of host members\.test .* failed \(3 in a row\): .* says that it is logged out/,
    )
    expect(asked.filter((what) => what === 'GET /')).toEqual([])
  })

  it('that failed can be looked up: which session, when, why, the next attempt, and how many requests wait', async () => {
    const { frontier, clock, report } = await crawled({ spider: members(undefined, () => 'wrong'), patienceMs: 60_000 })
    const rest = await atRest(frontier.reader)
    const [failed, ...others] = await failedLoginsOf(frontier.reader, rest)

    expect(others).toEqual([])
    expect(failed).toMatchObject({ hostKey: 'members.test', waiting: 1, why: expect.stringMatching(/logged out|answered/) })
    expect(report.problems.map(({ message }) => message).join()).toContain(`${failed?.failures ?? 0} in a row`)
    expect(failed?.failedAt).toBeLessThanOrEqual(clock.now())
    expect(failed?.nextAt).toBeGreaterThan(clock.now())
    expect(await failedLoginsOf(frontier.reader, rest, 'other.test')).toEqual([])
  })

  it('is not tried sooner by a restart', async () => {
    const site = new LoginSite(PASSWORDS)
    const frontier = memoryFrontier()
    const config = { spider: members([`${A}/`], () => 'wrong') }
    const { clock } = await crawled(config, { site, frontier })
    const before = site.failedLogins
    for (let n = 0; n < 5; n++) await crawled(config, { site, frontier, clock })

    expect(site.failedLogins).toBe(before)
  })

  it('of one session that fails does not hold another', async () => {
    const seeds = ['alice', 'mallory'].map((session) => ({ url: `${A}/`, session }))
    const { items, report } = await crawled({ spider: members(seeds), ...fast })

    expect(sorted(items)).toEqual(itemsOf('alice'))
    expect(report.counts.waiting).toBe(1)
  })

  it.each([300, 2_000])('of one session that fails does not hold another behind %d of its requests', async (count) => {
    const outside = Array.from({ length: count }, (_, n) => ({ url: `${A}/p/1?of=${n}`, session: 'mallory' }))
    const { items, report } = await crawled({ spider: members([...outside, { url: `${A}/`, session: 'alice' }]), ...fast })

    expect(sorted(items)).toEqual(itemsOf('alice'))
    expect([report.counts.waiting, report.run.retried <= 4 * count]).toEqual([count, true])
  })

  it('without cookies is in vain: it is not repeated for ever, and no page is lost', async () => {
    const { site, report, items } = await crawled({ plugins: [] })

    expect([items, report.ended, report.counts.waiting]).toEqual([[], 'patience', 1])
    expect(site.formsSeen).toBeLessThan(9)
    expect(report.problems[0]?.message).toMatch(/failed \(1 in a row\): .*add cookies\(\) of @avocet\/plugin-cookies/)
  })

  it('leaves behind a page that is logged out while others are not', async () => {
    const site = new LoginSite(PASSWORDS)
    const answer = (asked: Asked): Answered => (asked.path === '/p/3' ? new LoginSite({}).answer(asked) : site.answer(asked))
    const { items, report } = await crawled(fast, { site, answer })

    expect(items.length).toBeGreaterThan(190)
    expect([report.ended, report.counts.waiting]).toEqual(['done', 0])
    expect(site.logins).toBeLessThan(14)
  })

  it.each([
    ['is not there', () => ({ status: 404, headers: {}, body: '' }), /answered 404/],
    [
      'has no form',
      () => ({ status: 200, headers: { 'content-type': 'text/html' }, body: '<p class=logged-out>' }),
      /expected a form at "#login"/,
    ],
    ['redirects in circles', () => ({ status: 302, headers: { location: '/login' }, body: '' }), /more than 5 redirects/],
  ])('whose page %s is said, and its pages wait', async (_what, login, message) => {
    const site = new LoginSite(PASSWORDS)
    const answer = (asked: Asked): Answered => (asked.path === '/login' ? login() : site.answer(asked))
    const { report } = await crawled({}, { site, answer })

    expect(report.problems.map((problem) => problem.message).join('\n')).toMatch(message)
    expect([report.ended, report.counts.waiting]).toEqual(['patience', 1])
  })

  it.each([307, 308])('takes its password to no other origin, where %d sends it', async (status) => {
    const site = new LoginSite(PASSWORDS)
    const elsewhere: unknown[] = []
    await crawled(
      {},
      {
        site,
        answer(asked, url) {
          if (url.hostname === 'other.test') elsewhere.push([asked.method, asked.body])
          if (asked.method !== 'POST') return site.answer(asked)
          return { status, headers: { location: 'http://other.test/p' }, body: '' }
        },
      },
    )

    expect(elsewhere[0]).toEqual(['GET', undefined])
    expect(elsewhere.flat()).not.toContain('POST')
  })

  it('keeps its password out of events, store and report', async () => {
    const shown: unknown[] = []
    const site = new LoginSite(PASSWORDS)
    const clock = new VirtualClock()
    const frontier = memoryFrontier()
    const fetcher = webOf(clock, (asked) => site.answer(asked))
    const made = crawl({ spider: members(), policies: [], plugins: [cookies()], clock, fetcher, frontier, maxPages: 3 })
    made.hooks.onTrace.tap('test', (event) => shown.push(JSON.stringify(event)))
    made.hooks.beforeRequest.tapPromise(
      { name: 'test', seesRequired: true },
      async ({ exchange }) => void shown.push(JSON.stringify(exchange.request)),
    )
    const report = await clock.run(() => made.run())

    expect(shown.some((text) => String(text).includes('/login'))).toBe(true)
    expect(JSON.stringify([shown, report])).not.toContain('apple')
  })

  it('keeps out what a form with method GET sends, and what redirects of its answer carry', async () => {
    const shown: string[] = []
    const answer = ({ path }: Asked, { search }: URL): Answered => {
      if (search.includes('apple')) return { status: 302, headers: { location: '/welcome?code=TOKEN77' }, body: '' }
      if (path === '/welcome') return { status: search.includes('TOKEN77') ? 403 : 400, headers: {}, body: '' }
      const body = path === '/login' ? '<form id=login><input name=user><input name=password></form>' : '<p class=logged-out>'
      return { status: 200, headers: { 'content-type': 'text/html' }, body }
    }
    const plugin = {
      name: 'watch',
      seesRequired: true,
      onTrace: (event: unknown) => void shown.push(JSON.stringify(event)),
      beforeRequest: ({ exchange }: { readonly exchange: Exchange }) => void shown.push(JSON.stringify(exchange.request)),
    }
    const { report } = await crawled({ plugins: [cookies(), plugin] }, { answer })

    const text = JSON.stringify([shown, report])
    expect(text).toContain(`${A}/__secret__ answered 403`)
    expect(text).not.toMatch(/apple|TOKEN77/)
  })

  it('keeps out of events, store and report the paths that its answers lead to', async () => {
    const shown: string[] = []
    const answer = ({ path, method }: Asked): Answered => {
      if (method === 'POST') return { status: 303, headers: { location: '/enter/TOKEN88/' }, body: '' }
      if (path === '/enter/TOKEN88/') return { status: 302, headers: { location: 'http://other.test/back/TOKEN99' }, body: '' }
      if (path === '/back/TOKEN99') return { status: 410, headers: {}, body: '' }
      const body =
        path === '/login' ? '<form id=login method=post><input name=user><input name=password></form>' : '<p class=logged-out>'
      return { status: 200, headers: { 'content-type': 'text/html' }, body }
    }
    const plugin = definePlugin({ name: 'watch', onTrace: (event: unknown) => void shown.push(JSON.stringify(event)) })
    const { report, frontier } = await crawled({ plugins: [cookies(), plugin] }, { answer })

    const text = JSON.stringify([shown, report, (await frontier.reader.info()).memories])
    expect(text).toContain('http://other.test/__secret__ answered 410')
    expect(text).not.toMatch(/TOKEN[89]/)
  })

  it('does not go where the scope blocks the host, and says so; its own page it requests whatever robots.txt says', async () => {
    const felt: string[] = []
    const answer = ({ path, method }: Asked, { hostname }: URL): Answered => {
      felt.push(`${hostname}${path}`)
      if (path === '/robots.txt')
        return { status: 200, headers: { 'content-type': 'text/plain' }, body: 'User-agent: *\nDisallow: /login\n' }
      if (method === 'POST') return { status: 303, headers: { location: 'http://id.test/login/77' }, body: '' }
      const body =
        path === '/login' ? '<form id=login method=post><input name=user><input name=password></form>' : '<p class=logged-out>'
      return { status: 200, headers: { 'content-type': 'text/html' }, body }
    }
    const scope = { blockedHosts: ['id.test'] }
    const { report } = await crawled({ policies: [robots()], spider: { ...members(), scope } }, { answer })

    expect(report.problems.map(({ message }) => message).join()).toMatch(/which the scope refuses \(blocked-host\)/)
    expect(felt).toContain('members.test/login')
    expect(felt).not.toContain('id.test/login/77')
  })

  it('goes to another host that it is redirected to, whatever its robots.txt says', async () => {
    const felt: string[] = []
    const answer = ({ path, method }: Asked, { hostname }: URL): Answered => {
      felt.push(`${hostname}${path}`)
      if (path === '/robots.txt')
        return { status: 200, headers: { 'content-type': 'text/plain' }, body: 'User-agent: *\nDisallow:\n' }
      if (method === 'POST') return { status: 303, headers: { location: 'http://id.test/login/77' }, body: '' }
      const body = path === '/login' ? '<form id=login method=post><input name=user><input name=password></form>' : '<p>in'
      return { status: 200, headers: { 'content-type': 'text/html' }, body }
    }
    const { report } = await crawled({ policies: [robots()] }, { answer })

    expect(report.ended).toBe('done')
    expect(felt.filter((each) => each.startsWith('id.test'))).toEqual(['id.test/login/77'])
  })

  it.each([
    ['on a host that no request needs', 'http://login.test/', ['the login at http://login.test/in was not needed']],
    ['that is needed', A, []],
  ])('%s is said so at the end, and not otherwise', async (_what, at, says) => {
    const { report } = await crawled({ spider: membersWith({ url: at === A ? `${A}/login` : `${at}in?key=77` }) })
    const told = report.problems.map(({ message }) => message).filter((message) => message.startsWith('the login at'))

    expect(told.map((message) => message.split(':').slice(0, 2).join(':'))).toEqual(says)
  })

  it('submits a form without an action to the address that it was led to, with its query', async () => {
    const site = new LoginSite(PASSWORDS)
    const asked: string[] = []
    const answer = (what: Asked, { search }: URL): Answered => {
      if (what.path !== '/login') return site.answer(what)
      asked.push(`${what.method} ${search}`)
      if (search === '') return { status: 302, headers: { location: '/login?flow=7' }, body: '' }
      const { body, ...given } = site.answer(what)
      return { ...given, body: body.replace(' action="/login"', '') }
    }
    const { items } = await crawled({ maxPages: 5 }, { site, answer })

    expect(asked).toEqual(['GET ', 'GET ?flow=7', 'POST ?flow=7'])
    expect(items.length).toBe(4)
  })

  it.each(['http://Members.Test/login', 'http://members.test:80/login#form', 'http://members.test./login'])(
    'is made however its URL is spelled: %s',
    async (url) => {
      const { site, items } = await crawled({ spider: membersWith({ url }) })

      expect(sorted(items)).toEqual(itemsOf('ann'))
      expect(site.logins).toBe(5)
    },
  )

  it('is told from other pages of its script by its parameters: a redirect to one of those is followed', async () => {
    const posts: string[] = []
    const html = { 'content-type': 'text/html' }
    const answer = ({ method, cookie = '' }: Asked, { searchParams }: URL): Answered => {
      const route = searchParams.get('route')
      if (method === 'POST') posts.push(cookie)
      if (method === 'POST') return { status: 302, headers: { location: '/i.php?route=home', 'set-cookie': 's=1' }, body: '' }
      if (route === 'login')
        return { status: 200, headers: html, body: '<form id=login method=post><input name=user><input name=password></form>' }
      if (!cookie.includes('s=1')) return { status: 302, headers: { location: '/i.php?back=1&route=login' }, body: '' }
      if (route === 'old') return { status: 302, headers: { location: '/i.php?route=new' }, body: '' }
      return { status: 200, headers: html, body: route === 'new' ? '<h1 data-number="7">x ann</h1>' : '<a href="?route=old">' }
    }
    const members = membersWith({ url: `${A}/i.php?route=login` }, [`${A}/i.php?route=home`])
    const { items, report } = await crawled({ spider: members }, { answer })

    expect([items, report.ended, posts.length]).toEqual([[{ number: 7, user: 'ann' }], 'done', 1])
  })

  it('waits for robots.txt, and for its Crawl-delay', async () => {
    const site = new LoginSite(PASSWORDS)
    const clock = new VirtualClock()
    const felt: (readonly [string, number])[] = []
    const answer = (asked: Asked): Answered => {
      felt.push([`${asked.method} ${asked.path}`, clock.now()])
      if (asked.path !== '/robots.txt') return site.answer(asked)
      return { status: 200, headers: { 'content-type': 'text/plain' }, body: 'User-agent: *\nCrawl-delay: 20\n' }
    }
    await crawled({ policies: [robots()], hosts: {}, maxPages: 1 }, { site, clock, answer })

    expect(felt.slice(0, 3).map(([what]) => what)).toEqual(['GET /robots.txt', 'GET /login', 'POST /login'])
    const pauses = felt.slice(1).map(([, at], n) => at - (felt[n]?.[1] ?? at))
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(20_000)
  })

  it('whose isLoggedOut() gives a promise says so, and the process lives', async () => {
    const isLoggedOut = (() => Promise.reject(new Error('late'))) as unknown as () => boolean
    const { report } = await crawled({ spider: membersWith({ isLoggedOut }) })

    expect(report.problems.map(({ message }) => message).join('\n')).toMatch(/got a promise; it must not be async/)
  })

  it.each([
    [{ url: `${A}/login`, submit: () => {}, isLoggedOut: async () => true }, 'expected login.isLoggedOut to answer at once'],
    [{ url: '/login' }, 'expected login.url to be the absolute http(s) URL'],
    [{ url: `${A}/login`, submit: 5 }, 'expected login.submit to be a function'],
    [{ url: `${A}/login`, sumbit: () => {} }, "login has no option 'sumbit' (did you mean 'submit'?)"],
  ])('that is wrong is refused: %j', (login, message) => {
    expect(() => crawl({ spider: { ...members(), login } as unknown as Spider, policies: [] })).toThrow(message)
  })
})
