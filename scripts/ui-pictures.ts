// `npm run ui:pictures`: takes pictures of every view of the page, on a live crawl of the rough web, at three widths and in both themes.
//
// Usage: node scripts/ui-pictures.ts [FOLDER] [--widths 360,1400,3840] [--views now,hosts]. For eyes: they are looked at before a release.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Page } from 'playwright-core'
import { roughForty } from '@avocet/simulator'
import { crawlWithPage, startBrowser } from '../test/ui/browsed-crawl.ts'

/** 1,100: for the documentation. */
const HEIGHTS: Readonly<Record<number, number>> = { 360: 740, 1_100: 680, 1_400: 900, 3_840: 2_160 }
/** By then there is something of everything. */
const SETTLED_MS = 12_000

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { widths: { type: 'string', default: '360,1400,3840' }, views: { type: 'string' }, wait: { type: 'string' } },
})
const folder = positionals[0] ?? '/tmp/avocet-ui-pictures'
mkdirSync(folder, { recursive: true })
await using crawl = await crawlWithPage({ world: roughForty(), words: ['--delay', '700ms', '--patience', '10m'] })
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
        await page.evaluate(`location.hash = ${JSON.stringify(views[view] ?? '#/')}`)
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
  const crawlHash = '#/demo'
  const go = async (hash: string, selector: string): Promise<string> => {
    await page.evaluate(`location.hash = ${JSON.stringify(hash)}`)
    const link = await page.waitForSelector(selector)
    return (await link.getAttribute('href')) ?? '#/'
  }
  const host = await go(`${crawlHash}/hosts?search=127.42.0.25`, 'a.host')
  const url = await go(`${crawlHash}/items`, '.cards .url a')
  return {
    crawls: '#/',
    now: `${crawlHash}/now`,
    hosts: `${crawlHash}/hosts`,
    host,
    url,
    items: `${crawlHash}/items`,
    failures: `${crawlHash}/failures`,
    politeness: host.replace('/host/', '/politeness/'),
  }
}
