// Pages that build themselves by script, in the Chromium of the system; skipped where there is none.
import { existsSync } from 'node:fs'
import { crawl, spider, type CrawlReport, type Page } from '@avocet/core'
import { afterAll, describe, expect, it } from 'vitest'
import { browser, type BrowserOptions } from '../src/index.ts'
import { scriptSite, type Route, type ScriptSite } from './script-site.ts'

const CHROMIUM = process.env['AVOCET_TEST_CHROMIUM'] ?? '/usr/bin/chromium'
const hasChromium = existsSync(CHROMIUM)
if (!hasChromium) console.warn(`tests of rendered pages are skipped: no browser at ${CHROMIUM}; apt-get install chromium`)

interface Seen {
  readonly path: string
  readonly text: string
  readonly title: string
}

interface Crawled {
  readonly report: CrawlReport
  readonly items: readonly Seen[]
  readonly site: ScriptSite
}

/** Crawls `paths` of a site, all of them rendered, and what `follow` selects. */
async function crawled(
  routes: Readonly<Record<string, Route>>,
  paths: readonly string[],
  { follow, onPage, ...options }: BrowserOptions & { readonly follow?: string; readonly onPage?: (page: Page) => void } = {},
): Promise<Crawled> {
  await using site = await scriptSite(routes)
  const made = crawl({
    spider: spider({
      name: 'scripts',
      seeds: paths.map((path) => site.origin + path),
      handlers: {
        *start(page) {
          onPage?.(page)
          yield { path: page.url.pathname, text: page.text('body'), title: page.title }
          if (follow !== undefined) yield* page.links(follow)
        },
      },
    }),
    policies: [],
    delayMs: 0,
    browser: browser({ rules: [{}], executablePath: CHROMIUM, ...options }),
  })
  const report = await made.run()
  const items: Seen[] = []
  for await (const item of made.items()) items.push(item as Seen)
  return { report, items, site }
}

const later = (ms: number, script: string): string =>
  `<body>loading<script>setTimeout(() => { ${script} }, ${String(ms)})</script></body>`

describe.skipIf(!hasChromium)('a rendered page', { timeout: 60_000 }, () => {
  it('is what its scripts make of it', async () => {
    const routes = {
      '/': '<body><script src="/app.js"></script></body>',
      '/app.js': 'document.body.textContent = "Tea 12.50"; document.title = "Teas"',
    }

    const { items, site } = await crawled(routes, ['/'])

    expect(items).toEqual([{ path: '/', text: 'Tea 12.50', title: 'Teas' }])
    expect(site.asked).toEqual(['GET /', 'GET /app.js'])
  })
})
