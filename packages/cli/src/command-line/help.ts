// `avocet help TOPIC`: what does not fit into a list of options. Help of a command is that of its `--help` (read-command-line.ts).
import { EXIT_CODES } from '../exit-codes.ts'
import type { DeclaredCommand } from '../options/declared-command.ts'
import { CRAWL_FLAGS } from '../options/flags.ts'
import { parseWord, textOf } from '../options/values.ts'
import { print } from '../output/people.ts'
import { fold, screenColumns } from '../text/columns.ts'
import { optionLines, rareOf } from './command-help.ts'

/** Of the code and the gap behind it. */
const CODE_COLUMNS = 5

/** The text for a screen of so many columns: what is not folded here has at most 80. */
const TOPICS: Readonly<Record<string, (columns: number) => string>> = {
  'exit-codes': (columns) =>
    Object.entries(EXIT_CODES)
      .flatMap(([code, meaning]) =>
        fold(meaning, columns - CODE_COLUMNS).map((line, n) => (n === 0 ? code : '').padStart(3) + `  ${line}`),
      )
      .join('\n'),
  output: () => `avocet crawl URL -O items.jsonl  replaces the file; later runs continue it
avocet crawl URL -o items.jsonl  keeps what is in the file, and appends to it
avocet crawl URL -O -            prints all items to stdout, as JSON Lines
avocet crawl URL -o -            prints only items that no run has printed yet
avocet export -O items.csv       writes all items that are in the store now
avocet export -o items.csv       appends all items of the store to the file

.jsonl  one JSON value per line
.json   one array, valid at any time; can be replaced, not appended to
.csv    RFC 4180; columns in order of first appearance; cells that a spreadsheet
        would take for a formula are prefixed with an apostrophe (not with
        --csv-formulas)

A crawl writes every item to a file exactly once, however often it is killed:
the store records how much of the file is written. A file that another process of
the same crawl writes is continued, also with -O. New files are readable by you
only (0600). What is written to a pipe cannot be taken back: after a kill, -o -
prints the items of the last 1 MiB again. A reader that leaves (| head) stops
the crawl with exit code 141; what it may not have read is printed again.`,
  'crawl-options': (columns) =>
    ['Options of avocet crawl that few crawls need:', ...optionLines(rareOf(CRAWL_FLAGS), columns)].join('\n'),
  resuming: () => `The same command resumes where it stopped: the store (.avocet/NAME.db) keeps
every URL, every item and what was learned about every host. A finished crawl
does nothing, unless there are new seeds.

With --every 1h (or recrawl: in the configuration) each page is visited again an
hour after it was last due; the crawl waits for the next visit until --max-time,
--max-pages or Ctrl-C ends it. In a finished crawl, pages that were fetched
longer ago are due at once. The schedule is in the store: a kill does not move
it, and visits missed meanwhile are made once.

--fresh        deletes the store first, after asking (--yes does not ask)
--store PATH   keeps the store elsewhere; :memory: keeps none
avocet replay  runs the handlers over kept responses (--cache keeps them),
               without a request, into a file of its own (-O)
Ctrl-C         waits for requests in flight, at most 30 s, and 2 s where nothing
               comes (once for each request); twice: stops at once
avocet status  shows the progress, also while the crawl runs`,
}

/** What it explains beside commands. */
export const HELP_TOPICS: readonly string[] = Object.keys(TOPICS)

/** `avocet help`. */
export const HELP: DeclaredCommand<string> = {
  name: 'help',
  arguments: '[topic]',
  examples: ['avocet help crawl', 'avocet help exit-codes'],
  flags: {},
  read: (typed) => parseWord(textOf(typed, 'topic') ?? '', 'help', HELP_TOPICS),
  run: (topic, { stdout }) => print(stdout, (TOPICS[topic]?.(screenColumns(stdout)) ?? '').split('\n')),
}
