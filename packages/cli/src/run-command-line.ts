// A command line from its words to its exit code: the one place where an error becomes a line on stderr.
import { AvocetError } from '@avocet/core'
import { messageOf, systemClock } from '@avocet/core/store'
import { readCommandLine } from './command-line/read-command-line.ts'
import { exitCodeOfError } from './exit-code.ts'
import type { ExitCode } from './exit-codes.ts'
import { say } from './output/people.ts'
import type { Place } from './place.ts'
import { toldOfSlowStores } from './store-kinds/slow-stores.ts'
import { messageAsCalled } from './text/command-line.ts'
import { paintFor } from './text/paint.ts'
import { printable } from './text/printable.ts'

/** Runs the command that `words` ask for. Never throws. */
export function runCommandLine(words: readonly string[]): Promise<ExitCode> {
  return told(async (place) => (await readCommandLine(words)).run(place))
}

/** Gives the exit code of `work`, and says what it throws. */
export async function told(work: (place: Place) => Promise<ExitCode>): Promise<ExitCode> {
  const { stdin, stdout, stderr } = process
  const place: Place = { stdin, stdout, stderr, folder: process.cwd(), clock: systemClock(), paint: paintFor(stderr) }
  try {
    const { clock } = place
    return await toldOfSlowStores({ clock, say: (line) => say(stderr, printable(line)) }, () => work(place))
  } catch (error) {
    // As git and cat, which the signal ends: without a word, and a script that looks can know.
    if (error instanceof AvocetError && error.code === 'AVO_OUTPUT_CLOSED') return exitCodeOfError(error.code)
    say(stderr, `${place.paint('bad', 'avocet:')} ${lineOf(error)}`)
    return error instanceof AvocetError ? exitCodeOfError(error.code) : 1
  }
}

/** One line, and for a defect of ours the place where it happened. */
function lineOf(error: unknown): string {
  if (error instanceof AvocetError) return `${printable(messageAsCalled(error))} (${error.code})`
  const place = error instanceof Error ? (error.stack ?? '').split('\n').find((row) => row.trim().startsWith('at ')) : undefined
  return `this should not happen: ${printable(messageOf(error))}${place === undefined ? '' : ` ${printable(place.trim())}`} (AVO_INTERNAL)`
}
