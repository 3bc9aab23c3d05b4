// What a command is declared with: its options, its help, its exit codes. It loads nothing, so that all can be declared.
export {
  type AnyCommand,
  anyCommand,
  type DeclaredCommand,
  type ReadCommand,
  type Variables,
} from '../options/declared-command.ts'
export {
  CHECK_FLAGS,
  CONFIG_FLAG,
  CRAWL_FLAGS,
  type Flag,
  type Flags,
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
export { EXIT_CODES, type ExitCode } from '../place/exit-codes.ts'
