// Redirects by way of a page that sets a cookie, and back: consent, a check for cookies, the begin of a session.
import { crawl, memoryFrontier, spider, type Page } from '@avocet/core'
import type { Frontier } from '@avocet/core/store'
import { cookies } from '@avocet/plugin-cookies'
import { sqlite } from '@avocet/plugin-sqlite'
import { VirtualClock } from '@avocet/simulator'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { fetcherOf, formPage, type SiteAnswer } from './sessions/member-site.ts'

/** Of a site that shows no page to who has no cookie: `ways` lead there and back, of which the last sets it. */
async function crawled(
  ways: readonly string[],
  { frontier = memoryFrontier(), clock = new VirtualClock(), plugins = [cookies()] } = {},
) {
  const asked: string[] = []
  const fetcher = fetcherOf(clock, ({ url, headers }): SiteAnswer => {
    const { pathname, searchParams } = new URL(url)
    const back = searchParams.get('back') ?? pathname
    asked.push(pathname)
    const at = ways.indexOf(pathname)
    if (at === -1 && headers['cookie'] === 'seen=1') return formPage(pathname === '/' ? '<a href=/a>a</a><a href=/b>b</a>' : '')
    if (at < ways.length - 1) return { status: 302, headers: { location: `${ways[at + 1]}?back=${back}` }, body: '' }
    return { status: 302, headers: { location: back, 'set-cookie': 'seen=1; Path=/' }, body: '' }
  })
  const pages = spider({
    name: 'ring',
    seeds: ['https://shop.test/'],
    handlers: {
      *start(page: Page) {
        yield { path: page.url.pathname }
        yield* page.links()
      },
    },
  })
  const made = crawl({ spider: pages, policies: [], plugins, hosts: { '*': { delayMs: 0 } }, clock, fetcher, frontier })
  const report = await clock.run(() => made.run())
  const items = await frontier.reader.items({ afterSeq: 0, limit: 99 })
  return { asked, report, items: items.map(({ json }) => (JSON.parse(json) as { path: string }).path) }
}

it.each([[['/check']], [['/consent', '/agree', '/back']]])('by way of %j cost no page', async (ways) => {
  const { asked, items, report } = await crawled(ways)

  expect(asked).toEqual(['/', ...ways, '/', '/a', '/b'])
  expect([items, report.ended, report.counts.waiting, report.counts.done]).toEqual([['/', '/a', '/b'], 'done', 0, 3])
})

it('cost no page where they are in a file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'avocet-ring-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const clock = new VirtualClock()
  const frontier: Frontier = sqlite(join(folder, 'store.db'), { clock, synchronous: 'normal' })
  const { items, report } = await crawled(['/check'], { frontier, clock })
  await frontier.close()

  expect([items, report.ended, report.counts.waiting]).toEqual([['/', '/a', '/b'], 'done', 0])
})

it('end after the second time where nobody keeps the cookie', async () => {
  const { asked, report } = await crawled(['/check'], { plugins: [] })

  expect(asked).toEqual(['/', '/check', '/'])
  expect([report.ended, report.counts.waiting]).toEqual(['done', 0])
})
