// Reads the command line: yargs for the parsing and the help, our own words for what is wrong with it.
import { AvocetError, closest, didYouMean } from '@avocet/core'
import type { Argv } from 'yargs'
import { printText } from '../output/people.ts'
import { COMMANDS, type AnyCommand } from '../declared/commands.ts'
import type { ReadCommand, Typed } from '../declared/declared-command.ts'
import { screenColumns } from '../view/screen-columns.ts'
import { belowTyped, environmentOf, NO_ENVIRONMENT } from './environment.ts'

/** Wider is hard to read; a terminal that is narrower folds it in its own way otherwise. */
const HELP_COLUMNS = 100

/** Options of the commands that read the environment. */
const READING = COMMANDS.filter(({ readsEnvironment }) => readsEnvironment === true).map(({ flags }) => flags)

/** What the scripts of `avocet completion` ask with. */
const COMPLETIONS = '--get-completions'

/** yargs says of each option that it is a string; the description says more. */
const TYPE_COLUMN = / +\[(?:string|boolean|array)\](?: \[default: \[\]\]| \[required\])?$/gm

/**
 * The command that `words` (without node and script) ask for.
 *
 * @throws AVO_USAGE in one line, with what was probably meant.
 */
export async function readCommandLine(words: readonly string[]): Promise<ReadCommand> {
  const [first = '--help'] = words
  if (first === COMPLETIONS) return completions(words.slice(1))
  const command = commandNamed(first)
  // 76 ms: only those pay who need it.
  const { default: yargs } = await import('yargs')
  let help: string | undefined
  const parser = declare(yargs(words.length === 0 ? [first] : [...words]), command, words)
  const typed = (await parser.parseAsync([...(words.length === 0 ? [first] : words)], {}, (_error, _typed, output) => {
    if (output !== '') help = output
  })) as Typed
  if (command === undefined || help !== undefined) return printed(`${(help ?? '').replace(TYPE_COLUMN, '').trimEnd()}\n`)
  const { name, flags, readsEnvironment } = command
  const environment = readsEnvironment === true ? environmentOf({ name, flags, allFlags: READING }, process.env) : NO_ENVIRONMENT
  const all = belowTyped(typed, environment)
  return command.readWith(all.typed, all.variables)
}

/** Before yargs, for a shell asks with every Tab. */
function completions(words: readonly string[]): ReadCommand {
  return {
    name: 'completions',
    options: words,
    async run(place) {
      await (await import('../completion/answer-shell.ts')).answerShell(words, place)
      return 0
    },
  }
}

function printed(text: string): ReadCommand {
  return {
    name: 'print',
    options: text,
    async run({ stdout }) {
      await printText(stdout, text)
      return 0
    },
  }
}

/** Before yargs, whose own word for a wrong one is the whole help. Undefined for help. */
function commandNamed(first: string): AnyCommand | undefined {
  const command = COMMANDS.find(({ name }) => name === first)
  if (command !== undefined || first === '--help' || first === '-h') return command
  const names = COMMANDS.map(({ name }) => name)
  if (/^https?:\/\//.test(first) || /\.[cm]?ts$/.test(first))
    throw new AvocetError('AVO_USAGE', `expected a command, got '${first}'; did you mean avocet crawl ${first}?`)
  if (first.startsWith('-'))
    throw new AvocetError('AVO_USAGE', `expected a command before '${first}': ${names.join(', ')}; see avocet --help`)
  const meant = closest(first, names)
  if (meant !== undefined) throw new AvocetError('AVO_USAGE', `expected a command, got '${first}' (did you mean '${meant}'?)`)
  throw new AvocetError('AVO_USAGE', `expected a command (${names.join(', ')}), got '${first}'`)
}

function declare(parser: Argv, command: AnyCommand | undefined, words: readonly string[]): Argv {
  const declared = parser
    .scriptName('avocet')
    .locale('en')
    .updateStrings({ 'Positionals:': 'Arguments:' })
    .parserConfiguration({ 'parse-numbers': false, 'parse-positional-numbers': false, 'boolean-negation': false })
    .strict()
    .exitProcess(false)
    .showHelpOnFail(false)
    .wrap(helpColumns())
    .version(false)
    .help('help', 'show this')
    .alias('h', 'help')
    .fail((message: string | undefined, error: Error | undefined) => {
      throw error instanceof AvocetError ? error : usageError(message ?? error?.message ?? '', command ?? {}, words)
    })
  return withCommands(declared)
}

/** yargs folds before anything is run, and asks how wide the screen is. */
function helpColumns(): number {
  return Math.min(HELP_COLUMNS, screenColumns(process.stdout))
}

function withCommands(parser: Argv): Argv {
  const usage = parser.usage(
    [
      'avocet crawl https://quotes.example/ -O quotes.jsonl  every page, politely',
      'avocet crawl spider.ts -O offers.csv                  what your spider finds',
      'avocet crawl spider.ts -O offers.csv                  again: goes on from there',
    ].join('\n'),
  )
  const declared = COMMANDS.reduce(
    (so, { name, arguments: words, summary, examples, flags, describe = (own) => own }) =>
      so.command(`${name} ${words}`.trimEnd(), summary, (own) => describe(own.usage(examples.join('\n'))).options(flags)),
    usage,
  )
  return declared.epilogue(
    [
      'Options may also stand in avocet.config.ts, or as AVOCET_CONCURRENCY=20.',
      'Exit codes: 0 done, 2 usage, 3 spider, 4 check, 5 limit, 7 store, 8 patience.',
      'avocet help exit-codes lists them all; avocet --version prints the version.',
    ].join('\n'),
  )
}

/** yargs' words turned into one line that says what to do. */
function usageError(message: string, of: Partial<AnyCommand>, words: readonly string[]): AvocetError {
  const { name: command = 'avocet', missing, flags = {} } = of
  const bare = /^Not enough arguments following: (.*)$/.exec(message)?.[1]
  if (bare !== undefined)
    return new AvocetError(
      'AVO_USAGE',
      `${command}: expected a value after ${nameAsTyped(bare)}, got nothing; see avocet ${command} --help`,
    )
  const few = /^Not enough non-option arguments: got (\d+)/.exec(message)?.[1]
  if (few !== undefined) {
    const wanted = few === '0' && missing !== undefined ? missing : `expected ${of.arguments ?? 'arguments'}, got ${few} of them`
    return new AvocetError('AVO_USAGE', `${command}: ${wanted}; see avocet ${command} --help`)
  }
  const unknown = /^Unknown arguments?: (.*)$/.exec(message)?.[1]?.split(', ')[0]
  if (unknown === undefined)
    return new AvocetError('AVO_USAGE', `${command}: ${message.replaceAll('\n', ' ')}; see avocet ${command} --help`)
  if (words.includes(unknown))
    return new AvocetError('AVO_USAGE', `${command}: expected no more arguments, got '${unknown}'; see avocet ${command} --help`)
  const names = Object.entries(flags).flatMap(([name, { alias }]) => [name, ...(typeof alias === 'string' ? [alias] : [])])
  const long = [...names.filter((name) => name.length > 1), 'help']
  const meant = didYouMean(unknown, long).replace("'", "'--")
  return new AvocetError(
    'AVO_USAGE',
    `${command}: expected an option that it has, got ${nameAsTyped(unknown)}${meant}; see avocet ${command} --help`,
  )
}

/** As it stands on the command line. */
function nameAsTyped(unknown: string): string {
  return unknown.length === 1 ? `-${unknown}` : `--${unknown}`
}
