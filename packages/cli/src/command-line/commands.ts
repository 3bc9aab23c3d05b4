// All commands, in the order in which help lists them.
import { BENCH } from '../bench/command.ts'
import { CHECK, LIST } from '../check/command.ts'
import { CONFIG } from '../config/command.ts'
import { CRAWL } from '../crawl/command.ts'
import { DLQ } from '../dlq/command.ts'
import { EXPORT } from '../export/command.ts'
import { FETCH } from '../fetch/command.ts'
import { NEW } from '../new/command.ts'
import { anyCommand, type AnyCommand } from '../options/declared-command.ts'
import { PARSE } from '../parse/command.ts'
import { REPORT } from '../report/command.ts'
import { SCOPE } from '../scope/command.ts'
import { SHELL } from '../shell/command.ts'
import { SIMULATE } from '../simulate/command.ts'
import { HOSTS, RESCUE, STATUS, VERIFY } from '../store/command.ts'
import { WHY } from '../why/command.ts'
import { COMPLETION } from './completion.ts'
import { HELP } from './help.ts'

/** Every command. */
export const COMMANDS: readonly AnyCommand[] = [
  anyCommand(CRAWL),
  anyCommand(FETCH),
  anyCommand(PARSE),
  anyCommand(SHELL),
  anyCommand(STATUS),
  anyCommand(HOSTS),
  anyCommand(WHY),
  anyCommand(DLQ),
  anyCommand(SCOPE),
  anyCommand(REPORT),
  anyCommand(EXPORT),
  anyCommand(VERIFY),
  anyCommand(RESCUE),
  anyCommand(SIMULATE),
  anyCommand(LIST),
  anyCommand(CHECK),
  anyCommand(CONFIG),
  anyCommand(NEW),
  anyCommand(BENCH),
  anyCommand(COMPLETION),
  anyCommand(HELP),
]
