// A browser for a crawl: which pages it renders, and the fetcher that does.
import type { CrawlConfig } from '@avocet/core'
import { Chromium } from './chromium.ts'
import { Guard } from './guard.ts'
import { executableOf, type Launch, launchOf } from './launch.ts'
import { type BrowserOptions, checkBrowserOptions, type RenderRule } from './options.ts'
import { renderingFetcher } from './rendered-fetcher.ts'

/**
 * Renders pages with Chromium or Chrome, through Playwright (`npm install playwright-core`), which loads when the first of them is fetched.
 *
 * Errors: AVO_CONFIG_INVALID; AVO_BROWSER_MISSING when the crawl is made, if there is no browser.
 *
 * @example
 * ```ts
 * // avocet.config.ts
 * import { defineCrawl } from 'avocet'
 * import { browser } from '@avocet/fetcher-browser'
 *
 * export default defineCrawl({
 *   userAgent: 'price-watch (+https://example.org/bot)',
 *   browser: browser({ rules: [{ match: /\/app\//, waitFor: '.price' }] }),
 * })
 * ```
 */
export function browser(options: BrowserOptions = {}): NonNullable<CrawlConfig['browser']> {
  checkBrowserOptions(options)
  return browserBy(options, { launch: () => launchOf(executableOf(options.executablePath)) })
}

/** To begin a page, to read one that is built, and to close it: a script that never ends lets nobody. */
const REACT_MS = 10_000

const PAGES_OF_A_BROWSER = 1_000

/** How its process is started, and how long it may take to react. */
interface BrowserProcess {
  /** Called when a crawl is made, and throws where nothing can be started. */
  readonly launch: () => Launch
  readonly reactMs?: number
}

/** `options` have been checked. */
export function browserBy(options: BrowserOptions, { launch, reactMs = REACT_MS }: BrowserProcess): ReturnType<typeof browser> {
  const { rules = [], maxPages = 4 } = options
  const found = (url: string): RenderRule | undefined => rules.find(({ match }) => match === undefined || url.search(match) >= 0)
  return (surroundings) => {
    const guard = new Guard(surroundings.http)
    const all = { launch: launch(), clock: surroundings.clock, reactMs }
    const chromium = new Chromium(guard, { ...all, maxIdle: maxPages, pagesOfABrowser: PAGES_OF_A_BROWSER })
    const alone = new Chromium(guard, { ...all, maxIdle: 0, pagesOfABrowser: 1 })
    return renderingFetcher({ ...surroundings, guard, chromium, alone, options, reactMs, maxPages, ruleOf: found })
  }
}
