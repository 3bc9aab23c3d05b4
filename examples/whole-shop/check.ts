// Crawls the shop through the real command, kills it if so told, runs it again, and compares what it wrote with what the shop sells.
import { crawlKilled } from '../check/crawl-killed.ts'
import { itemDifferences } from '../check/item-differences.ts'
import { expectedOf } from './site/goods.ts'
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
 * Crawls it. `killAt`: the command gets a SIGKILL while it waits for the answer to the request of this number, and is run again. `built` runs the
 * packages as they are published.
 */
export function crawlWholeShop({ killAt, built = false }: { killAt?: number; built?: boolean } = {}): Promise<Checked> {
  const killsAt = killAt === undefined ? [] : [killAt]
  return crawlKilled({ folder: import.meta.dirname, open: openShop, killsAt, built }, ({ site, written, kills, failed }) => {
    const { signedIn, sentAway } = site.members
    const found = written.map((line) => JSON.parse(line) as unknown)
    const differences = [...itemDifferences(found, expectedOf(site.origin)), ...failed]
    return { found: found.length, signedIn, sentAway, kills, differences }
  })
}
