// `avocet help TOPIC`: what does not fit into a list of options. Help of a command is that of its `--help` (read-command-line.ts).
import { EXIT_CODES, type DeclaredCommand, CRAWL_FLAGS } from '@avocet/project/command'
import { parseWord, textOf } from '@avocet/project/options'
import { print } from '@avocet/project/place'
import { fold, screenColumns } from '@avocet/project/text'
import { optionLines, rareOf } from './command-help.ts'

/** Of the code and the gap behind it. */
const CODE_COLUMNS = 5

/** The text for a screen of so many columns. */
const TOPICS: Readonly<Record<string, (columns: number) => string>> = {
  'exit-codes': (columns) =>
    Object.entries(EXIT_CODES)
      .flatMap(([code, meaning]) =>
        fold(meaning, columns - CODE_COLUMNS).map((line, n) => (n === 0 ? code : '').padStart(3) + `  ${line}`),
      )
      .join('\n'),
  'crawl-options': (columns) =>
    ['Options of avocet crawl that few crawls need:', ...optionLines(rareOf(CRAWL_FLAGS), columns)].join('\n'),
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
