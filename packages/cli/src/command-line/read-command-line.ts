// Reads the command line: yargs takes the words apart and writes the help. What is wrong with them is found here, from what yargs gives and from the
// declaration of the command, so that nothing depends on what yargs says in English.
import { AvocetError } from '@avocet/core'
import { closest, didYouMean } from '@avocet/core/tools'
import type { Argv } from 'yargs'
import type { AnyCommand, ReadCommand } from '../options/declared-command.ts'
import { optionNames, valueOption } from '../options/flags.ts'
import type { Typed } from '../options/values.ts'
import { printText } from '../output/people.ts'
import { screenColumns } from '../text/columns.ts'
import { COMMANDS } from './commands.ts'
import { belowTyped, environmentOf, NO_ENVIRONMENT } from './environment.ts'
import { HELP_TOPICS } from './help.ts'

/** Wider is hard to read; a terminal that is narrower folds it in its own way otherwise. */
const HELP_COLUMNS = 100

/** Options of the commands that read the environment. */
const READING = COMMANDS.filter(({ readsEnvironment }) => readsEnvironment === true).map(({ flags }) => flags)

/** What the scripts of `avocet completion` ask with. */
const COMPLETIONS = '--get-completions'

/**
 * The command that `words` (without node and script) ask for.
 *
 * @throws AVO_USAGE in one line, with what was probably meant.
 */
export async function readCommandLine(given: readonly string[]): Promise<ReadCommand> {
  const words = helpOfCommand(given)
  const [first = '--help'] = words
  if (first === COMPLETIONS) return completions(words.slice(1))
  const command = commandNamed(first)
  // 76 ms: only those pay who need it.
  const { default: yargs } = await import('yargs')
  let help = ''
  let failed: string | undefined
  const all = [first, ...words.slice(1)]
  const parser = declared(yargs(all), command).fail((message: string) => {
    failed = message
  })
  const typed = (await parser.parseAsync(all, {}, (_error, _typed, output) => {
    help ||= output
  })) as Typed
  if (command === undefined || help !== '') return printed(help.trimEnd(), command, words.slice(1))
  checkTyped(command, typed, words.slice(1))
  if (failed !== undefined) throw usage(`${command.name}: ${failed}; see avocet ${command.name} --help`)
  const { name, flags, readsEnvironment } = command
  const environment = readsEnvironment === true ? environmentOf({ name, flags, allFlags: READING }, process.env) : NO_ENVIRONMENT
  const read = belowTyped(typed, environment)
  return command.readWith(read.typed, read.variables)
}

/** `help crawl` is `crawl --help`, and `help` alone is `--help`, as with git and npm. A topic stays as it is. */
function helpOfCommand(words: readonly string[]): readonly string[] {
  const [first, topic = '--help', ...more] = words
  if (first !== 'help' || more.length > 0 || HELP_TOPICS.includes(topic)) return words
  const names = COMMANDS.map(({ name }) => name)
  if (names.includes(topic)) return [topic, '--help']
  if (topic.startsWith('-')) return [topic]
  throw usage(
    `help: expected a command, ${HELP_TOPICS.join(', ')}, got '${topic}'${didYouMean(topic, [...names, ...HELP_TOPICS])}`,
  )
}

/** Before yargs, for a shell asks with every Tab. */
function completions(words: readonly string[]): ReadCommand {
  return {
    name: 'completions',
    options: words,
    async run(place) {
      await (await import('./candidates.ts')).answerShell(words, place)
      return 0
    },
  }
}

/** Help, with the arguments of the spider that was named beside it. */
function printed(text: string, command: AnyCommand | undefined, words: readonly string[]): ReadCommand {
  const spider = command?.flags['a'] === undefined ? undefined : words.find((word) => /^[^-].*\.[cm]?[jt]s$/.test(word))
  return {
    name: 'print',
    options: text,
    async run({ stdout, folder }) {
      const lines = spider === undefined ? [] : await (await import('./spider-help.ts')).spiderHelp(spider, folder)
      await printText(stdout, `${[text, ...lines].join('\n')}\n`)
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
    throw usage(`expected a command, got '${first}'; did you mean avocet crawl ${first}?`)
  if (first.startsWith('-')) throw usage(`expected a command before '${first}': ${names.join(', ')}; see avocet --help`)
  const meant = closest(first, names)
  if (meant !== undefined) throw usage(`expected a command, got '${first}' (did you mean '${meant}'?)`)
  throw usage(`expected a command (${names.join(', ')}), got '${first}'`)
}

/** Arguments are optional, and unknown words are let through: `checkTyped` has better words for them. */
function declared(parser: Argv, command: AnyCommand | undefined): Argv {
  const bare = withoutTypes(parser)
    .scriptName('avocet')
    .locale('en')
    .updateStrings({ 'Positionals:': 'Arguments:' })
    .parserConfiguration({
      'parse-numbers': false,
      'parse-positional-numbers': false,
      'boolean-negation': false,
      'dot-notation': false,
    })
    .exitProcess(false)
    .showHelpOnFail(false)
    .wrap(Math.min(HELP_COLUMNS, screenColumns(process.stdout)))
    .version(false)
    .help('help', 'Show this help')
    .alias('h', 'help')
  // yargs takes the word `help` for its own: alone, it asks for all commands.
  if (command === undefined || command.name === 'help') return withAllCommands(bare)
  const { name, arguments: wanted, summary, examples, flags, describes = {}, notes = [] } = command
  return bare.command(`${name} ${wanted.replaceAll('<', '[').replaceAll('>', ']')}`.trimEnd(), summary, (own) =>
    Object.entries(describes)
      .reduce((so, [argument, describe]) => so.positional(argument, { describe, type: 'string' }), own.usage(examples.join('\n')))
      .options(flags)
      .epilogue(notes.join('\n')),
  )
}

function withAllCommands(parser: Argv): Argv {
  return COMMANDS.reduce((so, { name, arguments: wanted, summary }) => so.command(`${name} ${wanted}`.trimEnd(), summary), parser)
    .usage(
      [
        'avocet crawl https://quotes.example/ -O quotes.jsonl  every page, politely',
        'avocet crawl spider.ts -O offers.csv                  what your spider finds',
        'avocet crawl spider.ts -O offers.csv                  again: resumes where it stopped',
      ].join('\n'),
    )
    .epilogue(
      [
        'Settings in avocet.config.ts have their own names, such as delayMs for --delay: see',
        'docs/reference/options.md. Variables have those of options: AVOCET_CONCURRENCY=20.',
        'Exit codes: 0 done, 2 usage, 3 spider, 4 check, 5 limit, 6 no page, 7 store, 8 patience,',
        '9 hosts given up, 10 rescued with losses, 11 handlers failed.',
        'avocet help exit-codes lists them all; avocet --version prints the version.',
      ].join('\n'),
    )
}

/** The help of yargs without `[string]` at each option: the description says more. Its types lack this setting. */
function withoutTypes(parser: Argv): Argv {
  const { usageConfiguration } = parser as Argv & { usageConfiguration(settings: { 'hide-types': boolean }): Argv }
  return usageConfiguration.call(parser, { 'hide-types': true })
}

/** Throws AVO_USAGE for an argument or a value that is missing, and for what the command does not have. */
function checkTyped(command: AnyCommand, typed: Typed, words: readonly string[]): void {
  const { name, arguments: wanted, missing, flags } = command
  const wrong = (what: string): AvocetError => usage(`${name}: ${what}; see avocet ${name} --help`)
  // First, for yargs reads nothing more after it.
  const bare = optionWithoutValue(command, words)
  if (bare !== undefined) throw wrong(`expected a value after ${bare}, got nothing`)
  const names = wanted.split(' ').map((argument) => argument.replace(/[^\w]/g, ''))
  const required = wanted.split(' ').filter((argument) => argument.startsWith('<')).length
  const got = names.filter((argument) => [typed[argument] ?? []].flat().length > 0).length
  if (got < required) throw wrong(got === 0 && missing !== undefined ? missing : `expected ${wanted}, got ${got} of them`)
  const known = new Set(['_', '$0', 'help', 'h', ...names, ...optionNames(flags), ...optionNames(flags).map(camelCase)])
  const unknown = Object.keys(typed).find((key) => !known.has(key))
  if (unknown !== undefined) {
    const meant = didYouMean(unknown, [...optionNames(flags).filter((option) => option.length > 1), 'help']).replace("'", "'--")
    throw wrong(`expected a known option, got ${unknown.length === 1 ? '-' : '--'}${unknown}${meant}`)
  }
  const [, extra] = typed['_'] as readonly string[]
  if (extra !== undefined) throw wrong(`expected no more arguments, got '${extra}'`)
}

/** The first option that wants a value and is followed by none: by nothing, or by another option. */
function optionWithoutValue(command: AnyCommand, words: readonly string[]): string | undefined {
  const end = words.indexOf('--')
  // Of letters that are typed together the last one may take a value.
  const options = (end < 0 ? words : words.slice(0, end)).map((word) => word.replace(/^-[a-z]+(?=[a-z]$)/i, '-'))
  return options.find(
    (word, index) => valueOption(command, word) !== undefined && /^-[^0-9]/.test(options[index + 1] ?? '--none'),
  )
}

/** yargs takes `--maxPages` for `--max-pages`, and gives both. */
function camelCase(name: string): string {
  return name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

function usage(message: string): AvocetError {
  return new AvocetError('AVO_USAGE', message)
}
