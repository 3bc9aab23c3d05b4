// What may come next on a command line that is being typed: commands, options, and for some of them files and names.
//
// A shell asks with every press of Tab, so nothing is loaded but what is needed, and no spider is run: files are known by their names and text.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { spiderFiles } from '../load/spider-files.ts'
import type { AnyCommand } from '../options/declared-command.ts'
import { valueOption } from '../options/flags.ts'
import { writeTable } from '../output/machines.ts'
import type { Place } from '../place.ts'
import { CLASSES } from '../store/dead-letters.ts'
import { printable } from '../text/printable.ts'
import { COMMAND_LIST } from '../options/command-list.ts'
import { COMMANDS } from './commands.ts'
import { HELP_TOPICS } from './help.ts'

/** Something that may be typed, and one line on it. */
interface Candidate {
  readonly text: string
  readonly summary?: string
}

/** Names to choose from; looked up in a folder. */
type Source = (folder: string) => readonly string[] | Promise<readonly string[]>

const words =
  (...names: readonly string[]): Source =>
  () =>
    names

const STORES: Source = async (folder) => {
  const entries = await readdir(join(folder, '.avocet')).catch((): string[] => [])
  return entries.filter((name) => name.endsWith('.db') && !name.startsWith('.')).map((name) => `.avocet/${name}`)
}

const WEBS: Source = async () => Object.keys((await import('@avocet/simulator')).WORLDS)

const CONFIGS: Source = async (folder) =>
  (await readdir(folder).catch((): string[] => [])).filter((name) => /\bconfig\.(?:[cm]?[jt]s|json)$/.test(name))

/** Of a command: what its arguments may be, one after the other. The last stands for all that follow. */
const ARGUMENTS: Readonly<Record<string, readonly Source[]>> = {
  crawl: [spiderFiles],
  check: [spiderFiles],
  config: [spiderFiles],
  simulate: [spiderFiles],
  status: [STORES],
  hosts: [STORES],
  export: [STORES],
  report: [STORES],
  move: [STORES],
  backup: [STORES],
  compact: [STORES],
  dlq: [words('list', 'retry'), STORES],
  rejects: [words('list', 'retry'), STORES],
  scope: [words('list', 'accept', 'forget')],
  service: [words('print'), words('systemd', 'pm2'), spiderFiles],
  new: [words('spider', 'plugin'), words()],
  completion: [words('bash', 'zsh', 'fish')],
  help: [() => [...HELP_TOPICS, ...COMMANDS.map(({ name }) => name)]],
}

/** By option: what its value may be. */
const VALUES: Readonly<Record<string, Source>> = {
  web: WEBS,
  store: STORES,
  spider: spiderFiles,
  config: CONFIGS,
  scope: words('host', 'domain', 'any'),
  parser: words('parse5', 'fast'),
  events: words('ndjson'),
  'log-level': words('error', 'warn', 'info', 'debug'),
  class: words(...CLASSES, 'all'),
}

/**
 * What may replace the last of `typed` (without the program), which may be empty.
 *
 * @example
 * ```ts
 * await candidatesFor(['cra'], '/work') // [{ text: 'crawl', summary: 'Crawl with a spider, or URLs' }]
 * ```
 */
export async function candidatesFor(typed: readonly string[], folder: string): Promise<readonly Candidate[]> {
  // bash takes --web=x apart, into three words.
  const given = typed.filter((word) => word !== '=')
  const current = given.at(-1) ?? ''
  const [name, ...before] = given.slice(0, -1)
  const found = name === undefined ? commandsAndHelp() : await within(name, { before, current, folder })
  return found.filter(({ text }) => text.startsWith(current))
}

function commandsAndHelp(): readonly Candidate[] {
  const options = [
    { text: '--help', summary: 'Show all commands' },
    { text: '--version', summary: 'Print the version' },
  ]
  const commands = COMMAND_LIST.flatMap((group) => Object.entries<string>(group.commands))
  return [...commands.map(([text, summary]) => ({ text, summary })), ...options]
}

interface Typing {
  /** Between the command and the word that is being typed. */
  readonly before: readonly string[]
  readonly current: string
  readonly folder: string
}

async function within(name: string, { before, current, folder }: Typing): Promise<readonly Candidate[]> {
  const command = COMMANDS.find((one) => one.name === name)
  if (command === undefined) return []
  const waiting = valueOption(command, before.at(-1))
  if (waiting !== undefined) return named(await VALUES[waiting]?.(folder))
  if (current.startsWith('-')) return optionsOf(command)
  const sources = ARGUMENTS[name] ?? []
  const source = sources[Math.min(argumentsIn(command, before), sources.length - 1)]
  return named(await source?.(folder))
}

/** How many of `before` are arguments: neither options nor values of options. */
function argumentsIn(command: AnyCommand, before: readonly string[]): number {
  return before.filter((word, index) => !word.startsWith('-') && valueOption(command, before[index - 1]) === undefined).length
}

function optionsOf({ flags }: AnyCommand): readonly Candidate[] {
  const own = Object.entries(flags).map(([name, { describe }]): Candidate => ({
    text: name.length === 1 ? `-${name}` : `--${name}`,
    ...(describe !== undefined && { summary: describe }),
  }))
  return [...own, { text: '--help', summary: 'Show its options' }]
}

function named(names: readonly string[] = []): readonly Candidate[] {
  return names.map((text) => ({ text }))
}

// The answers that the scripts of `avocet completion` ask for.
//
// A shell puts what it gets on the line that is being typed. The scripts quote it; a name that a terminal would obey, or that would be two answers, is
// not offered at all: no quoting shows it as it is.

/** Prints what may come next, `text<Tab>summary` a line. It never fails: a shell in the middle of a line has no place for an error. */
export async function answerShell(words: readonly string[], { stdout, folder }: Place): Promise<void> {
  const all = await candidatesFor(words, folder).catch(() => [])
  const found = all.filter(({ text }) => printable(text) === text)
  await writeTable(
    stdout,
    found.map(({ text, summary }) => (summary === undefined ? [text] : [text, summary])),
  )
}
