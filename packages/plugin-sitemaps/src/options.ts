// The options of the plugin, and their check.
import { checkOptions, option, parseUrl, type OptionRule, type OptionRules } from '@avocet/core/plugin'

/** Options of `sitemaps`. */
export interface SitemapsOptions {
  /** Sitemaps and sitemap indexes to read. Default: none but those of robots.txt. */
  readonly urls?: readonly string[]
  /** Feeds to read: RSS or Atom. Default: none. */
  readonly feeds?: readonly string[]
  /** Read the sitemaps that robots.txt of the hosts of seeds names. Default: true without `urls` and `feeds`, otherwise false. */
  readonly robots?: boolean
  /** Request `/sitemap.xml` where robots.txt names no sitemap, or is missing. Default true; without `robots` it says nothing. */
  readonly fallback?: boolean
  /** Handler for the listed URLs: a name, or a pattern for each of several names; the first that matches applies, others are left out. Default `start`. */
  readonly handler?: string | Readonly<Record<string, RegExp>>
  /** Follow only URLs in the folder of their sitemap, as the protocol says. Default false: those of its registrable domain. */
  readonly strict?: boolean
  /** Request pages in the order of their `<priority>`: 0.0 to 1.0 become -5 to 5. Default false. */
  readonly priority?: boolean
  /** Follow the versions in other languages that a sitemap lists as `<xhtml:link rel="alternate">`. Default false. */
  readonly alternates?: boolean
  /** Interval in ms at which sitemaps and feeds are read again within a run, which then does not end by itself. Default: once in each run. */
  readonly everyMs?: number
}

/** All of them. */
export type SitemapRules = Required<Omit<SitemapsOptions, 'everyMs' | 'handler'>> & {
  readonly everyMs?: number
  /** Name of the handler for a URL; undefined: it is left out. */
  handlerOf(url: string): string | undefined
}

const webAddress = option.satisfying('an absolute http(s) URL', (url) => typeof url === 'string' && parseUrl(url) !== undefined)
const handlerRule: OptionRule = option.satisfying(
  'the name of a handler, or patterns by such names, { product: /\\/p\\// }, without the flag y',
  (handler) =>
    (typeof handler === 'string' && handler !== '') ||
    (typeof handler === 'object' &&
      handler !== null &&
      Object.values(handler).every((pattern) => pattern instanceof RegExp && !pattern.sticky)),
)

const RULES: OptionRules<SitemapsOptions> = {
  urls: option.listOf(webAddress),
  feeds: option.listOf(webAddress),
  robots: option.flag,
  fallback: option.flag,
  handler: handlerRule,
  strict: option.flag,
  priority: option.flag,
  alternates: option.flag,
  everyMs: option.satisfying('a number of ms of at least 1,000', (ms) => typeof ms === 'number' && ms >= 1_000 && ms < Infinity),
}

/** Fills in the defaults. Throws AVO_CONFIG_INVALID. */
export function checkedRules(options: SitemapsOptions): SitemapRules {
  checkOptions('sitemaps', options, RULES)
  const { urls = [], feeds = [], handler = 'start', everyMs } = options
  const { fallback = true, strict = false, priority = false, alternates = false } = options
  const { robots = urls.length + feeds.length === 0 } = options
  const patterns = typeof handler === 'string' ? undefined : Object.entries(handler)
  return {
    urls,
    feeds,
    robots,
    fallback,
    strict,
    priority,
    alternates,
    // Not `test`: a pattern with the flag g would remember where it stopped.
    handlerOf: (url) => (patterns ? patterns.find(([, pattern]) => url.search(pattern) >= 0)?.[0] : (handler as string)),
    ...(everyMs !== undefined && { everyMs }),
  }
}
