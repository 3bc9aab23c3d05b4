// The command line as a function. What needs nothing of a crawl, the version and the list of commands, is answered here: core takes longer to load than that.
import { readFile } from 'node:fs/promises'
import type { ExitCode } from '@avocet/project/command'
import type { CommandProcess } from '@avocet/project/place'
import { screenColumns } from '@avocet/project/text'
import { helpOfAll } from './command-line/command-help.ts'

/**
 * Runs `avocet` with `words` (without node and script).
 *
 * @param host whose streams, folder, environment and signals it has.
 * @returns the exit code; see `avocet help exit-codes`.
 */
export async function main(words: readonly string[], host: CommandProcess = process): Promise<ExitCode> {
  keepAlive(host)
  const text = await shortAnswer(words, host)
  if (text === undefined) return (await import('./run-command-line.ts')).runCommandLine(words, host)
  const error = await new Promise<Error | null | undefined>((written) => host.stdout.write(text, written))
  return error ? unwritable(error, host) : 0
}

/** Undefined for what is not all there is to type. */
async function shortAnswer(words: readonly string[], { stdout }: CommandProcess): Promise<string | undefined> {
  const [word = '--help', ...more] = words
  if (word === '--version' || word === '-v') return `${await version()}\n`
  if (more.length > 0 || !['--help', '-h', 'help'].includes(word)) return undefined
  return `${helpOfAll(screenColumns(stdout)).join('\n')}\n`
}

async function unwritable(error: Error, host: CommandProcess): Promise<ExitCode> {
  const { outputError } = await import('@avocet/project/place')
  const { told } = await import('./run-command-line.ts')
  return told([], host, () => Promise.reject(outputError(error)))
}

/** What would otherwise kill the process without a word. */
function keepAlive(host: CommandProcess): void {
  // A reader that goes away: the next write says so, in writeAsIs.
  host.stdout.on('error', () => undefined)
  host.stderr.on('error', () => undefined)
  // A file that may not grow any more (ulimit -f): the write then fails like one on a full disk.
  host.on('SIGXFSZ', () => undefined)
}

async function version(): Promise<string> {
  const text = await readFile(new URL('../package.json', import.meta.url), 'utf8')
  return String((JSON.parse(text) as { version: unknown }).version)
}
