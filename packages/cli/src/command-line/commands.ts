// All commands, declared: in the order of COMMAND_LIST, which says what each is for.
import { FETCH, NEW, PARSE, SHELL } from '@avocet/dev'
import { anyCommand, CRAWL_FLAGS, EXIT_CODES, type AnyCommand, type DeclaredCommand } from '@avocet/project/command'
import { parseWord, textOf } from '@avocet/project/options'
import { print } from '@avocet/project/place'
import { fold, screenColumns } from '@avocet/project/text'
import { CHANGES } from '../changes/command.ts'
import { CHECK } from '../check/command.ts'
import { ACCEPT_COMMAND, ADD, HOST, PAUSE, RESUME, STOP } from '../control/command.ts'
import { CRAWL } from '../crawl/command.ts'
import { FAILED } from '../failed/command.ts'
import { EXPORT } from '../export/command.ts'
import { IDENTITY } from '../identity/command.ts'
import { REJECTS_COMMAND } from '../rejects/command.ts'
import { REPLAY } from '../replay/command.ts'
import { REPORT } from '../report/command.ts'
import { SCOPE } from '../scope/command.ts'
import { HOSTS, STATUS } from '../store/command.ts'
import { UI } from '../ui/command.ts'
import { STORE } from '../upkeep/command.ts'
import { WHY } from '../why/command.ts'
import { optionLines, rareOf } from './command-help.ts'

// `avocet help TOPIC`: what does not fit into a list of options. Help of a command is that of its `--help` (read-command-line.ts).

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
const HELP: DeclaredCommand<string> = {
  name: 'help',
  arguments: '[topic]',
  examples: ['avocet help crawl', 'avocet help exit-codes'],
  flags: {},
  read: (typed) => parseWord(textOf(typed, 'topic') ?? '', 'help', HELP_TOPICS),
  run: (topic, { stdout }) => print(stdout, (TOPICS[topic]?.(screenColumns(stdout)) ?? '').split('\n')),
}

/** Every command. */
export const COMMANDS: readonly AnyCommand[] = [
  anyCommand(CRAWL),
  anyCommand(CHECK),
  anyCommand(STATUS),
  anyCommand(UI),
  anyCommand(REPORT),
  anyCommand(EXPORT),
  anyCommand(NEW),
  anyCommand(FETCH),
  anyCommand(PARSE),
  anyCommand(REPLAY),
  anyCommand(SHELL),
  anyCommand(PAUSE),
  anyCommand(RESUME),
  anyCommand(STOP),
  anyCommand(HOST),
  anyCommand(ACCEPT_COMMAND),
  anyCommand(ADD),
  anyCommand(HOSTS),
  anyCommand(WHY),
  anyCommand(CHANGES),
  anyCommand(FAILED),
  anyCommand(REJECTS_COMMAND),
  anyCommand(SCOPE),
  anyCommand(IDENTITY),
  anyCommand(STORE),
  anyCommand(HELP),
]
