// The one door of @avocet/cli: the command as a function, and its exit codes.

export { main } from './main.ts'
export { EXIT_CODES, type ExitCode } from '@avocet/project/command'
