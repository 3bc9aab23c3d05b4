// The options of each command as yargs takes them, and as `--help` shows them.
import type { Options } from 'yargs'

const text = { type: 'string', requiresArg: true } as const
const flag = { type: 'boolean' } as const

/** Where items go. */
const OUTPUT_FLAGS: Readonly<Record<string, Options>> = {
  O: { ...text, alias: 'overwrite', describe: 'write items to FILE (.jsonl, .json, .csv, - for stdout)' },
  o: { ...text, alias: 'append', describe: 'the same, behind what FILE holds' },
  'csv-formulas': { ...flag, describe: 'let .csv cells be formulas: no apostrophe in front of = + - @' },
}

/** A snapshot knows nothing of the one before. */
export const EXPORT_FLAGS: Readonly<Record<string, Options>> = {
  ...OUTPUT_FLAGS,
  o: { ...OUTPUT_FLAGS['o'], describe: 'the same, behind what FILE holds: all items again' },
}

/** Of commands that read a store. */
export const READ_FLAGS: Readonly<Record<string, Options>> = {
  json: { ...flag, describe: 'print one JSON document' },
}

/** Of `avocet rescue`. */
export const RESCUE_FLAGS: Readonly<Record<string, Options>> = {
  to: { ...text, describe: 'FILE of the new store; must not exist' },
  ...READ_FLAGS,
}

/** Of `avocet why`. */
export const WHY_FLAGS: Readonly<Record<string, Options>> = {
  store: { ...text, describe: 'default: the only one in .avocet' },
  config: { ...text, describe: 'of the crawl; default: the nearest avocet.config.ts' },
  ...READ_FLAGS,
}

/** Of `avocet crawl`. Nothing has a default here: what is not typed leaves the word to the environment, the configuration and the spider. */
export const CRAWL_FLAGS: Readonly<Record<string, Options>> = {
  seeds: { ...text, describe: "FILE of one URL a line, or -; replaces a spider's own seeds" },
  ...OUTPUT_FLAGS,
  store: { ...text, describe: 'the crawl itself: default .avocet/NAME.db, or :memory:' },
  fresh: { ...flag, describe: 'forget the store and start over' },
  yes: { ...flag, alias: 'y', describe: 'do not ask' },
  a: { ...text, alias: 'arg', describe: 'key=value for the spider' },
  config: { ...text, describe: 'default: the nearest avocet.config.ts' },
  concurrency: { ...text, describe: 'requests under way at once, all hosts (100)' },
  'max-rps': { ...text, describe: 'requests a second at one host, at most' },
  delay: { ...text, describe: 'fixed spacing at one host, 500ms or 2s, not a learned rate' },
  'max-per-host': { ...text, describe: 'the same: requests under way at one host (1)' },
  'ignore-robots': { ...flag, describe: 'sites of yours: robots.txt does not count' },
  patience: { ...text, describe: 'end when all that is left waits longer (15m)' },
  'store-patience': { ...text, describe: 'give up a full, locked or failing store after this (never)' },
  scope: { ...text, describe: 'follow links on: host, domain or any (host)' },
  'max-depth': { ...text, describe: 'links between a seed and a page' },
  'max-pages': { ...text, describe: 'pages in this run' },
  every: { ...text, describe: 'visit each page again, so long after it was due: 30m, 1h, 1d' },
  'max-time': { ...text, describe: 'duration of this run: 90s, 5m, 1h30m' },
  'user-agent': { ...text, describe: "who you are: 'name (+https://your.example/bot)'" },
  header: { ...text, describe: "'name: value', for origins of seeds only" },
  'secret-parameter': { ...text, describe: 'NAME of a query parameter whose values are secret: from now on none is kept' },
  'time-scale': { ...text, describe: 'time runs F times as fast: servers of yours that do, too' },
  'allow-private': { ...flag, describe: 'private addresses everywhere, not only as seeds' },
  html: { ...text, describe: 'how page.$ parses: parse5, or fast' },
  json: { ...flag, describe: 'print one final report to stdout' },
  events: { ...text, describe: 'ndjson: print what happens to stdout' },
}

/** What is about output, or about the store's contents: it changes nothing about how sites are treated. */
const OF_A_RUN: ReadonlySet<string> = new Set(['O', 'o', 'csv-formulas', 'fresh', 'yes', 'json', 'events'])

/** Those that decide what a crawl goes by: for commands that plan one and do not run it. */
export const PLAN_FLAGS: Readonly<Record<string, Options>> = Object.fromEntries(
  Object.entries(CRAWL_FLAGS).filter(([name]) => !OF_A_RUN.has(name)),
)

/** What says when a run ends, or how a page is parsed: nothing that could be looked at before there is one. */
const OF_PAGES: ReadonlySet<string> = new Set([
  'patience',
  'store-patience',
  'max-depth',
  'max-pages',
  'max-time',
  'time-scale',
  'html',
])

/** Of `avocet check`. */
export const CHECK_FLAGS: Readonly<Record<string, Options>> = Object.fromEntries(
  Object.entries(PLAN_FLAGS).filter(([name]) => !OF_PAGES.has(name)),
)
