// All commands, in the order in which help lists them.
import { BENCH } from '../bench/command.ts'
import { CHECK, LIST } from '../check/command.ts'
import { CONFIG } from '../config/command.ts'
import { CRAWL } from '../crawl/command.ts'
import { DLQ } from '../dlq/command.ts'
import { EXPORT } from '../export/command.ts'
import { FETCH } from '../fetch/command.ts'
import { IDENTITY } from '../identity/command.ts'
import { NEW } from '../new/command.ts'
import { anyCommand, type AnyCommand } from '../options/declared-command.ts'
import { PARSE } from '../parse/command.ts'
import { REJECTS_COMMAND } from '../rejects/command.ts'
import { REPORT } from '../report/command.ts'
import { SCOPE } from '../scope/command.ts'
import { SHELL } from '../shell/command.ts'
import { SIMULATE } from '../simulate/command.ts'
import { HOSTS, RESCUE, STATUS, VERIFY } from '../store/command.ts'
import { WHY } from '../why/command.ts'
import type { CommandGroup } from './command-help.ts'
import { COMPLETION } from './completion.ts'
import { HELP } from './help.ts'

/** In the order in which help lists them. */
export const COMMAND_GROUPS: readonly CommandGroup[] = [
  {
    title: 'Crawl',
    commands: [anyCommand(CRAWL), anyCommand(CHECK), anyCommand(STATUS), anyCommand(REPORT), anyCommand(EXPORT)],
  },
  {
    title: 'Write a spider',
    commands: [anyCommand(NEW), anyCommand(LIST), anyCommand(FETCH), anyCommand(PARSE), anyCommand(SHELL), anyCommand(SIMULATE)],
  },
  {
    title: 'Find out what happened, and correct it',
    commands: [
      anyCommand(HOSTS),
      anyCommand(WHY),
      anyCommand(DLQ),
      anyCommand(REJECTS_COMMAND),
      anyCommand(SCOPE),
      anyCommand(CONFIG),
    ],
  },
  { title: 'Repair a store', commands: [anyCommand(VERIFY), anyCommand(RESCUE)] },
  { title: 'Other', commands: [anyCommand(IDENTITY), anyCommand(BENCH), anyCommand(COMPLETION), anyCommand(HELP)] },
]

/** Every command. */
export const COMMANDS: readonly AnyCommand[] = COMMAND_GROUPS.flatMap(({ commands }) => commands)
