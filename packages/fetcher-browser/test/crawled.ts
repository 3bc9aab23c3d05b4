// Crawls a site of pages that build themselves with the Chromium of the system, and tells what came of it.
import { crawl, spider, type Crawl, type CrawlConfig, type CrawlReport, type Page } from 'avocet'
import { browserBy } from '../src/browser.ts'
import { browser, type BrowserOptions } from '../src/index.ts'
import { launchOf } from '../src/launch.ts'
import { scriptSite, type Route, type ScriptSite } from './script-site.ts'
import { CHROMIUM, sharedLaunch } from './shared-chromium.ts'

/** What a handler saw. */
interface Seen {
  readonly path: string
  readonly text: string
  readonly title: string
}

/** What came of a crawl. */
export interface Crawled {
  readonly report: CrawlReport
  readonly items: readonly Seen[]
  readonly site: ScriptSite
  /** Messages of failures that count. */
  readonly why: readonly string[]
}

/** What a test wants otherwise. */
export interface CrawledOptions extends BrowserOptions {
  /** Links to follow. */
  readonly follow?: string
  readonly onPage?: (page: Page) => void
  readonly config?: Partial<CrawlConfig>
  /** A browser of its own, started for this crawl, and ended with it. */
  readonly isOwn?: boolean
  readonly reactMs?: number
  /** Gets the crawl before it runs. */
  readonly onMade?: (made: Crawl) => void
}

/** The text of an item by its path. */
export function textOf({ items }: Crawled, path: string): string | undefined {
  return items.find((item) => item.path === path)?.text.trim()
}

/** Crawls `paths` of a site, all of them rendered, and what `follow` selects. */
export async function crawled(
  routes: Readonly<Record<string, Route>>,
  paths: readonly string[],
  { follow, onPage, onMade, config = {}, ...more }: CrawledOptions = {},
): Promise<Crawled> {
  await using site = await scriptSite(routes)
  const made = crawl({
    spider: spider({
      name: 'scripts',
      seeds: paths.map((path) => (path.startsWith('/') ? site.origin + path : path)),
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
    browser: browserOf(more),
    ...config,
  })
  const why: string[] = []
  made.hooks.onError.tap('test', ({ failure }) => void why.push(failure.message))
  onMade?.(made)
  const report = await made.run()
  const items: Seen[] = []
  for await (const item of made.items()) items.push(item as Seen)
  return { report, items, site, why }
}

function browserOf({ isOwn, reactMs, ...given }: CrawledOptions): NonNullable<CrawlConfig['browser']> {
  const options = { rules: [{}], executablePath: CHROMIUM, ...given }
  if (given.executablePath !== undefined) return browser(options)
  return browserBy(options, {
    launch: () => (isOwn === true ? launchOf(CHROMIUM) : sharedLaunch),
    ...(reactMs !== undefined && { reactMs }),
  })
}
