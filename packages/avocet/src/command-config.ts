// The configuration of the `avocet` command: that of a crawl, and what the command alone does.
import { AvocetError, type CrawlConfig, type Plugin } from '@avocet/core'

/** Options of the command, which `crawl()` does not take. */
interface CommandOptions {
  /**
   * The store: a path, or a URL such as `postgres://me@db.example/crawls`, that crawls on several machines share. A crawl is
   * named there after its spider, or by `?crawl=NAME`. Default: `.avocet/NAME.db`. In a program: `frontier`.
   */
  readonly store?: string
  /** How many processes crawl, on one store that they share; `auto`: one for each core. Default 1. */
  readonly processes?: number | 'auto'
  /** Serve metrics for Prometheus: a port, or `HOST:PORT`. In a program: `@avocet/metrics`. Default: none. */
  readonly metrics?: number | string
  /**
   * Keep responses beside the store, for `avocet replay`. `maxBytes`: maximum size, compressed (default 1 GiB). In a program:
   * `responseCache(path)` of `@avocet/plugin-sqlite`. Default false.
   */
  readonly cache?: boolean | { readonly maxBytes?: number }
  /**
   * Follow sitemaps: `true` for those that robots.txt names, or `/sitemap.xml`; a list of URLs; or the options of `sitemaps()`.
   * In a program: `@avocet/plugin-sitemaps`. Default false.
   */
  readonly sitemaps?: boolean | readonly string[] | Readonly<Record<string, unknown>>
  /**
   * Save the files that handlers yield with `file()`: `true`, or the options of `files()`. By default in `NAME.files` beside the
   * store. In a program: `@avocet/plugin-files`. Default false.
   */
  readonly files?: boolean | Readonly<Record<string, unknown>>
  /**
   * Proxies: one URL (`http://`, `https://`, `socks5://`), a list of which each host uses one, or these by host pattern;
   * `direct` for none. In a program: `@avocet/plugin-proxies`. Default: what `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` say.
   */
  readonly proxy?: string | readonly string[] | Readonly<Record<string, string | readonly string[]>>
}

/** What `avocet.config.ts` exports. */
export interface CommandConfig<Item = unknown> extends CrawlConfig<Item>, CommandOptions {}

/**
 * Plugins whose `onItem` takes the items of the spider, where these are known. A property, so that the compiler compares its argument in one direction; or an
 * empty list, so that it looks at each of several.
 */
export interface Taking<Item> {
  readonly plugins?: readonly [] | readonly (Omit<Plugin, 'onItem'> & TakesItem<unknown extends Item ? never : Item>)[]
}

interface TakesItem<Item> {
  readonly onItem?: (item: Item, ...more: never[]) => unknown
}

/**
 * Declares a crawl: the identity function, for the types. The default export of `avocet.config.ts`. A project with several
 * spiders, which the command takes by their names or files, leaves out `spider`.
 *
 * @example
 * ```ts
 * export default defineCrawl({ spider: priceWatch, userAgent: 'price-watch (+https://example.org/bot)', concurrency: 200 })
 * ```
 */
export function defineCrawl<Item>(config: CommandConfig<Item> & Taking<NoInfer<Item>>): CommandConfig<Item>
export function defineCrawl(config: Omit<CommandConfig, 'spider'>): Omit<CommandConfig, 'spider'>
export function defineCrawl(config: Partial<CommandConfig>): Partial<CommandConfig> {
  return config
}

/** What a program writes instead of them. */
const INSTEAD: Readonly<Record<keyof CommandOptions, string>> = {
  sitemaps: 'add plugins: [sitemaps()] of @avocet/plugin-sitemaps',
  files: 'add plugins: [files()] of @avocet/plugin-files',
  proxy: "add plugins: [proxies({ '*': 'URL' })] of @avocet/plugin-proxies",
  store: "give frontier: sqlite('FILE') of @avocet/plugin-sqlite",
  processes: 'start several programs with one store',
  cache: "add plugins: [responseCache('FILE')] of @avocet/plugin-sqlite",
  metrics: 'serve them with @avocet/metrics',
}

/** Refuses what only the command does. What is no object is refused by the check of the configuration. */
export function checkOfProgram(config: object | undefined): void {
  const given = new Map<string, unknown>(Object.entries(config ?? {}))
  for (const [name, instead] of Object.entries(INSTEAD))
    if (given.get(name) !== undefined)
      throw new AvocetError(
        'AVO_CONFIG_INVALID',
        `expected ${name} in the configuration of the avocet command, got it in crawl(); ${instead}`,
      )
}
