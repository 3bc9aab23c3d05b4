// A command as the command line knows it before it runs: its words, its help, and how to begin it.
//
// Declaring loads nothing: `run` imports what it needs, so that `--help` does not pay for a database, nor `status` for an HTTP client.
import type { Argv, Options } from 'yargs'
import type { ExitCode } from '../exit-code.ts'
import type { Place } from '../place.ts'

/** What yargs gives: by option name, a value or an array of them when it was typed more than once. */
export type Typed = Readonly<Record<string, unknown>>

/** By option name: the variable of the environment that said what was not typed. */
export type Variables = Readonly<Record<string, string>>

/** One command. */
export interface DeclaredCommand<Wish = unknown> {
  readonly name: string
  /** Its arguments as yargs writes them: `<target>`, `[store]`. */
  readonly arguments: string
  /** One line in the list of commands. */
  readonly summary: string
  /** What help begins with: commands that work, one a line. */
  readonly examples: readonly string[]
  readonly flags: Readonly<Record<string, Options>>
  /** Describes its arguments, and adds what stands below the options. */
  describe?(parser: Argv): Argv
  /** What is missing when it is typed alone. */
  readonly missing?: string
  /** Whether its options may stand in the environment, as `AVOCET_…`. */
  readonly readsEnvironment?: true
  /** `variables`: by option name, which variable said what was not typed. Throws AVO_USAGE in one line, with what was probably meant. */
  read(typed: Typed, variables: Variables): Wish
  run(wish: Wish, place: Place): Promise<ExitCode | void>
}

/** A command with what was typed: all that is left is to run it. */
export interface ReadCommand {
  readonly name: string
  readonly options: unknown
  run(place: Place): Promise<ExitCode>
}

/** Joins a declared command with what was typed. */
export function readWith<Wish>(command: DeclaredCommand<Wish>, typed: Typed, variables: Variables): ReadCommand {
  const options = command.read(typed, variables)
  return { name: command.name, options, run: async (place) => (await command.run(options, place)) ?? 0 }
}
