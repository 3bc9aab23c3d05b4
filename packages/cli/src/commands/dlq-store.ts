// The store that `avocet dlq` works on. A word that is neither a store nor a page is a mistake, and must not become a store of that name.
import { existsSync } from 'node:fs'
import { AvocetError } from '@avocet/core'
import { openReader } from '@avocet/plugin-sqlite'
import { existingStore } from '../load/store-path.ts'
import { formatCount } from '../text/quantity.ts'
import { countsByClass } from './dlq-letters.ts'
import { CLASSES } from './dlq-options.ts'
import { withReader } from './with-reader.ts'

/** Its path; `given` as of `existingStore`. Throws AVO_USAGE for a word that names nothing, AVO_FRONTIER_… for what is no store. */
export async function dlqStore(folder: string, given: string | undefined): Promise<string> {
  const path = await existingStore(folder, given)
  if (given !== undefined && !existsSync(path) && !/[/\\]|\.db$/.test(given)) throw await unknown(folder, given)
  // Opened to be written to, what is not there would be made.
  await (await openReader(path)).close()
  return path
}

async function unknown(folder: string, word: string): Promise<AvocetError> {
  const hints = CLASSES.some((name) => name === word) ? [`its pages: --class ${word}`] : []
  // Where there is no store to look into, or more than one, there is nothing to add.
  const there = await withReader(folder, undefined, async (reader) => ({
    host: await reader.host(word.toLowerCase()),
    counts: [...(await countsByClass(reader))].map(([name, count]) => `${formatCount(count)} ${name}`).join(', '),
  })).catch(() => undefined)
  if (there?.host !== undefined) hints.push(`its pages: --host ${there.host.hostKey}`)
  if (there !== undefined) hints.push(there.counts === '' ? 'nothing was given up' : `given up are ${there.counts}`)
  const hint = hints.length > 0 ? `; ${hints.join('; ')}` : ''
  return new AvocetError('AVO_USAGE', `dlq: expected the URL of a page or the path of a store, got '${word}'${hint}`)
}
