// `--fresh`: removes a store, if nobody works on it and the user means it.
import { rm, stat } from 'node:fs/promises'
import { createInterface } from 'node:readline/promises'
import { acceptedPatterns, AvocetError, shellWord } from '@avocet/core'
import { openReader } from '@avocet/plugin-sqlite'
import { say } from '../output/people.ts'
import type { Place } from '../place.ts'
import { printable } from '../text/printable.ts'
import { formatCount, formatCountOf } from '../text/quantity.ts'

/** SQLite's companions of a database file. */
const COMPANIONS = ['', '-wal', '-shm', '-journal']

/** Errors of a store that is ours and beyond use: starting over is what helps. */
const BEYOND_USE = new Set(['AVO_FRONTIER_CORRUPT', 'AVO_FRONTIER_VERSION'])

/**
 * Removes the store at `path`. On a terminal it asks first; elsewhere `sure` has to say so.
 *
 * @throws AVO_FRONTIER_BUSY while another process crawls it, AVO_FRONTIER_FOREIGN for a file that is no store, AVO_USAGE without consent.
 */
export async function startOver(path: string, sure: boolean, place: Place): Promise<void> {
  if (!(await exists(path))) return
  const held = await look(path)
  if (held.liveProcesses > 0) {
    throw new AvocetError(
      'AVO_FRONTIER_BUSY',
      `--fresh: expected nobody to work on ${path}, but ${formatCountOf(held.liveProcesses, 'process', 'processes')} do; stop them first`,
    )
  }
  if (!sure && !(await agrees(`forget ${path} (${held.contents})?`, place))) {
    throw new AvocetError('AVO_USAGE', `--fresh: expected consent to forget ${path} (${held.contents}); add --yes`)
  }
  for (const companion of COMPANIONS) await rm(`${path}${companion}`, { force: true })
  if (held.accepted.length === 0) return
  const patterns = held.accepted.map((pattern) => shellWord(printable(pattern))).join(' ')
  say(place.stderr, `--fresh forgot the accepted patterns ${patterns}; for the next run: avocet scope accept --ahead ${patterns}`)
}

/** What is about to be forgotten. */
interface Held {
  readonly liveProcesses: number
  readonly contents: string
  /** Patterns that the user opened again. */
  readonly accepted: readonly string[]
}

async function look(path: string): Promise<Held> {
  try {
    const reader = await openReader(path)
    try {
      const { liveProcesses } = await reader.info()
      const { known, items } = await reader.counts()
      const accepted = [...acceptedPatterns(await reader.crawlMemories())].toSorted()
      const patterns = accepted.length === 0 ? '' : `, ${formatCountOf(accepted.length, 'accepted pattern')}`
      return { liveProcesses, contents: `${formatCount(known)} URLs, ${formatCount(items)} items${patterns}`, accepted }
    } finally {
      await reader.close()
    }
  } catch (error) {
    if (error instanceof AvocetError && BEYOND_USE.has(error.code))
      return { liveProcesses: 0, contents: 'unreadable', accepted: [] }
    if ((await stat(path)).size === 0) return { liveProcesses: 0, contents: 'empty', accepted: [] }
    throw error
  }
}

async function agrees(question: string, { stdin, stderr }: Place): Promise<boolean> {
  if (!stdin.isTTY || !stderr.isTTY) return false
  const terminal = createInterface({ input: stdin, output: stderr })
  try {
    return /^y(?:es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim())
  } finally {
    terminal.close()
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
