// Raises a store of an earlier version to this one, in one transaction: its contents stay, and the crawl goes on.
import { SEVERAL_WORD } from '@avocet/core/store'
import type { Database } from './driver.ts'
import {
  RECORDS,
  REJECTS,
  SCHEMA_VERSION,
  SINCE_VERSION_3,
  SINCE_VERSION_4,
  SINCE_VERSION_5,
  SINCE_VERSION_6,
  SINCE_VERSION_7,
  SINCE_VERSION_8,
  SINKS,
  VISITED,
} from './schema.ts'

/**
 * SQL that makes rows of `cut` of what version 4 had: rows of `trouble` with the blame 'cut', and '50000 150000' for a target: so many links before the first
 * that waited, and so many from there on. When those pages were fetched first nobody knows. `schema`: of a store, or of rows that a rescue read.
 */
export function cutsOfVersion4(schema: 'main' | 'staged'): string {
  return `
UPDATE ${schema}.attempt SET first_at = 0 WHERE first_at IS NULL AND id IN (SELECT id FROM ${schema}.trouble WHERE blame = 'cut');
INSERT OR IGNORE INTO ${schema}.cut (id, reason, links, waiting, reread) SELECT id, reason, before + waiting, waiting, reread FROM (
  SELECT t.id, t.reason, coalesce(CAST(t.target AS INTEGER), 0) AS before, coalesce(CAST(substr(t.target, instr(t.target, ' ') + 1) AS INTEGER), 0) AS waiting,
  a.state = 0 AS reread FROM ${schema}.trouble t JOIN ${schema}.attempt a ON a.id = t.id WHERE t.blame = 'cut');
DELETE FROM ${schema}.trouble WHERE blame = 'cut';
`
}

/** From each version to the one after it. */
const STEPS: readonly string[] = [
  // 1 to 2: recrawls. The items of version 1 are all of first crawls.
  `ALTER TABLE crawl ADD COLUMN again INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE host ADD COLUMN again INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE item ADD COLUMN visit INTEGER NOT NULL DEFAULT 0;
   DROP INDEX item_once;
   ${VISITED}`,
  // 2 to 3: pages on probation, the last clock, idle processes.
  SINCE_VERSION_3,
  // 3 to 4: processes whose wall clocks differ.
  SINCE_VERSION_4,
  // 4 to 5: when a page was fetched first, and links that wait. Of pages that may have been fetched before, nobody knows when. A rescue may have lost the word
  // for what links wait for: they then wait for any budget.
  `${SINCE_VERSION_5}
   UPDATE attempt SET first_at = 0 WHERE id IN (SELECT id FROM visited WHERE visits > 1);
   INSERT OR IGNORE INTO reason (word) SELECT '${SEVERAL_WORD}' FROM trouble WHERE blame = 'cut' AND reason IS NULL LIMIT 1;
   UPDATE trouble SET reason = (SELECT id FROM reason WHERE word = '${SEVERAL_WORD}') WHERE blame = 'cut' AND reason IS NULL;
   ${cutsOfVersion4('main')}`,
  // 5 to 6: errors in the user's code, by kind. Of pages that failed before, nobody knows the kind.
  SINCE_VERSION_6,
  // 6 to 7: the number of the run. All visits so far were in earlier ones.
  SINCE_VERSION_7,
  // 7 to 8: the last page of what was visited more than once, where that was the last visit. And what is believed to be gone, which version 7 had no mark for:
  // what was in a schedule that ended with it missing or moved for good. Without the mark a restart would ask for it again, or forget that it is gone.
  `${SINCE_VERSION_8}
   UPDATE visited SET page_at = a.fetched_at, page_visit = visits - 1 FROM attempt a WHERE a.id = visited.id AND a.state = 1 AND a.status <> 304;
   UPDATE visited SET missing = -1 WHERE missing = 0 AND NOT EXISTS (SELECT 1 FROM delayed d WHERE d.id = visited.id)
   AND EXISTS (SELECT 1 FROM attempt a WHERE a.id = visited.id AND a.state IN (2, 3) AND a.status IN (301, 308, 404, 410));`,
  // 8 to 9: sinks, of which there were outputs only, what was refused, and records of plugins: there was nothing of these before.
  SINKS + REJECTS + RECORDS,
]

/** Whether a store of this version can be raised. */
export function canBeRaised(version: number): boolean {
  return version >= 1 && version < SCHEMA_VERSION
}

/** Within a transaction. Does nothing to a store of this version. */
export function upgrade(db: Database): void {
  const version = Number(db.pragma('user_version', { simple: true }))
  for (const step of STEPS.slice(version - 1)) db.exec(step)
  db.pragma(`user_version = ${SCHEMA_VERSION}`)
}
