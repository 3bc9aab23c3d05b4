// What handlers got from each host that a replay has pages of, counted again from the pages as the store has them now.
import { replayedYields, type StoredYield } from '@avocet/core/store'
import type { Store } from '../store.ts'
import { batchesById } from './id-batches.ts'

/** The part of a host's memory that has it. */
const PART = 'core'

/** One pass over the requests, for there is no index by host. After `adoptPages`. */
const COUNTED = `CREATE TEMP TABLE counted (host INTEGER NOT NULL, handler INTEGER NOT NULL, pages INTEGER NOT NULL, fruitful INTEGER NOT NULL,
  untouched INTEGER NOT NULL, items INTEGER NOT NULL, PRIMARY KEY (host, handler)) WITHOUT ROWID;
  INSERT INTO temp.counted SELECT r.host, r.handler, coalesce(sum(b.state = 1), 0), coalesce(sum(b.state = 1 AND r.items > 0), 0),
    coalesce(sum(b.state = 1 AND NOT EXISTS (SELECT 1 FROM temp.settled_anew s WHERE s.id = r.id)), 0), sum(r.items)
  FROM (SELECT id, host, handler, (SELECT count(*) FROM main.item i WHERE i.request = q.id) AS items FROM main.request q) r
  LEFT JOIN main.attempt b ON b.id = r.id GROUP BY r.host, r.handler;`
const HOSTS = `SELECT n.host AS there, h.id, m.json, n.json AS replayed FROM replay.host_memory n CROSS JOIN replay.host k ON k.id = n.host CROSS JOIN main.host h ON h.key = k.key
  CROSS JOIN main.host_memory m ON m.host = h.id AND m.part = n.part
  WHERE n.host > ? AND n.part = '${PART}' AND json_valid(m.json) AND json_valid(n.json) ORDER BY n.host LIMIT ?`

interface HostRow {
  readonly id: number
  readonly there: number
  readonly json: string
  readonly replayed: string
}

/** Has the memory of hosts say it. What is damaged stays as it is. */
export async function adoptYields(store: Store): Promise<void> {
  const { db, memories, writer } = store
  db.exec(COUNTED)
  const query = db.prepare<unknown[], HostRow>(HOSTS)
  const stored = db.prepare<unknown[], StoredYield>(
    'SELECT w.word AS handler, c.pages, c.fruitful, c.untouched, c.items FROM temp.counted c CROSS JOIN main.handler w ON w.id = c.handler WHERE c.host = ?',
  )
  const batches = batchesById(
    (after, limit) => query.all(after, limit),
    ({ there }) => there,
  )
  for (const rows of batches) {
    await writer.write('now', () => {
      for (const { id, json, replayed } of rows) memories.setHost(id, { [PART]: replayedYields(json, replayed, stored.all(id)) })
      store.save()
    })
  }
}
