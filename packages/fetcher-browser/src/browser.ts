// A browser for a crawl: which pages it renders, and the fetcher that does.
import type { Browser } from '@avocet/core/store'
import { browserBy } from './browser-by.ts'
import { executableOf } from './executable.ts'
import { launchOf } from './launch.ts'
import { checkBrowserOptions, type BrowserOptions } from './options.ts'

/**
 * Renders pages with Chromium or Chrome, through Playwright (`npm install playwright-core`), which loads when the first of them is fetched.
 *
 * Errors: AVO_CONFIG_INVALID; AVO_BROWSER_MISSING when the crawl is made, if there is no browser.
 *
 * @example
 * ```ts
 * // avocet.config.ts
 * import { defineCrawl } from '@avocet/core'
 * import { browser } from '@avocet/fetcher-browser'
 *
 * export default defineCrawl({
 *   userAgent: 'price-watch (+https://example.org/bot)',
 *   browser: browser({ rules: [{ match: /\/app\//, waitFor: '.price' }] }),
 * })
 * ```
 */
export function browser(options: BrowserOptions = {}): Browser {
  checkBrowserOptions(options)
  return browserBy(options, { launch: () => launchOf(executableOf(options.executablePath)) })
}
