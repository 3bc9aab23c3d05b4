// Options of the commands that look at one page as a crawl would see it: those of `avocet crawl` that decide how its host is asked.
import type { Options } from 'yargs'
import type { Typed, Variables } from '../declared/declared-command.ts'
import { crawlOptionsOf, type CrawlOptions } from '../options/crawl-options.ts'
import { CRAWL_FLAGS } from '../options/flags.ts'
import { textOf } from '../options/text-of.ts'

/** How long a page is waited for when nothing else was typed: longer than most a Crawl-delay, shorter than a person's patience. */
const PATIENCE_MS = 30_000

const OWN_WORDS: Readonly<Record<string, Options>> = {
  config: {},
  store: { describe: 'of a crawl: go by what it has learned of the host' },
  'user-agent': {},
  'secret-parameter': { describe: 'NAME of a query parameter: its values are not shown' },
  header: { describe: "'name: value', for this host only" },
  'ignore-robots': {},
  patience: { describe: 'how long to wait for its turn (30s)' },
  html: {},
  // What a project may have in its environment for its crawls holds here too, and would fill the screen.
  'max-rps': { hidden: true },
  delay: { hidden: true },
  'max-per-host': { hidden: true },
  'allow-private': { hidden: true },
  'time-scale': { hidden: true },
}

/** Of every command that looks at one page. */
export const VISIT_FLAGS: Readonly<Record<string, Options>> = Object.fromEntries(
  Object.entries(OWN_WORDS).map(([name, words]): [string, Options] => [name, { ...CRAWL_FLAGS[name], ...words }]),
)

/** Of those that may have a spider. */
export const SPIDER_FLAGS: Readonly<Record<string, Options>> = {
  spider: { type: 'string', requiresArg: true, describe: "spider file; default: the configuration's spider" },
  a: { type: 'string', requiresArg: true, alias: 'arg', describe: 'key=value for the spider' },
}

/** How a page is to be looked at. */
export interface VisitWish {
  /** What a crawl would be told; it has no `targets`. */
  readonly crawl: CrawlOptions
  readonly patienceMs: number
}

/** Reads the options that are a crawl's. Throws AVO_USAGE. */
export function visitWishOf(typed: Typed, variables: Variables): VisitWish {
  const names = new Set([...Object.keys(OWN_WORDS), 'a'])
  const crawls = Object.fromEntries(Object.entries(typed).filter(([name]) => names.has(name)))
  const crawl = crawlOptionsOf(crawls, variables)
  return { crawl, patienceMs: crawl.config.patienceMs ?? PATIENCE_MS }
}

/** The last of what was typed for an option that may stand there twice. */
export function lastTextOf(typed: Typed, name: string): string | undefined {
  const value = typed[name]
  return Array.isArray(value) ? String(value.at(-1)) : textOf(typed, name)
}
