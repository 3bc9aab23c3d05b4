// A login goes at the pace of its host, however slow that is, and waits for a host that another process has.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crawl, spider, type Page } from 'avocet'
import { cookies } from '@avocet/plugin-cookies'
import { sqlite } from '@avocet/plugin-sqlite'
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it, onTestFinished } from 'vitest'
import { FORM, fetcherOf, formPage, memberSite, membersOf, type SiteAnswer } from './member-site.ts'

it.each([31_000, 60_000])('a login is made at one request in %d ms', async (delayMs) => {
  const site = memberSite({ pages: 3 })
  const { items, report } = await membersOf(site, { hosts: { '*': { delayMs } } })

  expect([items.length, site.felt.logins, report.ended, report.problems]).toEqual([4, 1, 'done', []])
})

it('a login whose host says to wait for two hours has not failed, and the run ends for want of patience', async () => {
  const busy: SiteAnswer = { status: 429, headers: { 'retry-after': '7200' }, body: '' }
  const site = memberSite({
    answer: (href) => (new URL(href).pathname === '/do-login' && site.felt.logins === 0 ? busy : undefined),
  })
  const { report, store } = await membersOf(site)

  expect([report.ended, report.counts.waiting, report.problems]).toEqual(['patience', 1, []])
  expect(store.clock.now() - new VirtualClock().now()).toBeLessThan(60_000)
})

it('of fifty sessions none submits a form that is older than one request', async () => {
  const ages: number[] = []
  const clock = new VirtualClock()
  const given = new Map<string, number>()
  const members = spider({
    name: 'members',
    seeds: Array.from({ length: 50 }, (_, n) => ({ url: 'https://members.test/', session: `s${n}` })),
    login: {
      url: 'https://members.test/login',
      submit: (page: Page) =>
        page
          .form()
          .fill({ user: page.request.session ?? '' })
          .submit(),
      isLoggedOut: () => false,
    },
    handlers: { start: () => [] },
  })
  const fetcher = fetcherOf(clock, ({ url, method, body = '', session = '' }) => {
    if (method === 'POST') ages.push(clock.now() - (given.get(/user=(\w+)/.exec(body)?.[1] ?? '') ?? 0))
    else if (url.endsWith('/login')) given.set(session, clock.now())
    return formPage(url.endsWith('/login') && method === 'GET' ? '<form method=post><input name=user></form>' : '')
  })

  await clock.run(() => crawl({ spider: members, policies: [], hosts: { '*': { delayMs: 10_000 } }, clock, fetcher }).run())

  expect([ages.length, Math.max(...ages)]).toEqual([50, 10_000])
})

it('a login that waits for its host does not hold a run that has as many pages as it may', async () => {
  const clock = new VirtualClock()
  const fetcher = fetcherOf(clock, ({ url }) => formPage(new URL(url).pathname === '/login' ? FORM : '<a href=/1>on</a>'))
  const shops = spider({
    name: 'shops',
    seeds: ['https://members.test/', 'https://public.test/'],
    login: { url: 'https://members.test/login', submit: (page: Page) => page.form().submit(), isLoggedOut: () => false },
    handlers: {
      *start(page: Page) {
        yield* page.links()
      },
    },
  })
  const hosts = { 'members.test': { delayMs: 20_000 }, 'public.test': { delayMs: 1_000 } }
  const made = crawl({ spider: shops, policies: [], hosts, clock, fetcher, maxPages: 2 })
  const before = clock.now()
  const report = await clock.run(() => made.run())

  expect([report.ended, report.run.pages, clock.now() - before < 5_000]).toEqual(['limit', 2, true])
})

describe('of two processes on one store', () => {
  it('the one that does not have the host of the login waits for it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'avocet-login-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const clock = new VirtualClock()
    const links = (count: number): string => Array.from({ length: count }, (_, n) => `<a href="/p${n}">x</a>`).join('')
    let left = 0
    let logins = 0
    const fetcher = fetcherOf(clock, ({ url, method, headers }) => {
      const { hostname, pathname } = new URL(url)
      if (method === 'POST') {
        left = 30
        return { status: 200, headers: { 'set-cookie': `sid=${++logins}; Path=/; Domain=members.test` }, body: '' }
      }
      if (pathname === '/login') return formPage('<p class=out></p><form method=post><input name=user></form>')
      if (headers['cookie'] !== `sid=${logins}` || left-- <= 0) return formPage('<p class=out></p>')
      return formPage(pathname === '/' ? links(hostname === 'a.members.test' ? 300 : 10) : '')
    })
    const members = spider({
      name: 'members',
      seeds: ['a', 'b'].map((name) => ({ url: `https://${name}.members.test/`, session: 'ann' })),
      login: {
        url: 'https://a.members.test/login',
        submit: (page: Page) => page.form().fill({ user: 'ann' }).submit(),
        isLoggedOut: (page: Page) => page.$('.out').length > 0,
      },
      handlers: {
        *start(page: Page) {
          yield { url: page.url.href }
          yield* page.links()
        },
      },
    })
    const open = () => sqlite(join(folder, 'store.db'), { clock, synchronous: 'normal' })
    const [first, second] = [open(), open()]
    const config = { spider: members, policies: [], hosts: { '*': { delayMs: 1_000 } }, randomSeed: 'two', clock, fetcher }
    const run = (frontier: typeof first) => crawl({ ...config, plugins: [cookies()], frontier }).run()

    const reports = await clock.run(() => Promise.all([first, second].map(run)))

    const items = await first.reader.items({ afterSeq: 0, limit: 9_999 })
    await Promise.all([first.close(), second.close()])
    expect(reports.map(({ ended, problems }) => [ended, problems])).toEqual([
      ['done', []],
      ['done', []],
    ])
    expect(new Set(items.map(({ json }) => json)).size).toBe(items.length)
    expect(items.length).toBe(301 + 11)
  })
})
