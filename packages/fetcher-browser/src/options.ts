// What can be set of a browser, and the rules of it.
import { checkOptions, option, type OptionRules } from '@avocet/core/plugin'

/** Which pages to render, and when one of them counts as built. */
export interface RenderRule {
  /** A pattern that the URL must match. Absent: all pages. */
  readonly match?: RegExp
  /** The page is built when an element matches this selector. Default: when the network was idle for half a second. */
  readonly waitFor?: string
  /** How long to wait for that. Then the page counts as it is. Default 10,000. */
  readonly waitMs?: number
  /** Take a picture of the page, as `page.response.screenshot`: of what a window of 1,280 × 800 pixels shows, or of all of it (`full`). Default: none. */
  readonly screenshot?: 'window' | 'full'
}

/** Options of a browser. */
export interface BrowserOptions {
  /** Pages to render beside those of links and seeds with `render: 'browser'`. The first rule that matches counts, also for how to wait. Default: none. */
  readonly rules?: readonly RenderRule[]
  /** Path of a Chromium or Chrome. Default: the first that is found at the usual places, and then that of Playwright. */
  readonly executablePath?: string
  /** Maximum pages at once. Each takes about 100 MB. Default 4. */
  readonly maxPages?: number
  /** What to load beside documents, scripts, style sheets and data. Default: none of these. */
  readonly load?: readonly ('image' | 'font' | 'media')[]
  /** Maximum bytes that a page may load beside its document. Default 33,554,432 (32 MiB). */
  readonly maxLoadBytes?: number
  /** Whether pages may load from other sites than their own (registrable domain). Default true. */
  readonly otherSites?: boolean
}

const RULE = option.tableOf({
  match: option.satisfying(
    'a pattern such as /\\/app\\//, without the flag y',
    (value) => value instanceof RegExp && !value.sticky,
  ),
  waitFor: option.nonEmptyText,
  waitMs: option.positive,
  screenshot: option.oneOf('window', 'full'),
} satisfies OptionRules<RenderRule>)

const RULES: OptionRules<BrowserOptions> = {
  rules: option.listOf(RULE),
  executablePath: option.nonEmptyText,
  maxPages: option.wholeNumber(1),
  load: option.listOf(option.oneOf('image', 'font', 'media')),
  maxLoadBytes: option.wholeNumber(1),
  otherSites: option.flag,
}

/** Throws AVO_CONFIG_INVALID for an option that there is not, or that is something else. */
export function checkBrowserOptions(options: BrowserOptions): void {
  checkOptions('browser', options, RULES)
}
