// Reads the command line: yargs for the parsing and the help, our own words for what is wrong with it.
import { AvocetError } from '@avocet/core'
import type { Argv, Options, PositionalOptions } from 'yargs'
import { dlqOptionsOf, declareDlq, DLQ_FLAGS, type DlqOptions } from '../commands/dlq-options.ts'
import type { WhyOptions } from '../commands/why.ts'
import type { Output } from '../export/outputs.ts'
import { SIMULATE_FLAGS, simulateOptionsOf, type SimulateOptions } from '../simulate/options.ts'
import { didYouMean } from '../text/closest.ts'
import { crawlOptionsOf, type CrawlOptions, type Typed } from './crawl-options.ts'
import { CRAWL_FLAGS, EXPORT_FLAGS, READ_FLAGS, WHY_FLAGS } from './flags.ts'

/** What the command line asks for. */
export type Command =
  | { readonly name: 'crawl'; readonly options: CrawlOptions }
  | { readonly name: 'status'; readonly store: string | undefined; readonly json: boolean }
  | { readonly name: 'hosts'; readonly store: string | undefined; readonly json: boolean }
  | { readonly name: 'why'; readonly options: WhyOptions }
  | { readonly name: 'dlq'; readonly options: DlqOptions }
  | { readonly name: 'simulate'; readonly options: SimulateOptions }
  | { readonly name: 'export'; readonly store: string | undefined; readonly outputs: readonly Output[] }
  | { readonly name: 'help'; readonly topic: string }
  | { readonly name: 'print'; readonly text: string }

const FLAGS_OF: Readonly<Record<string, Readonly<Record<string, Options>>>> = {
  crawl: CRAWL_FLAGS,
  status: READ_FLAGS,
  hosts: READ_FLAGS,
  why: WHY_FLAGS,
  dlq: DLQ_FLAGS,
  export: EXPORT_FLAGS,
  simulate: SIMULATE_FLAGS,
  help: {},
}

const TARGETS: PositionalOptions = { describe: 'one spider file, or URLs', type: 'string' }
const STORE: PositionalOptions = { describe: 'default: the only one in .avocet', type: 'string' }

const HELP_COLUMNS = 100

/** What a command that was typed alone lacks. */
const MISSING: Readonly<Record<string, string>> = {
  why: 'expected a host or a URL, got nothing',
  dlq: 'expected list or retry, got nothing',
}

/** Options of a crawl may stand in the environment under this prefix; the other commands must not stumble over them. */
const ENVIRONMENT = 'AVOCET'

/** yargs says of each option that it is a string; the description says more. */
const TYPE_COLUMN = / +\[(?:string|boolean|array)\](?: \[default: \[\]\]| \[required\])?$/gm

/**
 * The command that `words` (without node and script) ask for.
 *
 * @throws AVO_USAGE in one line, with what was probably meant.
 */
export async function readCommandLine(words: readonly string[]): Promise<Command> {
  const [first = '--help'] = words
  checkCommand(first)
  // 76 ms: only those pay who need it.
  const { default: yargs } = await import('yargs')
  let help: string | undefined
  const parser = declare(yargs(words.length === 0 ? [first] : [...words]), first)
  const typed = (await parser.parseAsync([...(words.length === 0 ? [first] : words)], {}, (_error, _typed, output) => {
    if (output !== '') help = output
  })) as Typed
  if (help !== undefined) return { name: 'print', text: `${help.replace(TYPE_COLUMN, '').trimEnd()}\n` }
  return commandOf(first, typed)
}

function commandOf(name: string, typed: Typed): Command {
  const store = textOf(typed, 'store')
  switch (name) {
    case 'crawl':
      return { name, options: crawlOptionsOf(typed) }
    case 'status':
    case 'hosts':
      return { name, store, json: typed['json'] === true }
    case 'why':
      return { name, options: whyOptionsOf(typed) }
    case 'dlq':
      return { name, options: dlqOptionsOf(typed) }
    case 'simulate':
      return { name, options: simulateOptionsOf(typed) }
    case 'export':
      return { name, store, outputs: crawlOptionsOf({ o: typed['o'], O: typed['O'] }).outputs }
    default:
      return { name: 'help', topic: textOf(typed, 'topic') ?? '' }
  }
}

function whyOptionsOf(typed: Typed): WhyOptions {
  const store = textOf(typed, 'store')
  const configPath = textOf(typed, 'config')
  return {
    target: textOf(typed, 'target') ?? '',
    ...(store !== undefined && { store }),
    ...(configPath !== undefined && { configPath }),
    json: typed['json'] === true,
  }
}

function textOf(typed: Typed, name: string): string | undefined {
  const value = typed[name]
  return typeof value === 'string' ? value : undefined
}

/** Before yargs, whose own word for it is the whole help. */
function checkCommand(first: string): void {
  const names = Object.keys(FLAGS_OF)
  if (names.includes(first) || first === '--help' || first === '-h') return
  if (/^https?:\/\//.test(first) || /\.[cm]?ts$/.test(first))
    throw new AvocetError('AVO_USAGE', `expected a command, got '${first}'; did you mean avocet crawl ${first}?`)
  if (first.startsWith('-'))
    throw new AvocetError('AVO_USAGE', `expected a command before '${first}': ${names.join(', ')}; see avocet --help`)
  throw new AvocetError('AVO_USAGE', `expected a command (${names.join(', ')}), got '${first}'${didYouMean(first, names)}`)
}

function declare(parser: Argv, command: string): Argv {
  const declared = (command === 'crawl' ? parser.env(ENVIRONMENT) : parser)
    .scriptName('avocet')
    .locale('en')
    .updateStrings({ 'Positionals:': 'Arguments:' })
    .parserConfiguration({ 'parse-numbers': false, 'parse-positional-numbers': false, 'boolean-negation': false })
    .strict()
    .exitProcess(false)
    .showHelpOnFail(false)
    .wrap(HELP_COLUMNS)
    .version(false)
    .help('help', 'show this')
    .alias('h', 'help')
    .fail((message: string | undefined, error: Error | undefined) => {
      throw error instanceof AvocetError ? error : usageError(message ?? error?.message ?? '', command)
    })
  return withCommands(declared)
}

function withCommands(parser: Argv): Argv {
  return parser
    .usage(
      [
        'avocet crawl https://quotes.example/ -O quotes.jsonl     every page of a site, politely',
        'avocet crawl spider.ts -O offers.csv                     what a spider of yours finds',
        'avocet crawl spider.ts -O offers.csv                     again: goes on where it stopped',
      ].join('\n'),
    )
    .command('crawl [targets..]', 'crawl a spider file, or URLs', (crawl) =>
      crawl
        .usage(
          'avocet crawl https://quotes.example/ -O quotes.jsonl --max-time 5m\navocet crawl spider.ts -a city=berlin -O offers.csv',
        )
        .positional('targets', TARGETS)
        .options(CRAWL_FLAGS),
    )
    .command('status [store]', 'how far a crawl is, also while it runs', (status) =>
      status.usage('avocet status .avocet/quotes.db').positional('store', STORE).options(READ_FLAGS),
    )
    .command('hosts [store]', 'the hosts of a crawl', (hosts) =>
      hosts.usage('avocet hosts .avocet/quotes.db').positional('store', STORE).options(READ_FLAGS),
    )
    .command('why <target>', 'what holds a host or a URL, and what is known of it', (why) =>
      why
        .usage('avocet why shop.example\navocet why https://shop.example/offer/7 --store .avocet/offers.db')
        .positional('target', { describe: 'a host as avocet hosts lists it, or a URL', type: 'string' })
        .options(WHY_FLAGS),
    )
    .command('dlq <action> [store]', 'pages that were given up: list them, or try them again', declareDlq)
    .command('export [store]', 'write all items of a crawl', (out) =>
      out.usage('avocet export -O items.csv').positional('store', STORE).options(EXPORT_FLAGS),
    )
    .command('simulate [target]', 'the same on virtual time, against a model of the web', (simulate) =>
      simulate
        .usage('avocet simulate --web eight-hundred --hours 12\navocet simulate spider.ts --web web.json --seed 7 --json')
        .positional('target', { describe: 'a spider file, or a configuration', type: 'string' })
        .options(SIMULATE_FLAGS),
    )
    .command('help <topic>', 'exit-codes, output, resume')
    .epilogue(
      [
        'Options may also stand in avocet.config.ts, or in the environment: AVOCET_CONCURRENCY=20.',
        'Exit codes: 0 done, 2 usage, 3 spider, 5 limit, 7 store or output, 8 patience.',
        'avocet help exit-codes lists them all; avocet --version prints the version.',
      ].join('\n'),
    )
}

/** yargs' words turned into one line that says what to do. */
function usageError(message: string, command: string): AvocetError {
  const bare = /^Not enough arguments following: (.*)$/.exec(message)?.[1]
  if (bare !== undefined)
    return new AvocetError(
      'AVO_USAGE',
      `${command}: expected a value after ${nameAsTyped(bare)}, got nothing; see avocet ${command} --help`,
    )
  if (message.startsWith('Not enough non-option arguments'))
    return new AvocetError(
      'AVO_USAGE',
      `${command}: ${message.includes('got 0') ? (MISSING[command] ?? 'expected an argument, got nothing') : message}; see avocet ${command} --help`,
    )
  const unknown = /^Unknown arguments?: (.*)$/.exec(message)?.[1]?.split(', ')[0]
  if (unknown === undefined)
    return new AvocetError('AVO_USAGE', `${command}: ${message.replaceAll('\n', ' ')}; see avocet ${command} --help`)
  const names = Object.entries(FLAGS_OF[command] ?? {}).flatMap(([name, { alias }]) => [
    name,
    ...(typeof alias === 'string' ? [alias] : []),
  ])
  const long = names.filter((name) => name.length > 1)
  const meant = didYouMean(unknown, long).replace("'", "'--")
  return new AvocetError(
    'AVO_USAGE',
    `${command}: expected an option that it has, got ${nameAsTyped(unknown)}${meant}; see avocet ${command} --help`,
  )
}

/** yargs calls `AVOCET_MAX_DEPHT` by `maxDepht`. */
function nameAsTyped(unknown: string): string {
  const variable = `${ENVIRONMENT}_${unknown.replace(/[A-Z-]/g, (letter) => (letter === '-' ? '_' : `_${letter}`)).toUpperCase()}`
  if (Object.hasOwn(process.env, variable)) return variable
  return unknown.length === 1 ? `-${unknown}` : `--${unknown}`
}
