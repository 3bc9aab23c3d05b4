// Crawls the shop through the real command, kills it as often as told, and compares what it wrote with what the shop sells.
import { existsSync } from 'node:fs'
import { crawlKilled, type KilledOptions } from '../check/crawl-killed.ts'
import { itemDifferences } from '../check/item-differences.ts'
import { openAppShop } from './server.ts'
import { expectedOfApp } from './site.ts'

/** What came of it. */
export interface CheckedApp {
  readonly found: number
  /** Processes that were killed. */
  readonly kills: number
  /** In words. Empty when all is well. */
  readonly differences: readonly string[]
  /** Why nothing was tried. */
  readonly skipped?: string
}

const CHROMIUM = process.env['AVOCET_TEST_CHROMIUM'] ?? '/usr/bin/chromium'

/** Crawls it, if there is a browser. */
export async function crawlApp(options: KilledOptions = {}): Promise<CheckedApp> {
  if (!existsSync(CHROMIUM)) return { found: 0, kills: 0, differences: [], skipped: `no browser at ${CHROMIUM}` }
  const example = { folder: import.meta.dirname, open: openAppShop, env: { CHROMIUM } }
  return crawlKilled({ ...example, ...options }, ({ site: { asked }, written, kills, failed }) => {
    const found = written.map((line) => JSON.parse(line) as unknown)
    return {
      found: found.length,
      kills,
      differences: [...itemDifferences(found, expectedOfApp()), ...failed, ...tooOften(asked, kills)],
    }
  })
}

/** A page that was in flight at a kill comes again. No other does. */
function tooOften(asked: ReadonlyMap<string, number>, kills: number): readonly string[] {
  const pages = [...asked].filter(([path, times]) => !path.startsWith('/api/') && times > 1 + kills && path !== '/robots.txt')
  return pages.slice(0, 1).map(([path, times]) => `${path} was requested ${String(times)} times`)
}
