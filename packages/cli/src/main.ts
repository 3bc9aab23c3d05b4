// The command line from its words to its exit code: the one place where an error becomes a line on stderr.
import { readFile } from 'node:fs/promises'
import { AvocetError } from '@avocet/core'
import { messageOf, systemClock } from '@avocet/core/store'
import { readCommandLine } from './command-line/read-command-line.ts'
import { exitCodeOfError, type ExitCode } from './exit-code.ts'
import { print, say } from './output/people.ts'
import type { Place } from './place.ts'
import { messageAsCalled } from './text/command-line.ts'
import { paintFor } from './text/paint.ts'
import { printable } from './text/printable.ts'

/**
 * Runs `avocet` with `words` (without node and script).
 *
 * @returns the exit code; see `avocet help exit-codes`.
 */
export async function main(words: readonly string[]): Promise<ExitCode> {
  const { stdin, stdout, stderr } = process
  const place: Place = { stdin, stdout, stderr, folder: process.cwd(), clock: systemClock(), paint: paintFor(stderr) }
  keepAlive()
  try {
    return await run(words, place)
  } catch (error) {
    // As git and cat, which the signal ends: without a word, and a script that looks can know.
    if (error instanceof AvocetError && error.code === 'AVO_OUTPUT_CLOSED') return exitCodeOfError(error.code)
    say(stderr, `${place.paint('bad', 'avocet:')} ${lineOf(error)}`)
    return error instanceof AvocetError ? exitCodeOfError(error.code) : 1
  }
}

async function run(words: readonly string[], place: Place): Promise<ExitCode> {
  if (words[0] === '--version' || words[0] === '-v') {
    await print(place.stdout, await version())
    return 0
  }
  return (await readCommandLine(words)).run(place)
}

/** What would otherwise kill the process without a word. */
function keepAlive(): void {
  // A reader that goes away: the next write says so, in writeTo.
  process.stdout.on('error', () => undefined)
  process.stderr.on('error', () => undefined)
  // A file that may not grow any more (ulimit -f): the write then fails like one on a full disk.
  process.on('SIGXFSZ', () => undefined)
}

/** One line, and for a defect of ours the place where it happened. */
function lineOf(error: unknown): string {
  if (error instanceof AvocetError) return `${printable(messageAsCalled(error))} (${error.code})`
  const place = error instanceof Error ? (error.stack ?? '').split('\n').find((row) => row.trim().startsWith('at ')) : undefined
  return `this should not happen: ${printable(messageOf(error))}${place === undefined ? '' : ` ${printable(place.trim())}`} (AVO_INTERNAL)`
}

async function version(): Promise<string> {
  const text = await readFile(new URL('../package.json', import.meta.url), 'utf8')
  return String((JSON.parse(text) as { version: unknown }).version)
}
