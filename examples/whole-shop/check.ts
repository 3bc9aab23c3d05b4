// Crawls the shop through the real command, kills it if so told, runs it again, and compares what it wrote with what the shop sells.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { crawlKilled } from '../check/crawl-killed.ts'
import { itemDifferences } from '../check/item-differences.ts'
import type { Found } from './found.ts'
import { expectedOf, PRICE_LIST } from './site/goods.ts'
import { openShop } from './site/server.ts'

/** What came of it. */
export interface Checked {
  readonly found: number
  /** How many times the spider signed in, and was sent away before. */
  readonly signedIn: number
  readonly sentAway: number
  /** Processes that were killed. */
  readonly kills: number
  /** In words: items missing, unexpected or doubled, and what the command said when it failed. Empty when all is well. */
  readonly differences: readonly string[]
}

/**
 * Crawls it. `killAt`: the command gets a SIGKILL while it waits for the answer to the request of this number, and is run again.
 */
export function crawlWholeShop({ killAt }: { killAt?: number } = {}): Promise<Checked> {
  const killsAt = killAt === undefined ? [] : [killAt]
  const shop = { folder: import.meta.dirname, open: openShop, killsAt }
  return crawlKilled(shop, async ({ site, folder, written, kills, failed }) => {
    const { signedIn, sentAway } = site.members
    const found = written.map((line) => JSON.parse(line) as Found)
    const others = found.filter(({ kind }) => kind !== 'document')
    const isListed = found.length === others.length + 1 && (await isSaved(join(folder, '.avocet/whole-shop.files')))
    const differences = [
      ...itemDifferences(others, expectedOf(site.origin)),
      ...(isListed ? [] : ['the price list is not there once']),
      ...failed,
    ]
    return { found: found.length, signedIn, sentAway, kills, differences }
  })
}

/** The price list, and nothing else, is among the files. */
async function isSaved(folder: string): Promise<boolean> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const [path, ...others] = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  return path !== undefined && others.length === 0 && (await readFile(path)).equals(PRICE_LIST)
}
