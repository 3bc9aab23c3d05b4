// Which store the words behind `avocet dlq` name.
import { AvocetError } from '@avocet/core'
import { existingStore } from '../load/store-path.ts'
import type { Place } from '../place.ts'
import { CLASSES, countsByClass } from '../store/dead-letters.ts'
import { knownHost } from '../store/known-url.ts'
import { readStore, withReader } from '../store/open-store.ts'
import { storeExists } from '../store-kinds/store-kinds.ts'
import { formatCount } from '../text/quantity.ts'
import type { DlqOptions } from './dlq-options.ts'

/** Its path; `given` as of `existingStore`. Throws AVO_USAGE for a word or a host that names nothing, AVO_FRONTIER_… for what is no store. */
export async function dlqStore(place: Place, { store: given, hostKey }: Pick<DlqOptions, 'store' | 'hostKey'>): Promise<string> {
  const path = await existingStore(place, given)
  if (given !== undefined && !/[/\\]|\.db$/.test(given) && !(await storeExists(path))) throw await unknown(place, given)
  // Opened to be written to, what is not there would be made.
  await readStore(path, async (reader) => hostKey && knownHost(reader, hostKey, { wanted: 'dlq --host: expected a host' }))
  return path
}

async function unknown(place: Place, word: string): Promise<AvocetError> {
  const hints = CLASSES.some((name) => name === word) ? [`its pages: --class ${word}`] : []
  // Where there is no store to look into, or more than one, there is nothing to add.
  const there = await withReader(place, undefined, async (reader) => ({
    host: await reader.host(word.toLowerCase()),
    counts: [...(await countsByClass(reader))].map(([name, count]) => `${formatCount(count)} ${name}`).join(', '),
  })).catch(() => undefined)
  if (there?.host !== undefined) hints.push(`its pages: --host ${there.host.hostKey}`)
  if (there !== undefined) hints.push(there.counts === '' ? 'nothing was given up' : `given up are ${there.counts}`)
  const hint = hints.length > 0 ? `; ${hints.join('; ')}` : ''
  return new AvocetError('AVO_USAGE', `dlq: expected the URL of a page or the path of a store, got '${word}'${hint}`)
}
