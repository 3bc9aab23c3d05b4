// Redirects by way of a page that sets a cookie, and back: consent, a check for cookies, the begin of a session.
import { crawl, memoryFrontier, spider, type CrawlConfig, type CrawlReport, type Page } from 'avocet'
import type { Frontier } from '@avocet/core/store'
import { cookies } from '@avocet/plugin-cookies'
import { sqlite } from '@avocet/plugin-sqlite'
import { VirtualClock } from '@avocet/simulator'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { fetcherOf, formPage, type SiteAnswer } from './sessions/member-site.ts'

const HOUR = 3_600_000

/** What a site is asked. */
interface Asked {
  readonly url: URL
  readonly method: string
  readonly cookie: string
}

/** What came of it. */
interface Ran {
  /** Paths, and the method where it is not GET. */
  readonly asked: readonly string[]
  readonly report: CrawlReport
  /** Paths of the pages. */
  readonly items: readonly string[]
}

/** Crawls from the front page, or from `start`. */
async function crawlOf(
  answer: (asked: Asked) => SiteAnswer,
  { frontier = memoryFrontier(), clock = new VirtualClock(), start = '/', ...config }: Partial<Wish> = {},
): Promise<Ran> {
  const asked: string[] = []
  const fetcher = fetcherOf(clock, ({ url: text, method, headers }) => {
    const url = new URL(text)
    asked.push(method === 'GET' ? url.pathname : `${method} ${url.pathname}`)
    return answer({ url, method, cookie: headers['cookie'] ?? '' })
  })
  const pages = spider({
    name: 'ring',
    seeds: [`https://shop.test${start}`],
    handlers: {
      *start(page: Page) {
        yield { path: page.url.pathname }
        yield* page.links()
        if (page.$('form').length > 0) yield page.form().submit()
      },
    },
  })
  const fixed = { spider: pages, policies: [], plugins: [cookies()], hosts: { '*': { delayMs: 0 } }, concurrency: 4 }
  const made = crawl({ ...fixed, ...config, clock, fetcher, frontier: { ...frontier, close: async () => {} } })
  const report = await clock.run(() => made.run())
  const items = await frontier.reader.items({ afterSeq: 0, limit: 99 })
  return { asked, report, items: items.map(({ json }) => (JSON.parse(json) as { path: string }).path) }
}

interface Wish extends CrawlConfig {
  readonly frontier: Frontier
  readonly clock: VirtualClock
  readonly start: string
}

function redirect(location: string, cookie?: string, status = 302): SiteAnswer {
  return { status, headers: { location, ...(cookie !== undefined && { 'set-cookie': `${cookie}; Path=/` }) }, body: '' }
}

function linksTo(paths: readonly string[]): SiteAnswer {
  return formPage(paths.map((path) => `<a href="${path}">x</a>`).join(''))
}

/** A site that shows no page to who has no cookie: `ways` lead there and back, of which the last sets it. */
function checking(ways: readonly string[], seen = 'seen=1') {
  return ({ url: { pathname, searchParams }, cookie }: Asked): SiteAnswer => {
    const back = searchParams.get('back') ?? pathname
    const at = ways.indexOf(pathname)
    if (at === -1 && cookie.includes('seen=1')) return linksTo(pathname === '/' ? ['/a', '/b'] : [])
    return at < ways.length - 1 ? redirect(`${ways[at + 1]}?back=${back}`) : redirect(back, seen)
  }
}

/** One check for all pages: a cookie says where it leads back to. */
function oneCheck(paths: readonly string[], seen: string) {
  return ({ url: { pathname }, cookie }: Asked): SiteAnswer => {
    if (pathname === '/') return linksTo(paths)
    if (pathname === '/check') return redirect(/back=([^;]+)/.exec(cookie)?.[1] ?? '/', seen)
    return cookie.includes('seen=1') ? formPage('page') : redirect('/check', `back=${pathname}`)
  }
}

it.each([[['/check']], [['/consent', '/agree', '/back']]])('by way of %j cost no page', async (ways) => {
  const { asked, items, report } = await crawlOf(checking(ways))

  expect(asked).toEqual(['/', ...ways, '/', '/a', '/b'])
  expect([items, report.ended, report.counts.waiting, report.counts.done]).toEqual([['/', '/a', '/b'], 'done', 0, 3])
})

it('cost no page where they are in a file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'avocet-ring-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const clock = new VirtualClock()
  const frontier: Frontier = sqlite(join(folder, 'store.db'), { clock, synchronous: 'normal' })
  const { items, report } = await crawlOf(checking(['/check']), { frontier, clock })
  await frontier.close()

  expect([items, report.ended, report.counts.waiting]).toEqual([['/', '/a', '/b'], 'done', 0])
})

it('end after the second time where nobody keeps the cookie', async () => {
  const { asked, report } = await crawlOf(checking(['/check']), { plugins: [] })

  expect(asked).toEqual(['/', '/check', '/', '/check'])
  expect([report.ended, report.counts.waiting]).toEqual(['done', 0])
})

it('cost none of the pages that are led to one check together, whichever of them it leads back to', async () => {
  const { items } = await crawlOf(oneCheck(['/a', '/b', '/c', '/d'], 'seen=1'))

  expect(items.toSorted()).toEqual(['/', '/a', '/b', '/c', '/d'])
})

it('are left where the check is in vain: no page costs more than three requests', async () => {
  const paths = Array.from({ length: 40 }, (_, n) => `/p${n}`)
  const { asked, report } = await crawlOf(oneCheck(paths, 'useless=1'))

  expect([asked.length, report.ended, report.counts.waiting]).toEqual([83, 'done', 0])
})

it('cost no page where there is a ring within a ring', async () => {
  const { asked, items } = await crawlOf(
    ({ url: { pathname }, cookie }) => {
      if (pathname === '/idp') return redirect('/sso', 'idp=1')
      if (pathname === '/sso') return cookie.includes('idp=1') ? redirect('/p', 'seen=1') : redirect('/idp')
      return cookie.includes('seen=1') ? formPage('page') : redirect('/sso')
    },
    { start: '/p' },
  )

  expect([asked, items]).toEqual([['/p', '/sso', '/idp', '/sso', '/p', '/idp', '/sso'], ['/p']])
})

it.each([
  ['that is visited again as well', [{ everyMs: HOUR }]],
  ['that is not', [{ everyMs: HOUR, match: /test\/[ab]?$/ }]],
])('cost no page of a later round, when the cookie has expired, by way of a check %s', async (_check, recrawl) => {
  const { items } = await crawlOf(checking(['/check'], 'seen=1; Max-Age=600'), { recrawl, maxTimeMs: 3.5 * HOUR })

  expect(items.filter((path) => path === '/')).toHaveLength(4)
  expect(items.filter((path) => path === '/a')).toHaveLength(4)
})

it('leave the rounds of a page where they are', async () => {
  const clock = new VirtualClock()
  const hosts = { '*': { delayMs: 10_000 } }
  const before = clock.now()
  const last = { at: 0 }
  const site = checking(['/check'], 'seen=1; Max-Age=600')
  const answer = (asked: Asked): SiteAnswer => {
    last.at = clock.now() - before
    return site(asked)
  }
  await crawlOf(answer, { clock, hosts, recrawl: [{ everyMs: HOUR, match: /test\/$/ }], maxTimeMs: 9.5 * HOUR })

  // Its first visit is due at the beginning, and each round has three requests.
  expect(last.at - 9 * HOUR).toBeLessThan(60_000)
})

it('cost no page where the run ended on the way', async () => {
  const clock = new VirtualClock()
  const frontier = memoryFrontier()
  const config = { clock, frontier, hosts: { '*': { delayMs: 5_000 } } }
  const first = await crawlOf(checking(['/check']), { ...config, maxTimeMs: 3_000 })
  const second = await crawlOf(checking(['/check']), config)

  expect(first.asked).toEqual(['/'])
  expect([second.asked, second.report.counts.done]).toEqual([['/check', '/', '/a', '/b'], 3])
})

it('have nothing sent twice that is not safe to send twice', async () => {
  const { asked, items } = await crawlOf(({ url: { pathname }, method }) => {
    if (method === 'POST') return redirect('/check', undefined, 303)
    if (pathname === '/check') return redirect('/search', 'seen=1')
    return formPage(pathname === '/' ? '<form method=post action=/search></form>' : 'found')
  })

  expect([asked, items]).toEqual([
    ['/', 'POST /search', '/check', '/search'],
    ['/', '/search'],
  ])
})
