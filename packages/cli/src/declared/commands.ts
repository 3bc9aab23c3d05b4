// All commands, in the order in which help lists them.
import type { Typed, Variables } from './declared-command.ts'
import { readWith, type DeclaredCommand, type ReadCommand } from './declared-command.ts'
import { CRAWL } from './crawl-command.ts'
import { BENCH } from './bench-command.ts'
import { CHECK } from './check-command.ts'
import { COMPLETION } from './completion-command.ts'
import { CONFIG } from './config-command.ts'
import { DLQ } from './dlq-command.ts'
import { FETCH } from './fetch-command.ts'
import { HELP } from './help-command.ts'
import { NEW } from './new-command.ts'
import { LIST } from './list-command.ts'
import { PARSE } from './parse-command.ts'
import { REPORT } from './report-command.ts'
import { SCOPE } from './scope-command.ts'
import { SHELL } from './shell-command.ts'
import { SIMULATE } from './simulate-command.ts'
import { EXPORT, HOSTS, RESCUE, STATUS, VERIFY, WHY } from './store-commands.ts'

/** A declared command that has forgotten what it wishes for. */
export type AnyCommand = Omit<DeclaredCommand, 'read' | 'run'> & { readWith(typed: Typed, variables: Variables): ReadCommand }

/** Every command. */
export const COMMANDS: readonly AnyCommand[] = [
  any(CRAWL),
  any(FETCH),
  any(PARSE),
  any(SHELL),
  any(STATUS),
  any(HOSTS),
  any(WHY),
  any(DLQ),
  any(SCOPE),
  any(REPORT),
  any(EXPORT),
  any(VERIFY),
  any(RESCUE),
  any(SIMULATE),
  any(LIST),
  any(CHECK),
  any(CONFIG),
  any(NEW),
  any(BENCH),
  any(COMPLETION),
  any(HELP),
]

function any<Wish>(command: DeclaredCommand<Wish>): AnyCommand {
  return { ...command, readWith: (typed, variables) => readWith(command, typed, variables) }
}
