// Reads the command line: yargs takes the words apart. What is wrong with them is found here, from what yargs gives and from the declaration of the
// command, so that nothing depends on what yargs says in English.
import { createRequire } from 'node:module'
import { AvocetError } from '@avocet/core'
import { didYouMean } from '@avocet/core/plugin'
import type { Parser } from 'yargs/helpers'
import { optionNames, valueOption, type AnyCommand, type Flag, type ReadCommand } from '@avocet/project/command'
import { textOf, textsOf, type Typed } from '@avocet/project/options'
import { commandLine, commandName, printText, type Place } from '@avocet/project/place'
import { isFar, mayNameCrawl, shownStore } from '@avocet/project/store'
import { screenColumns } from '@avocet/project/text'
import { commandHelp, helpOfAll } from './command-help.ts'
import { COMMANDS, HELP_TOPICS } from './commands.ts'

const NAMES = COMMANDS.map(({ name }) => name)

/** What a command line is read with. */
interface CommandLinePlace {
  readonly stdout: Partial<Pick<Place['stdout'], 'isTTY' | 'columns'>>
}

/**
 * The command that `words` (without node and script) ask for.
 *
 * @throws AVO_USAGE in one line, with what was probably meant.
 */
export async function readCommandLine(
  given: readonly string[],
  { stdout }: CommandLinePlace = { stdout: {} },
): Promise<ReadCommand> {
  const asked = helpOfCommand(given)
  const [first = '--help'] = asked
  const command = commandNamed(first)
  const words = command === undefined ? asked : withValues(apart(asked, command), command)
  if (command === undefined || asksForHelp(words)) return printed(command, words.slice(1), stdout)
  const { argv, error } = parser().detailed(words.slice(1), parserOptions(command))
  const typed = withArguments(argv, command)
  checkTyped(command, typed, words.slice(1))
  if (error !== null) throw usage(`${command.name}: ${error.message}; see ${commandName()} ${command.name} --help`)
  return command.readWith(typed)
}

/**
 * The parser of yargs. Its door `yargs/helpers` brings what lays out help and translates, too: 25 modules, and a tenth of a start. The parser's own door
 * imports parts of Node for files of options, which Node loads whole: 3 ms.
 */
function parser(): typeof Parser {
  const yargs = createRequire(import.meta.url).resolve('yargs')
  return (createRequire(yargs)('yargs-parser/browser') as { readonly default: typeof Parser }).default
}

/** `help crawl` is `crawl --help`, and `help` alone is `--help`, as with git and npm. A topic stays as it is. */
function helpOfCommand(words: readonly string[]): readonly string[] {
  const [first, topic = '--help', ...more] = words
  if (first !== 'help' || more.length > 0 || HELP_TOPICS.includes(topic)) return words
  if (NAMES.includes(topic)) return [topic, '--help']
  if (topic.startsWith('-')) return [topic]
  throw usage(
    `help: expected a command, ${HELP_TOPICS.join(', ')}, got '${topic}'${didYouMean(topic, [...NAMES, ...HELP_TOPICS])}`,
  )
}

/**
 * Letters that are typed together, one by one; the first that takes a value takes the rest as its value, as with git and ripgrep: `-jOh` is `-j -O=h`.
 * yargs reads `-Oitems.jsonl` as ten options. A long name after one dash stays whole, for it is told apart below.
 */
function apart(words: readonly string[], command: AnyCommand): readonly string[] {
  const end = words.indexOf('--')
  const options = end < 0 ? words : words.slice(0, end)
  const spelled = options.flatMap((word) => {
    if (!/^-[a-z]{2}|^-[a-z]-/i.test(word) || longName(word, command.flags) !== undefined) return [word]
    const letters = word.slice(1).split('')
    const taking = letters.findIndex((letter) => valueOption(command, `-${letter}`) !== undefined)
    if (taking < 0) return letters.every((letter) => /[a-z]/i.test(letter)) ? letters.map((letter) => `-${letter}`) : [word]
    const value = letters.slice(taking + 1).join('')
    const before = letters.slice(0, taking).map((letter) => `-${letter}`)
    const option = `-${letters[taking]}`
    return [...before, value === '' ? option : value.startsWith('=') ? option + value : `${option}=${value}`]
  })
  return end < 0 ? spelled : [...spelled, ...words.slice(end)]
}

/** An option that may stand alone gets an empty value where what follows does not look like one: `--ui spider.ts` has an option and an argument. */
function withValues(words: readonly string[], { flags }: AnyCommand): readonly string[] {
  const end = words.indexOf('--')
  return words.map((word, n) => {
    const pattern = word.startsWith('--') ? flags[word.slice(2)]?.standsAlone : undefined
    const isBare = pattern !== undefined && (end < 0 || n < end) && !pattern.test(words[n + 1] ?? '')
    return isBare ? `${word}=` : word
  })
}

/** `--overwrite` for `-overwrite`; undefined for all that is no long name after one dash. */
function longName(word: string, flags: AnyCommand['flags']): string | undefined {
  const name = /^-([a-z][\w-]+)/i.exec(word)?.[1]
  return [...optionNames(flags), 'help'].filter((option) => option.length > 1).find((option) => option === name)
}

function asksForHelp(words: readonly string[]): boolean {
  const end = words.indexOf('--')
  return (end < 0 ? words : words.slice(0, end)).some((word) => ['--help', '-help', '-h'].includes(word))
}

/** Help, with the arguments of the spider that was named beside it. */
function printed(command: AnyCommand | undefined, words: readonly string[], screen: CommandLinePlace['stdout']): ReadCommand {
  const columns = screenColumns(screen)
  // Help with help lists what there is.
  const text = command === undefined || command.name === 'help' ? helpOfAll(columns) : commandHelp(command, columns)
  const spider = command?.flags['a'] === undefined ? undefined : words.find((word) => /^[^-].*\.[cm]?[jt]s$/.test(word))
  return {
    name: 'print',
    options: text.join('\n'),
    async run({ stdout, folder }) {
      const lines = spider === undefined ? [] : await (await import('./spider-help.ts')).spiderHelp(spider, folder)
      await printText(stdout, `${[...text, ...lines].join('\n')}\n`)
      return 0
    },
  }
}

/** Before yargs, whose own word for a wrong one is the whole help. Undefined for help. */
function commandNamed(first: string): AnyCommand | undefined {
  const command = COMMANDS.find(({ name }) => name === first)
  if (command !== undefined || first === '--help' || first === '-h') return command
  if (/^https?:\/\//.test(first) || /\.[cm]?ts$/.test(first))
    throw usage(`expected a command, got '${first}'; did you mean ${commandLine(['crawl', first])}?`)
  if (first.startsWith('-')) throw usage(`expected a command before '${first}': ${NAMES.join(', ')}; see ${commandName()} --help`)
  const hint = didYouMean(first, NAMES)
  if (hint !== '') throw usage(`expected a command, got '${first}'${hint}`)
  throw usage(`expected a command (${NAMES.join(', ')}), got '${first}'`)
}

/** Unknown words are let through: `checkTyped` has better words for them. */
function parserOptions({ flags }: AnyCommand): Parser.Options {
  const namesOf = (type: Flag['type']): string[] => Object.keys(flags).filter((name) => flags[name]?.type === type)
  return {
    string: namesOf('string'),
    boolean: namesOf('boolean'),
    alias: Object.fromEntries(Object.entries(flags).map(([name, { alias = [] }]) => [name, alias])),
    // One value, whatever it looks like.
    narg: Object.fromEntries(namesOf('string').map((name) => [name, Number.NaN])),
    configuration: {
      'parse-numbers': false,
      'parse-positional-numbers': false,
      'boolean-negation': false,
      'dot-notation': false,
    },
  }
}

/** Words that belong to no option, as the arguments of the command; `_` has those that are too many. All are optional here. */
function withArguments(typed: Parser.Arguments, { arguments: wanted }: AnyCommand): Typed {
  const words = typed._.map(String)
  const named: Record<string, unknown> = { ...typed, _: words }
  for (const argument of wanted.split(' ').filter((one) => one !== '')) {
    const [name, takesAll] = [argument.replace(/[^\w]/g, ''), argument.includes('..')]
    const taken = words.splice(0, takesAll ? words.length : 1)
    if (taken.length === 0) continue
    named[name] = takesAll || Array.isArray(named[name]) ? [named[name] ?? [], taken].flat(2) : taken[0]
  }
  return named
}

/** Throws AVO_USAGE for an argument or a value that is missing, and for what the command does not have. */
function checkTyped(command: AnyCommand, typed: Typed, words: readonly string[]): void {
  const { name, arguments: wanted, missing, flags } = command
  const wrong = (what: string): AvocetError => usage(`${name}: ${what}; see ${commandName()} ${name} --help`)
  const long = words.slice(0, words.includes('--') ? words.indexOf('--') : words.length).find((word) => longName(word, flags))
  if (long !== undefined) throw wrong(`expected a known option, got ${long} (did you mean '-${long}'?)`)
  // First, for yargs reads nothing more after it.
  const bare = optionWithoutValue(command, words)
  if (bare !== undefined) throw wrong(`expected a value after ${bare}, got nothing`)
  if (textsOf(typed, 'store').includes(''))
    throw wrong('expected a store, got an empty text; a variable of the shell may be unset')
  if (/\bstore\b/.test(wanted)) checkOneStore(typed, words, wrong)
  const names = wanted.split(' ').map((argument) => argument.replace(/[^\w]/g, ''))
  const required = wanted.split(' ').filter((argument) => argument.startsWith('<')).length
  const got = names.filter((argument) => [typed[argument] ?? []].flat().length > 0).length
  if (got < required) throw wrong(got === 0 && missing !== undefined ? missing : `expected ${wanted}, got ${got} of them`)
  // yargs takes `--maxPages` for `--max-pages`, and gives both.
  const inCamelCase = optionNames(flags).map((option) => option.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase()))
  const known = new Set(['_', ...names, ...optionNames(flags), ...inCamelCase])
  const unknown = Object.keys(typed).find((key) => !known.has(key))
  if (unknown !== undefined) {
    const meant = didYouMean(unknown, [...optionNames(flags).filter((option) => option.length > 1), 'help']).replace("'", "'--")
    throw wrong(`expected a known option, got ${unknown.length === 1 ? '-' : '--'}${unknown}${meant}`)
  }
  const [extra] = typed['_'] as readonly string[]
  if (extra !== undefined) throw wrong(`expected no more arguments, got '${extra}'`)
}

/** A store may be an argument or an option; of two that differ one would do nothing. */
function checkOneStore(typed: Typed, words: readonly string[], wrong: (what: string) => AvocetError): void {
  const at = words.findLastIndex((word) => word === '--store' || word.startsWith('--store='))
  const end = words.indexOf('--')
  if (at < 0 || (end >= 0 && at > end)) return
  const option = words[at]?.startsWith('--store=') === true ? words[at].slice('--store='.length) : words[at + 1]
  const store = textOf(typed, 'store')
  if (store === option) return
  const [one, other] = [store ?? '', option ?? ''].map(withoutSecrets)
  const inUrl = isFar(option ?? '') && mayNameCrawl(store ?? '') ? `, or name the crawl in the URL: ?crawl=${store ?? ''}` : ''
  throw wrong(`expected one store, got ${one ?? ''} and --store ${other ?? ''}; leave one out${inUrl}`)
}

function withoutSecrets(store: string): string {
  return !isFar(store) ? store : URL.canParse(store) ? shownStore(store) : 'a URL'
}

/** The first option that wants a value and is followed by none: by nothing, or by another option. */
function optionWithoutValue(command: AnyCommand, words: readonly string[]): string | undefined {
  const end = words.indexOf('--')
  const options = end < 0 ? words : words.slice(0, end)
  return options.find(
    (word, index) => valueOption(command, word) !== undefined && /^-[^0-9]/.test(options[index + 1] ?? '--none'),
  )
}

function usage(message: string): AvocetError {
  return new AvocetError('AVO_USAGE', message)
}
