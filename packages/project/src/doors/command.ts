// What a command is declared with: its options, its help, its exit codes. It loads nothing, so that all can be declared.
export { anyCommand, EXIT_CODES } from '../options/declared-command.ts'
export type { AnyCommand, DeclaredCommand, ExitCode, ReadCommand } from '../options/declared-command.ts'
export {
  CONFIG_FLAG,
  CRAWL_FLAGS,
  JSON_FLAG,
  on,
  optionNames,
  OUTPUT_FLAGS,
  PLAN_FLAGS,
  SPIDER_ARGUMENTS,
  STORE_FLAG,
  SUBJECTS,
  switchFlag,
  valueFlag,
  valueOption,
  WHICH_STORE,
} from '../options/flags.ts'
export type { Flag, Flags } from '../options/flags.ts'
