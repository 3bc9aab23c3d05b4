// A store that was written by a clock that was ahead: all waits that are not over are moved back, so that what was left of each is left now.
import { SET_BACK_PART, setBackMs } from '@avocet/core/store'
import { NEVER } from '@avocet/store-sql'
import type { Database } from './driver.ts'

/**
 * Moves them if `now` is well before `lastAt`, the latest moment in the store (epoch ms); how far they went back. One transaction, for the caller
 * to begin, before anything else of the store is read, and while no other process has the store open: what it knows would not move. `due_at` of a host follows:
 * it is the later of two moments that move alike.
 */
export function setBack(db: Database, lastAt: number, now: number): number {
  const byMs = Math.round(setBackMs(lastAt, now))
  if (byMs === 0) return 0
  const at = Math.round(now)
  const moved = (table: string, column: string): void => {
    db.prepare(`UPDATE ${table} SET ${column} = max(@at, ${column} - @byMs) WHERE ${column} > @at AND ${column} < ${NEVER}`).run({
      at,
      byMs,
    })
  }
  moved('host', 'ready_at')
  moved('host', 'probe_at')
  moved('host', 'due_at')
  moved('delayed', 'not_before')
  moved('visited', 'due_at')
  moved('visited', 'missing_since')
  // Memory is moved by its owners when the host is leased, however much later that is: by as much as the store is now.
  db.prepare(
    `INSERT INTO host_memory (host, part, json) SELECT DISTINCT host, @part, json_array(@byMs, @at) FROM host_memory WHERE true
     ON CONFLICT (host, part) DO UPDATE SET
     json = iif(json = '', excluded.json, json_array(json_extract(json, '$[0]') + @byMs, @at))`,
  ).run({ part: SET_BACK_PART, byMs, at })
  db.prepare('UPDATE process SET hungry_at = min(hungry_at, @at)').run({ at })
  db.prepare('UPDATE crawl SET last_at = @at').run({ at })
  return byMs
}
