// `npm run ui:pictures`: takes pictures of every view of the page, on a live crawl of the rough web, at three widths and in both themes.
//
// Usage: node scripts/ui-pictures.ts [FOLDER] [--widths 360,1400,3840] [--views now,hosts]. For eyes: they are looked at before a release.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Page } from 'playwright-core'
import { roughForty } from '@avocet/simulator'
import { crawlWithPage, shopWithPage, startBrowser } from '../test/ui/browsed-crawl.ts'

/** 1,100: for the documentation. */
const HEIGHTS: Readonly<Record<number, number>> = { 360: 740, 1_100: 680, 1_400: 900, 3_840: 2_160 }
/** By then there is something of everything. */
const SETTLED_MS = 45_000

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { widths: { type: 'string', default: '360,1400,3840' }, views: { type: 'string' }, wait: { type: 'string' } },
})
const folder = positionals[0] ?? '/tmp/avocet-ui-pictures'
mkdirSync(folder, { recursive: true })
await using crawl = await crawlWithPage({ world: roughForty(), words: ['--delay', '700ms', '--patience', '10m'] })
await using shop = await shopWithPage()
const browser = await startBrowser()
try {
  const context = await browser.newContext()
  const page = await context.newPage()
  page.on('pageerror', (error) => console.error(error))
  page.on('console', (message) => message.type() === 'error' && console.error(message.text()))
  await page.goto(crawl.link)
  await page.waitForTimeout(Number(values.wait ?? SETTLED_MS))
  const views = await viewsOf(page)
  const wanted = values.views?.split(',') ?? Object.keys(views)
  for (const width of values.widths.split(',').map(Number)) {
    for (const theme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height: HEIGHTS[width] ?? 900 })
      await page.emulateMedia({ colorScheme: theme })
      for (const view of wanted) {
        await page.goto(views[view] ?? crawl.link)
        await page.waitForTimeout(900)
        await page.screenshot({ path: join(folder, `${view}-${width}-${theme}.png`) })
      }
    }
  }
  console.log(`pictures are in ${folder}`)
} finally {
  await browser.close()
}

/** By name, their addresses; of hosts and pages those that have most to tell. */
async function viewsOf(page: Page): Promise<Record<string, string>> {
  const at = (view: string): string => `${new URL(crawl.link).origin}/#/demo/${view}`
  const host = await linkAt(page, at('hosts?search=127.42.0.25'), 'a.host')
  return {
    crawls: `${new URL(crawl.link).origin}/#/`,
    ...{ now: at('now'), hosts: at('hosts'), host },
    url: await linkAt(page, at('items'), '.cards .url a'),
    ...{ items: at('items'), failures: at('failures'), politeness: host.replace('/host/', '/politeness/') },
    visits: await linkAt(page, shop.link.replace(/now$/, 'items'), '.cards .url a'),
  }
}

/** Where the first such link of a view leads to. */
async function linkAt(page: Page, address: string, selector: string): Promise<string> {
  await page.goto(address)
  const link = await page.waitForSelector(selector)
  return new URL((await link.getAttribute('href')) ?? '#/', page.url()).href
}
