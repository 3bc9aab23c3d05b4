// The options that several commands have, as yargs takes them and as `--help` shows them: verb first, the default in brackets.

/** Subjects of options, in the order of help, the most used first. Those of `Rarely needed` may be explained elsewhere (`DeclaredCommand.rareTopic`). */
export const SUBJECTS = [
  'What to crawl',
  'Items',
  'Politeness, for each host',
  'When a run ends',
  'The store',
  'Requests',
  'Settings and messages',
  'Rarely needed',
] as const

/** An option: what yargs reads of it, and what help says of it. */
export interface Flag {
  readonly type?: 'string' | 'boolean'
  readonly alias?: string
  readonly describe?: string
  /** Help leaves it out. */
  readonly hidden?: true
  /** What its value is called: `FILE`. Absent for a switch. */
  readonly value?: string
  /** It may stand without its value; then what follows is the value only where it looks like this. */
  readonly standsAlone?: RegExp
  /** Absent for what only one command has. */
  readonly subject?: (typeof SUBJECTS)[number]
}

/** The options of a command by name. */
export type Flags = Readonly<Record<string, Flag>>

/** An option with a value, which help calls `value`. */
export function valueFlag(value: string, describe: string, alias?: string): Flag {
  return { type: 'string', value, describe, ...(alias !== undefined && { alias }) }
}

/** An option that is there or not. */
export function switchFlag(describe: string, alias?: string): Flag {
  return { type: 'boolean', describe, ...(alias !== undefined && { alias }) }
}

/** What the address of a page looks like: a port, or a host and a port. */
const PAGE_ADDRESS = /^(?:(\[[0-9a-fA-F:.]+\]|[^\s:/]+):)?(\d{1,5})$/

/** Of every command that prints a result. */
export const JSON_FLAG: Flags = { json: switchFlag('Print one JSON document') }

/** How the argument or option that names a store is described. */
export const WHICH_STORE = 'Name or path of the store [default: the only one]'

/** Of commands that read the configuration of a crawl. */
export const CONFIG_FLAG: Flags = on('Settings and messages', {
  config: valueFlag('FILE', 'Configuration [default: nearest avocet.config.ts]'),
})

/** Of commands that read a store, which may be an argument, this, or that of a configuration. */
export const STORE_FLAG: Flags = { store: valueFlag('STORE', WHICH_STORE), ...CONFIG_FLAG }

/** Arguments of a spider. */
export const SPIDER_ARGUMENTS: Flags = on('What to crawl', {
  a: valueFlag('KEY=VALUE', 'Argument of the spider', 'arg'),
})

/** Where items go. */
export const OUTPUT_FLAGS: Flags = {
  ...on('Items', {
    O: valueFlag('FILE', 'Replace FILE, or resume it: .jsonl, .json, .csv, or -', 'overwrite'),
    o: valueFlag('FILE', 'Append to FILE', 'append'),
  }),
}

/** Of `avocet crawl`. None has a default here: what is not typed is up to the environment, the configuration and the spider. */
export const CRAWL_FLAGS: Flags = {
  ...on('What to crawl', {
    seeds: valueFlag('FILE', 'Use these seeds instead: one URL a line, or - (stdin)'),
    ...SPIDER_ARGUMENTS,
    scope: valueFlag('WHERE', 'Follow links within host, domain or any [default: host]'),
    'max-depth': valueFlag('N', 'Maximum number of links between a seed and a page'),
    every: valueFlag('TIME', 'Visit each page again at this interval: 30m, 1h, 1d'),
  }),
  ...OUTPUT_FLAGS,
  ...on('Politeness, for each host', {
    delay: valueFlag('TIME', 'Minimum time between two requests: 500ms, 2s'),
    'max-rps': valueFlag('N', 'Maximum requests per second'),
    'max-per-host': valueFlag('N', 'Maximum requests in flight'),
    rate: valueFlag('LAW', 'learned, fixed (a delay) or none [default: learned]'),
    'ignore-robots': switchFlag('Ignore robots.txt, on sites of your own'),
    concurrency: valueFlag('N', 'Maximum in flight, all hosts together [default: 100]'),
  }),
  ...on('When a run ends', {
    'max-pages': valueFlag('N', 'End this run after this many pages'),
    'max-time': valueFlag('TIME', 'End this run after this time: 90s, 5m, 1h30m'),
    patience: valueFlag('TIME', 'End when all that is left waits longer [default: 15m]'),
  }),
  ...on('The store', {
    store: valueFlag('STORE', 'File, postgres://…, :memory: [default: .avocet/NAME.db]'),
    fresh: switchFlag('Delete the store and kept responses, and start over'),
    yes: switchFlag('Do not ask for confirmation', 'y'),
    cache: switchFlag('Keep responses beside the store, to replay them'),
  }),
  ...on('Requests', {
    'user-agent': valueFlag('TEXT', "Identify yourself: 'name (+https://bot.example)'"),
    header: valueFlag('FIELD', "Send 'name: value', to origins of seeds only"),
  }),
  ...CONFIG_FLAG,
  ...on('Settings and messages', {
    'log-level': valueFlag('LEVEL', 'On stderr: error, warn, info or debug [default: info]'),
    json: switchFlag('Print the final report to stdout as JSON'),
  }),
  ...on('Rarely needed', {
    'allow-private': switchFlag('Allow private addresses, not only as seeds'),
    'fail-over': valueFlag('SHARE', 'Exit with 11 if more pages or items fail [default: 10%]'),
    'log-format': valueFlag('FORMAT', 'On stderr: text, or json for a line an event [default: text]'),
    files: switchFlag('Save the files that handlers yield with file()'),
    metrics: valueFlag('[HOST:]PORT', 'Serve metrics for Prometheus; port 0 is any free one'),
    processes: valueFlag('N', 'Processes that crawl, or auto: one per core [default: 1]'),
    proxy: valueFlag('URL', 'http, https or socks5 proxy, or direct'),
    'secret-parameter': valueFlag('NAME', 'Never keep values of this query parameter'),
    sitemaps: switchFlag('Follow the sitemaps of the hosts of seeds'),
    'store-patience': valueFlag('TIME', 'When to give up a failing store [default: never; 10m for a server]'),
    ui: {
      ...valueFlag('[HOST:]PORT', 'Serve a page of the crawl for a browser'),
      standsAlone: PAGE_ADDRESS,
    },
    'ui-password-file': valueFlag('FILE', 'Ask for the password in FILE on that page'),
  }),
}

/** Options on a subject. */
export function on(subject: (typeof SUBJECTS)[number], flags: Flags): Flags {
  return Object.fromEntries(Object.entries(flags).map(([name, flag]) => [name, { ...flag, subject }]))
}

/** What is about output, or about the store's contents: it changes nothing about how sites are treated. */
const OF_A_RUN: ReadonlySet<string> = new Set('O o fresh yes fail-over json log-level ui ui-password-file log-format'.split(' '))

/** Those that decide what a crawl goes by: for commands that plan one and do not run it. */
export const PLAN_FLAGS: Flags = without(CRAWL_FLAGS, OF_A_RUN)

function without(flags: Flags, names: ReadonlySet<string>): Flags {
  return Object.fromEntries(Object.entries(flags).filter(([name]) => !names.has(name)))
}

/** Every name that an option of `flags` goes by, without dashes. */
export function optionNames(flags: Flags): readonly string[] {
  return Object.entries(flags).flatMap(([name, { alias }]) => (alias === undefined ? [name] : [name, alias]))
}

/** The option that `word` is (`--store`, `-o`), if it wants a value. */
export function valueOption({ flags }: { readonly flags: Flags }, word: string | undefined): string | undefined {
  if (word === undefined || !word.startsWith('-')) return undefined
  const typed = word.replace(/^--?/, '')
  const option = Object.entries(flags).find(([name, flag]) => optionNames({ [name]: flag }).includes(typed))
  return option?.[1].type === 'boolean' ? undefined : option?.[0]
}
