// The words behind `avocet failed`: what can be typed, and which store that names.
import { AvocetError } from '@avocet/core'
import { existingStore, type NamedStore, readStore, withReader, storeExists, type DeadLetterClass } from '@avocet/project/store'
import { type Place, commandLine } from '@avocet/project/place'
import { formatCount } from '@avocet/project/text'
import { CLASSES, countsByClass, HEALING } from '../store/dead-letters.ts'
import { knownHost } from '../store/known-host.ts'

/** Its path; `given` as of `existingStore`. Throws AVO_USAGE for a word or a host that names nothing, AVO_FRONTIER_… for what is no store. */
export async function failedStore(place: Place, { store: given, configPath, hostKey }: Partial<FailedOptions>): Promise<string> {
  const path = await existingStore(place, given, configPath)
  if (given !== undefined && !/[/\\]|\.db$/.test(given) && !(await storeExists(path))) throw await unknown(place, given)
  // Opened to be written to, what is not there would be made.
  await readStore(path, async (reader) => hostKey && knownHost(reader, hostKey, { wanted: 'failed --host: expected a host' }))
  return path
}

async function unknown(place: Place, word: string): Promise<AvocetError> {
  const hints = CLASSES.some((name) => name === word) ? [`its pages: --class ${word}`] : []
  // Where there is no store to look into, or more than one, there is nothing to add.
  const there = await withReader(place, {}, async (reader) => ({
    host: (await reader.hosts({ hostKey: word.toLowerCase() }))[0],
    counts: countsLine(await countsByClass(reader)),
  })).catch(() => undefined)
  if (there?.host !== undefined) hints.push(`its pages: --host ${there.host.hostKey}`)
  if (there !== undefined) hints.push(there.counts === '' ? 'nothing has failed' : `failed are ${there.counts}`)
  const hint = hints.length > 0 ? `; ${hints.join('; ')}` : ''
  return new AvocetError('AVO_USAGE', `failed: expected the URL of a page, or the name or path of a store, got '${word}'${hint}`)
}

// What can be typed behind `avocet failed`.

/** What is done with given-up pages. */
export type FailedAction = 'list' | 'retry' | 'drop'

/** What was typed. */
export interface FailedOptions extends NamedStore {
  readonly action: FailedAction
  /** Absent: every class but dropped, or, to retry, those of temporary failures. */
  readonly classes?: readonly DeadLetterClass[]
  readonly hostKey?: string
  /** This page alone; in WHATWG form. */
  readonly url?: string
  readonly limit: number
  readonly json: boolean
}

// How dead letters are counted and requested again, as lines of output.

/** `1 exhausted, 80 handler`. */
export function countsLine(counts: ReadonlyMap<DeadLetterClass, number>): string {
  return [...counts].map(([name, count]) => `${formatCount(count)} ${name}`).join(', ')
}

/** A line, and the command on a line of its own. Without a class, only temporary failures are requested again. */
export function howToRetry(classes: readonly DeadLetterClass[], store: string | undefined): string[] {
  const others = classes.filter((name) => !HEALING.includes(name))
  const [other = ''] = others
  const command = `  ${failedLine('retry', store)}`
  if (others.length === 0) return ['to retry them:', command]
  if (others.length === classes.length) return ['to retry what failed:', `${command} --class ${other}`]
  return [`to retry temporary failures (--class ${other} retries others):`, command]
}

/** `store` as it was typed. */
export function failedLine(action: FailedAction, store: string | undefined): string {
  return commandLine(['failed', action, ...(store === undefined ? [] : [store])])
}
