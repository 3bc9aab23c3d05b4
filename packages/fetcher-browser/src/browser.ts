// A browser for a crawl: which pages it renders, and the fetcher that does.
import type { Browser } from '@avocet/core/store'
import { Chromium } from './chromium.ts'
import { executableOf } from './executable.ts'
import { Guard } from './guard.ts'
import { checkBrowserOptions, type BrowserOptions, type RenderRule } from './options.ts'
import { renderedFetcher } from './rendered-fetcher.ts'

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
  const { rules = [], maxPages = 4 } = options
  const found = (url: string): RenderRule | undefined => rules.find(({ match }) => match === undefined || url.search(match) >= 0)
  return {
    maxPages,
    renders: (url) => found(url) !== undefined,
    fetcherIn(surroundings) {
      const guard = new Guard(surroundings.http)
      const chromium = new Chromium(guard, {
        executablePath: executableOf(options.executablePath),
        maxIdle: maxPages,
        clock: surroundings.clock,
      })
      return renderedFetcher({ ...surroundings, guard, chromium, options, ruleOf: (url) => found(url) ?? {} })
    },
  }
}
