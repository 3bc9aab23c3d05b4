// A command line from its words to its exit code: the one place where an error becomes a line on stderr.
import { AvocetError } from '@avocet/core'
import { messageOf } from '@avocet/core/store'
import type { ExitCode } from '@avocet/project/command'
import { say, placeIn, type CommandProcess, type Place, messageAsCalled } from '@avocet/project/place'
import { printable } from '@avocet/project/text'
import { readCommandLine } from './command-line/read-command-line.ts'
import { exitCodeOfError } from './exit-code.ts'

/** Runs the command that `words` ask for. Never throws. */
export function runCommandLine(words: readonly string[], host: CommandProcess): Promise<ExitCode> {
  return told(words, host, async (place) => (await readCommandLine(words, place)).run(place))
}

/** Gives the exit code of `work`, and says what it throws. */
export async function told(
  words: readonly string[],
  host: CommandProcess,
  work: (place: Place) => Promise<ExitCode>,
): Promise<ExitCode> {
  const place = placeIn(host, words)
  const { stderr } = place
  try {
    return await work(place)
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
