// Stores beside the one that a crawl makes in which patterns were accepted ahead, and which nothing has used: most likely one of another name was meant.
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { acceptedPatterns } from '@avocet/core'
import { openReader } from '@avocet/plugin-sqlite'

/** Opened, at most: a folder may have hundreds. */
const MAX_STORES = 32

/** Their paths; none where there is a store at `path`, which the crawl goes on with. */
export async function unusedStores(path: string): Promise<readonly string[]> {
  if (existsSync(path)) return []
  const folder = dirname(path)
  const names = await readdir(folder).catch((): string[] => [])
  const stores = names.filter((name) => name.endsWith('.db') && name !== basename(path)).slice(0, MAX_STORES)
  const unused = await Promise.all(stores.map(async (name) => ((await isUnused(join(folder, name))) ? [join(folder, name)] : [])))
  return unused.flat()
}

async function isUnused(path: string): Promise<boolean> {
  try {
    const reader = await openReader(path)
    try {
      const { known } = await reader.counts()
      return known === 0 && acceptedPatterns(await reader.crawlMemories()).size > 0
    } finally {
      await reader.close()
    }
  } catch {
    // Of another program, or being made: whoever opens it is told.
    return false
  }
}
