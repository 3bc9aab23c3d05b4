// Requests that were put back wait for no moment any more: they stay among the delayed, as due since ever.
import type { HastenQuery } from '@avocet/core'
import { STATES } from '../file/schema.ts'
import type { Store } from '../store.ts'

interface DelayedRow {
  readonly id: number
  readonly host: number
  readonly rank: number
}

/** Hastens what `query` names, oldest first; returns how many. Within a transaction. */
export function hasten(store: Store, { reason, now, limit }: HastenQuery): number {
  const { db, hosts, queue, visits } = store
  // Whoever put one back wrote the word down.
  const word = db.prepare<unknown[], number>('SELECT id FROM reason WHERE word = ?').pluck().get(reason)
  if (word === undefined) return 0
  // From the delayed, which are few, to their reasons: a store may know millions of those.
  const delayed = db.prepare<unknown[], DelayedRow>(
    `SELECT d.id, d.host, d.rank FROM delayed d CROSS JOIN trouble t ON t.id = d.id CROSS JOIN attempt a ON a.id = d.id
     WHERE t.reason = ? AND a.state = ${STATES.indexOf('waiting')} AND d.not_before > ? ORDER BY d.id LIMIT ?`,
  )
  let count = 0
  for (const { id, host: hostId, rank } of delayed.all(word, now, limit)) {
    const host = hosts.get(hostId)
    if (host === undefined || (visits.get(host.key)?.out.has(id) ?? false)) continue
    queue.undelay(host, id)
    queue.delay(host, { id, rank }, 0)
    count++
  }
  store.save()
  return count
}
