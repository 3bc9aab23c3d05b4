// A command as the command line knows it before it runs: its words, its help, and how to begin it.
//
// Declaring loads nothing: `run` imports what it needs, so that `--help` does not pay for a database, nor `status` for an HTTP client. What a command
// is asked to do is a type of the file that does it, so that the declaration imports the work and never the other way round.
import type { Place } from '../place/place.ts'
import type { Flags } from './flags.ts'
import type { Typed } from './values.ts'

/** One command. */
export interface DeclaredCommand<Wish = unknown> {
  readonly name: string
  /** Its arguments: `<url>` is required, `[store]` is not, `[targets..]` takes several. */
  readonly arguments: string
  /** Of each argument, what it is. */
  readonly describes?: Readonly<Record<string, string>>
  /** What help begins with: commands that work, one a line. */
  readonly examples: readonly string[]
  readonly flags: Flags
  /** The topic of help that explains its options of the subject `Rarely needed`. Absent: they are explained with the others. */
  readonly rareTopic?: string
  /** What help ends with, below the options: lines. */
  readonly notes?: readonly string[]
  /** What is expected when it is typed alone, where an argument is required. */
  readonly missing?: string
  /** Throws AVO_USAGE in one line, with what was probably meant. */
  read(typed: Typed): Wish
  run(wish: Wish, place: Place): Promise<ExitCode | void>
}

/** A declared command without the type of what it is asked to do: it reads what was typed and gives what is left to run. */
export type AnyCommand = Omit<DeclaredCommand, 'read' | 'run'> & { readWith(typed: Typed): ReadCommand }

/** A command with what was typed: all that is left is to run it. */
export interface ReadCommand {
  readonly name: string
  readonly options: unknown
  run(place: Place): Promise<ExitCode>
}

/** Forgets the type of what the command is asked to do. */
export function anyCommand<Wish>(command: DeclaredCommand<Wish>): AnyCommand {
  return {
    ...command,
    readWith(typed) {
      const options = command.read(typed)
      return { name: command.name, options, run: async (place) => (await command.run(options, place)) ?? 0 }
    },
  }
}

// The exit codes of the command, in one table: documented by `avocet help exit-codes`, and never reused for another meaning.

/** What each exit code means. */
export const EXIT_CODES = {
  0: 'finished: no request is waiting',
  1: 'internal error in Avocet, or a process of --processes that dies again and again',
  2: 'invalid command line',
  3: 'invalid configuration, spider or seed',
  4: 'avocet check found a problem that would stop the crawl',
  5: 'a limit (--max-pages, --max-time) ended the run: requests may be left',
  6: 'no page: every page failed, or its host was given up',
  7: 'the store, an output, a sink or the --metrics address cannot be used (full, locked, damaged, taken), or items are missing at the end, and the next run continues; a target of avocet check --alerts did not take its message',
  8: 'every remaining request must wait longer than --patience',
  9: 'all remaining requests belong to hosts that were given up; the next run probes them',
  11: 'in this run, handlers failed on more pages, or the schema or a sink refused more items, than --fail-over allows (10% by default)',
  12: 'avocet status --check: no process crawls, or none was heard from lately',
  69: 'this Node.js is too old',
  130: 'stopped by SIGINT: state saved, run again to resume',
  141: 'standard output was closed, as by head: state saved, run again to resume',
  143: 'stopped by SIGTERM: state saved, run again to resume',
} as const

/** A documented exit code. */
export type ExitCode = keyof typeof EXIT_CODES
