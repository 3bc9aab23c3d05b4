// The command line as a function. What needs nothing of a crawl, the version and the list of commands, is answered here: core takes longer to load than that.
import { readFile } from 'node:fs/promises'
import { helpOfAll } from './command-line/command-help.ts'
import type { ExitCode } from './exit-codes.ts'
import { screenColumns } from './text/columns.ts'

/**
 * Runs `avocet` with `words` (without node and script).
 *
 * @returns the exit code; see `avocet help exit-codes`.
 */
export async function main(words: readonly string[]): Promise<ExitCode> {
  keepAlive()
  const text = await shortAnswer(words)
  if (text === undefined) return (await import('./run-command-line.ts')).runCommandLine(words)
  const error = await new Promise<Error | null | undefined>((written) => process.stdout.write(text, written))
  return error ? unwritable(error) : 0
}

/** Undefined for what is not all there is to type. */
async function shortAnswer(words: readonly string[]): Promise<string | undefined> {
  const [word = '--help', ...more] = words
  if (word === '--version' || word === '-v') return `${await version()}\n`
  if (more.length > 0 || !['--help', '-h', 'help'].includes(word)) return undefined
  return `${helpOfAll(screenColumns(process.stdout)).join('\n')}\n`
}

async function unwritable(error: Error): Promise<ExitCode> {
  const { outputError } = await import('./output/write-to.ts')
  const { told } = await import('./run-command-line.ts')
  return told(() => Promise.reject(outputError(error)))
}

/** What would otherwise kill the process without a word. */
function keepAlive(): void {
  // A reader that goes away: the next write says so, in writeTo.
  process.stdout.on('error', () => undefined)
  process.stderr.on('error', () => undefined)
  // A file that may not grow any more (ulimit -f): the write then fails like one on a full disk.
  process.on('SIGXFSZ', () => undefined)
}

async function version(): Promise<string> {
  const text = await readFile(new URL('../package.json', import.meta.url), 'utf8')
  return String((JSON.parse(text) as { version: unknown }).version)
}
