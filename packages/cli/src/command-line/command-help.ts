// What `--help` prints: of a command its arguments, and its options by subject; of `avocet` its commands by subject. Written here and not by yargs,
// which knows no order, and folds nearly every line at 80 columns.
import { optionNames, SUBJECTS, type AnyCommand, type Flag, type Flags } from '@avocet/project/command'
import { columnsOf, fold } from '@avocet/project/text'

/** Wider is hard to read. */
const MAX_COLUMNS = 80

/** What a text needs beside its option; narrower, it is below. */
const MIN_TEXT_COLUMNS = 30

/** A command with fewer options is read from top to bottom: subjects would tear it apart. */
const MANY_OPTIONS = 12
const RARE = 'Rarely needed'

/** A term, and what it means. */
type Row = readonly [term: string, text: string]

/** Help of a command for a screen of so many columns: examples, arguments, options, notes. */
export function commandHelp(command: AnyCommand, columns: number): string[] {
  const { examples, describes = {}, flags, rareTopic, notes = [] } = command
  const width = Math.min(MAX_COLUMNS, columns)
  const shown = rareTopic === undefined ? flags : without(flags, rareOf(flags))
  const sections = [
    ...(Object.keys(describes).length === 0 ? [] : [{ title: 'Arguments', rows: argumentRows(describes) }]),
    ...optionSections(shown),
  ]
  return [
    ...examples,
    '',
    ...sectionLines(sections, width),
    ...(rareTopic === undefined ? [] : fold(`More, in avocet help ${rareTopic}: ${namesOf(rareOf(flags))}`, width)),
    ...(notes.length === 0 ? [] : ['', ...notes.flatMap((line) => fold(line, width))]),
  ]
}

/** Help of all commands. */
export function helpOfAll(columns: number): string[] {
  const width = Math.min(MAX_COLUMNS, columns)
  const sections = COMMAND_LIST.map(({ title, commands }) => ({
    title,
    rows: Object.entries(commands).map(([name, summary]): Row => [`  ${name}`, summary]),
  }))
  return [...FIRST_STEPS, '', ...sectionLines(sections, width), '', ...fold(LAST_WORDS, width)]
}

/** Options that few need. */
export function rareOf(flags: Flags): Flags {
  return Object.fromEntries(Object.entries(flags).filter(([, { subject }]) => subject === RARE))
}

/** Of each option a line, where it fits. */
export function optionLines(flags: Flags, columns: number): string[] {
  return linesOf(optionRows(flags), Math.min(MAX_COLUMNS, columns))
}

const FIRST_STEPS = [
  'avocet crawl https://quotes.example/ -O quotes.jsonl  every page, politely',
  'avocet crawl spider.ts -O offers.csv                  run it again to resume',
]

const LAST_WORDS = 'avocet help explains a COMMAND, exit-codes or crawl-options.'

/** Rows below a title. */
interface Section {
  readonly title: string
  readonly rows: readonly Row[]
}

/** The option that every command has is the last of those that are not rarely needed. */
function optionSections(flags: Flags): readonly Section[] {
  const help: Row = ['  -h, --help', 'Show this help']
  if (Object.keys(flags).length < MANY_OPTIONS) return [{ title: 'Options', rows: [...optionRows(flags), help] }]
  const of = (subject: Flag['subject']): readonly Row[] =>
    optionRows(Object.fromEntries(Object.entries(flags).filter(([, flag]) => flag.subject === subject)))
  // One option is no subject: it is found among those that have none.
  const isAlone = (subject: Flag['subject']): boolean => subject !== RARE && of(subject).length === 1
  const first = { title: 'Options', rows: [...of(undefined), ...SUBJECTS.filter(isAlone).flatMap(of)] }
  const others = SUBJECTS.filter((subject) => !isAlone(subject)).map((title): Section => ({ title, rows: of(title) }))
  const sections = [first, ...others].filter(({ rows }) => rows.length > 0)
  const last = sections.findLastIndex(({ title }) => title !== RARE)
  return sections.map((section, index) => (index === last ? { ...section, rows: [...section.rows, help] } : section))
}

function argumentRows(describes: Readonly<Record<string, string>>): readonly Row[] {
  return Object.entries(describes).map(([name, text]): Row => [`  ${name}`, text])
}

function optionRows(flags: Flags): readonly Row[] {
  return Object.entries(flags)
    .filter(([, { hidden }]) => hidden !== true)
    .map(([name, flag]): Row => [termOf(name, flag), flag.describe ?? ''])
}

/** `  -O, --overwrite FILE` */
function termOf(name: string, flag: Flag): string {
  const names = optionNames({ [name]: flag })
  const short = names.find((each) => each.length === 1)
  const long = names.find((each) => each.length > 1)
  const value = flag.value === undefined ? '' : ` ${flag.value}`
  return `  ${short === undefined ? '    ' : `-${short}, `}--${long ?? ''}${value}`
}

function namesOf(flags: Flags): string {
  return Object.keys(flags)
    .map((name) => `--${name}`)
    .join(', ')
}

/** Texts of all sections below each other. */
function sectionLines(sections: readonly Section[], width: number): string[] {
  // What is rarely needed has the longest names, and must not push the others to the right.
  const usual = sections.filter(({ title }) => title !== RARE)
  const left = Math.max(...usual.flatMap(({ rows }) => rows.map(([term]) => columnsOf(term))))
  return sections.flatMap(({ title, rows }) => [`${title}:`, ...linesOf(rows, width, title === RARE ? undefined : left)])
}

function linesOf(
  rows: readonly Row[],
  width: number,
  left: number = Math.max(...rows.map(([term]) => columnsOf(term))),
): string[] {
  const room = width - left - 2
  return rows.flatMap(([term, text]) => {
    if (room < MIN_TEXT_COLUMNS) return [term, ...fold(`        ${text}`, width)]
    const [first = '', ...more] = fold(text, room)
    return [`${term.padEnd(left)}  ${first}`.trimEnd(), ...more.map((line) => ' '.repeat(left + 2) + line)]
  })
}

function without(flags: Flags, others: Flags): Flags {
  return Object.fromEntries(Object.entries(flags).filter(([name]) => !Object.hasOwn(others, name)))
}

// Which commands there are, and what each is for: all that `avocet --help` needs, so that it loads none of them.

/** In the order in which help lists them; `help` itself is in its last words. */
export const COMMAND_LIST = [
  {
    title: 'Crawl',
    commands: {
      crawl: 'Crawl with a spider, or URLs',
      check: 'Check whether a crawl would run, its values and alerts',
      status: 'Show the progress of a crawl, also while it runs',
      ui: 'Watch crawls in a browser, running or at rest',
      report: 'Report what a crawl did, and how it treated each host',
      export: 'Write all items of a crawl, or a row for each saved file',
    },
  },
  {
    title: 'Write a spider',
    commands: {
      new: 'Create a spider or a plugin, with its test, in this project',
      fetch: 'Fetch one page the way a crawl would',
      parse: 'Run a handler on one page, fetched or recorded',
      replay: 'Run the handlers over kept responses, without a request',
      shell: 'Try selectors and handlers on a page interactively',
    },
  },
  {
    title: 'Steer a crawl, also while it runs',
    commands: {
      pause: 'Pause a crawl',
      resume: 'Resume a crawl that was paused',
      stop: 'Stop all processes of a crawl',
      host: 'Pause, limit or relearn one host',
      accept: 'Publish the items of a host that are held',
      add: 'Add URLs to a crawl',
    },
  },
  {
    title: 'Find out what happened, and correct it',
    commands: {
      hosts: 'List the hosts of a crawl',
      why: 'Explain what is holding back a host or a URL',
      changes: 'List changes of watched items, such as prices',
      failed: 'List, retry or drop failed pages',
      rejects: 'List items that the schema or a sink refused',
      scope: 'List URL patterns that the crawl closed, and open them again',
      identity: 'Make the key that signs requests, and the pages that publish it',
      store: 'Back up, compact or verify the file of a store',
    },
  },
] as const
