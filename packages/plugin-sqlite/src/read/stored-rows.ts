// The rows of a store, to be copied. Meant for a store at rest: nobody writes meanwhile.
import {
  COPIED_TABLES,
  COPIED_WHOLE,
  copiedColumns,
  copiedRows,
  type CopiedRow,
  type CopiedRows,
  type CopiedTable,
} from '@avocet/store-sql'
import type { Database } from '../file/driver.ts'

/** Columns that are written in another way here. A crawl at rest has no hosts but those whose holder died. */
const WRITTEN = {
  'host.abandoned': 'abandoned OR owner IS NOT NULL',
  'request.fingerprint': 'lower(hex(fingerprint))',
  'attempt.run': 'coalesce(run, 0)',
}

/** All rows. */
export function storedRows(db: Database): AsyncGenerator<CopiedRows> {
  return copiedRows({
    last: (table) =>
      Number(
        db
          .prepare<unknown[], number>(`SELECT coalesce(max(${keyOf(table)}), 0) FROM ${table}`)
          .pluck()
          .get(),
      ),
    rows(table, after, upTo) {
      const select = `SELECT ${copiedColumns(table, WRITTEN)} FROM ${table}`
      const whole = COPIED_WHOLE[table]
      if (whole !== undefined) return db.prepare<unknown[], CopiedRow>(`${select} ${whole}`).all()
      return db
        .prepare<unknown[], CopiedRow>(`${select} WHERE ${keyOf(table)} > +? AND ${keyOf(table)} <= +? ORDER BY 1`)
        .all(after, upTo)
    },
  })
}

function keyOf(table: CopiedTable): string {
  return COPIED_TABLES[table].split(', ')[0] ?? ''
}
