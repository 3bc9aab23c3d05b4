// A look over a store that a crawl is about to open. SQLite notices a damaged page when it meets one, but not pages in each other's place, rows of other types
// or in the wrong order: it would look for a row, not find it, and a page would be lost or fetched twice without a word.
//
// What it costs is bounded: a store of up to 64 MiB is looked over as a whole (0.3 s), of a larger one the tables that all else depends on, which grow with the
// hosts. Whether the last run ended well says little about a disk, so it is always done. Of the small one it is also recounted what waits and what is done: a
// page of the queue in whose place an empty one stands would end the crawl as done. Indexes are not compared with their tables; `avocet verify` does all of it.
import { statSync } from 'node:fs'
import type { Database } from '../file/driver.ts'
import { RULES } from './rules.ts'

const MAX_WHOLE_BYTES = 64 * 1_048_576
const ALWAYS = ['crawl', 'host', 'handler', 'reason', 'sink', 'process', 'crawl_memory'] as const

/** One scan of each of the tables of what waits and of what was tried. */
const RECOUNTED: ReadonlySet<string> = new Set([
  'every waiting request is in one queue',
  'what is done, moved and failed is recounted',
])
/** A few rows. */
const ALWAYS_HOLDS = 'the memory of the crawl is not that of hosts'

/** Throws what `storeError` takes for a damaged store. Within a transaction, or other processes change it meanwhile. */
export function quickCheck(db: Database, path: string): void {
  const isSmall = path === ':memory:' || statSync(path).size <= MAX_WHOLE_BYTES
  const checks = isSmall ? ['quick_check(1)'] : ALWAYS.map((table) => `quick_check('${table}')`)
  for (const check of checks) {
    const said = String(db.pragma(check, { simple: true }))
    if (said !== 'ok') throw damaged(said.replaceAll('\n', ' '))
  }
  const rules = Object.entries(RULES).filter(([rule]) => rule === ALWAYS_HOLDS || (isSmall && RECOUNTED.has(rule)))
  for (const [rule, query] of rules) if (db.prepare(query).get() !== undefined) throw damaged(`this does not hold: ${rule}`)
}

function damaged(said: string): Error {
  return Object.assign(new Error(`quick check: ${said}`), { code: 'SQLITE_CORRUPT' })
}
