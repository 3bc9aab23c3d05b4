// The options that several commands have, as yargs takes them and as `--help` shows them: verb first, the default in brackets.
import type { Options } from 'yargs'

/** The options of a command by name. */
export type Flags = Readonly<Record<string, Options>>

/** An option with a value. */
export function valueFlag(describe: string, alias?: string): Options {
  return { type: 'string', requiresArg: true, describe, ...(alias !== undefined && { alias }) }
}

/** An option that is there or not. */
export function switchFlag(describe: string, alias?: string): Options {
  return { type: 'boolean', describe, ...(alias !== undefined && { alias }) }
}

/** Of every command that prints a result. */
export const JSON_FLAG: Flags = { json: switchFlag('Print one JSON document') }

/** How the argument or option that names a store is described. */
export const WHICH_STORE = "Store of the crawl, or its spider's name [default: the only one in .avocet]"

/** Of commands that read the configuration of a crawl. */
export const CONFIG_FLAG: Flags = { config: valueFlag('Read the configuration from FILE [default: nearest avocet.config.ts]') }

/** Arguments of a spider. */
export const SPIDER_ARGUMENTS: Flags = { a: valueFlag('Pass key=value to the spider', 'arg') }

/** Where items go. */
export const OUTPUT_FLAGS: Flags = {
  O: valueFlag('Write items to FILE, replacing it (.jsonl, .json, .csv, - for stdout)', 'overwrite'),
  o: valueFlag('Append items to FILE', 'append'),
  'csv-formulas': switchFlag('Allow formulas in .csv cells: no apostrophe before = + - @'),
}

/** Of `avocet crawl`. None has a default here: what is not typed is up to the environment, the configuration and the spider. */
export const CRAWL_FLAGS: Flags = {
  seeds: valueFlag("Replace the spider's own seeds by FILE: one URL per line, or - for stdin"),
  ...OUTPUT_FLAGS,
  store: valueFlag('Keep the crawl in FILE, or in :memory: [default: .avocet/NAME.db]'),
  fresh: switchFlag('Delete the store and start over'),
  again: switchFlag('Run the handlers over kept responses only, without a request'),
  cache: switchFlag('Keep responses beside the store, for --again'),
  yes: switchFlag('Do not ask for confirmation', 'y'),
  ...SPIDER_ARGUMENTS,
  ...CONFIG_FLAG,
  concurrency: valueFlag('Maximum requests in flight, all hosts [default: 100]'),
  'max-rps': valueFlag('Maximum requests per second per host'),
  delay: valueFlag('Minimum time between two requests to a host: 500ms, 2s'),
  'max-per-host': valueFlag('Maximum requests in flight per host'),
  rate: valueFlag('Rate per host: learned, fixed (a delay) or none [default: learned]'),
  'ignore-robots': switchFlag('Ignore robots.txt, on sites of your own'),
  patience: valueFlag('End when everything left must wait longer than this [default: 15m]'),
  'store-patience': valueFlag('Give up a full, locked or failing store after this [default: never]'),
  scope: valueFlag('Follow links within: host, domain or any [default: host]'),
  'max-depth': valueFlag('Maximum number of links between a seed and a page'),
  'max-pages': valueFlag('End this run after this many pages'),
  every: valueFlag('Visit each page again at this interval: 30m, 1h, 1d'),
  'max-time': valueFlag('End this run after this duration: 90s, 5m, 1h30m'),
  'user-agent': valueFlag("Identify yourself: 'name (+https://your.example/bot)'"),
  header: valueFlag("Send 'name: value', to origins of seeds only"),
  'secret-parameter': valueFlag('Never keep the values of the query parameter NAME, from now on'),
  'time-scale': valueFlag('Run time F times as fast, with servers of your own that do so too'),
  'allow-private': switchFlag('Allow private addresses everywhere, not only as seeds'),
  parser: valueFlag('Parse pages for page.$ with parse5 or fast [default: parse5]'),
  'fail-over': valueFlag('Exit with 11 if handlers fail on a larger share of pages [default: 10%]'),
  json: switchFlag('Print the final report to stdout as JSON'),
  events: valueFlag('Print events to stdout as they happen: ndjson'),
  'log-level': valueFlag('Log level on stderr: error, warn, info or debug [default: info]'),
}

/** What is about output, or about the store's contents: it changes nothing about how sites are treated. */
const OF_A_RUN: ReadonlySet<string> = new Set([
  'O',
  'o',
  'csv-formulas',
  'fresh',
  'again',
  'yes',
  'fail-over',
  'json',
  'events',
  'log-level',
])

/** Those that decide what a crawl goes by: for commands that plan one and do not run it. */
export const PLAN_FLAGS: Flags = without(CRAWL_FLAGS, OF_A_RUN)

/** What says when a run ends, or how a page is parsed: nothing that could be looked at before there is one. */
const OF_PAGES: ReadonlySet<string> = new Set(
  'patience store-patience max-depth max-pages max-time time-scale parser cache'.split(' '),
)

/** Of `avocet check`. */
export const CHECK_FLAGS: Flags = without(PLAN_FLAGS, OF_PAGES)

function without(flags: Flags, names: ReadonlySet<string>): Flags {
  return Object.fromEntries(Object.entries(flags).filter(([name]) => !names.has(name)))
}

/** Every name that an option of `flags` goes by, without dashes. */
export function optionNames(flags: Flags): readonly string[] {
  return Object.entries(flags).flatMap(([name, { alias = [] }]) => [name, ...[alias].flat()])
}

/** The option that `word` is (`--store`, `-o`), if it wants a value. */
export function valueOption({ flags }: { readonly flags: Flags }, word: string | undefined): string | undefined {
  if (word === undefined || !word.startsWith('-')) return undefined
  const typed = word.replace(/^--?/, '')
  const option = Object.entries(flags).find(([name, flag]) => optionNames({ [name]: flag }).includes(typed))
  return option?.[1].type === 'boolean' ? undefined : option?.[0]
}
