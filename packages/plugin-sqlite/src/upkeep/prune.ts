// Removes old items that a later visit of their page has replaced, and old changes that a later one of their item followed, a few at a time beside a crawl.
//
// An item has no time of its own: a hundred marks say up to which number there were items at a moment. The space is used again, and `compact` gives it back.
import type { Frontier } from '@avocet/core/store'
import type { Database } from '../file/driver.ts'

/** The marks of one period of keeping. */
const MARKS = 100
/** Items, or changes, that are looked at in one transaction: 1 to 3 ms. */
const MOST = 256

const NOTE_AGE = `INSERT INTO item_age (seq, at, bytes, items) SELECT seq, @now, (page_count - freelist_count) * page_size, (SELECT items FROM crawl)
  FROM (SELECT seq FROM item ORDER BY seq DESC LIMIT 1), pragma_page_count, pragma_freelist_count, pragma_page_size
  WHERE NOT EXISTS (SELECT 1 FROM item_age WHERE at > @now - @itemsMs / ${MARKS}) ON CONFLICT DO NOTHING`
const OLD = 'SELECT coalesce(max(seq), 0) FROM item_age WHERE at <= @now - @itemsMs'
const LAST = `SELECT seq FROM item WHERE seq > @afterSeq AND seq <= @upToSeq ORDER BY seq LIMIT 1 OFFSET ${MOST - 1}`
const REMOVE = `DELETE FROM item WHERE seq IN (SELECT i.seq FROM item i WHERE i.seq > @afterSeq AND i.seq <= @upToSeq AND i.seq < (SELECT max(seq) FROM item)
  AND EXISTS (SELECT 1 FROM item n WHERE n.request = i.request AND n.visit > i.visit)
  AND NOT EXISTS (SELECT 1 FROM reject j WHERE j.request = i.request AND j.visit = i.visit AND j.ordinal = i.ordinal AND j.json IS NULL))`

type Prune = NonNullable<Frontier['prune']>

/** Within a transaction. */
export function prune(db: Database, { now, itemsMs, upToSeq, afterSeq }: Parameters<Prune>[0]): Awaited<ReturnType<Prune>> {
  const moment = { now: Math.round(now), itemsMs }
  // Of a clock that was ahead.
  db.prepare('DELETE FROM item_age WHERE at > ?').run(moment.now)
  db.prepare(NOTE_AGE).run(moment)
  const oldSeq = db.prepare<unknown[], number>(OLD).pluck().get(moment) ?? 0
  db.prepare('DELETE FROM item_age WHERE seq < ?').run(oldSeq)
  const end = Math.min(oldSeq, upToSeq)
  if (end <= afterSeq) return { afterSeq, oldSeq }
  const last = db.prepare<unknown[], number>(LAST).pluck().get({ afterSeq, upToSeq: end }) ?? end
  const { changes } = db.prepare(REMOVE).run({ afterSeq, upToSeq: last })
  if (changes > 0) db.prepare('UPDATE crawl SET items_gone = items_gone + ?').run(changes)
  return { afterSeq: last, oldSeq }
}

// By number, so that neither reads more of the table than what it looks at.
const LAST_OLD = `SELECT max(seq) FROM (SELECT seq, at FROM change WHERE seq > @afterSeq AND seq <= @upToSeq ORDER BY seq LIMIT ${MOST}) WHERE at < @before`
const REMOVE_CHANGES = `DELETE FROM change WHERE seq > @afterSeq AND seq <= @last AND at < @before
  AND EXISTS (SELECT 1 FROM change n WHERE n.key = change.key AND n.host = change.host AND n.seq > change.seq)`

type PruneChanges = NonNullable<Frontier['pruneChanges']>

/** Within a transaction. */
export function pruneChanges(db: Database, wish: Parameters<PruneChanges>[0]): number {
  const last = db.prepare<unknown[], number | null>(LAST_OLD).pluck().get(wish)
  if (typeof last !== 'number') return wish.afterSeq
  const { changes } = db.prepare(REMOVE_CHANGES).run({ ...wish, last })
  if (changes > 0) db.prepare('UPDATE crawl SET changes_gone = changes_gone + ?').run(changes)
  return last
}
