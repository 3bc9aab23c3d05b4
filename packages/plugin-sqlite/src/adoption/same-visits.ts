// Whether a store was visited since it was copied: what --again makes of a store is no visit, and a crawl of it is one.
import { BLOCKING_MS, connect } from '../file/connect.ts'
import { storeError } from '../file/store-error.ts'

interface LastVisit {
  readonly created_at: number
  readonly run: number | null
  readonly visits: number
}

const LAST = 'SELECT created_at, (SELECT max(run) FROM attempt) AS run, (SELECT count(run) FROM attempt) AS visits FROM crawl'

/** Whether the stores at `path` and `other` are of one crawl, and none was visited since the other was. Throws AVO_FRONTIER_… for one that cannot be read. */
export async function haveSameVisits(path: string, other: string): Promise<boolean> {
  const [one, two] = [await lastVisitOf(path), await lastVisitOf(other)]
  return one !== undefined && JSON.stringify(one) === JSON.stringify(two)
}

/** A connection that may write leaves no file of SQLite's behind when it is closed. */
async function lastVisitOf(path: string): Promise<LastVisit | undefined> {
  const db = await connect(path, { synchronous: 'full', maxBytes: Infinity, openingMs: BLOCKING_MS, readonly: false })
  try {
    return db.prepare<unknown[], LastVisit>(LAST).get()
  } catch (thrown) {
    throw storeError(thrown, path)
  } finally {
    db.close()
  }
}
