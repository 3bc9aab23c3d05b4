// All commands, declared: in the order of COMMAND_LIST, which says what each is for.
import { anyCommand, type AnyCommand } from '@avocet/project/command'
import { FETCH, NEW, PARSE, SHELL, SIMULATE } from '@avocet/dev'
import { CHECK, LIST } from '../check/command.ts'
import { CONFIG } from '../config/command.ts'
import { ADD, HOST, PAUSE, RESUME, STOP } from '../control/command.ts'
import { CRAWL } from '../crawl/command.ts'
import { DLQ } from '../dlq/command.ts'
import { EXPORT } from '../export/command.ts'
import { FILES } from '../files/command.ts'
import { REJECTS_COMMAND } from '../rejects/command.ts'
import { REPLAY } from '../replay/command.ts'
import { REPORT } from '../report/command.ts'
import { SCOPE } from '../scope/command.ts'
import { BACKUP, COMPACT } from '../upkeep/command.ts'
import { HOSTS, MOVE, STATUS, VERIFY } from '../store/command.ts'
import { UI } from '../ui/command.ts'
import { WHY } from '../why/command.ts'
import { HELP } from './help.ts'

/** Every command. */
export const COMMANDS: readonly AnyCommand[] = [
  anyCommand(CRAWL),
  anyCommand(CHECK),
  anyCommand(STATUS),
  anyCommand(UI),
  anyCommand(REPORT),
  anyCommand(EXPORT),
  anyCommand(FILES),
  anyCommand(NEW),
  anyCommand(LIST),
  anyCommand(FETCH),
  anyCommand(PARSE),
  anyCommand(REPLAY),
  anyCommand(SHELL),
  anyCommand(SIMULATE),
  anyCommand(PAUSE),
  anyCommand(RESUME),
  anyCommand(STOP),
  anyCommand(HOST),
  anyCommand(ADD),
  anyCommand(HOSTS),
  anyCommand(WHY),
  anyCommand(DLQ),
  anyCommand(REJECTS_COMMAND),
  anyCommand(SCOPE),
  anyCommand(CONFIG),
  anyCommand(BACKUP),
  anyCommand(COMPACT),
  anyCommand(MOVE),
  anyCommand(VERIFY),
  anyCommand(HELP),
]
