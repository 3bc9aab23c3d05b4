// Stands around better-sqlite3: every statement that writes is a fail point.
import Database from 'better-sqlite3'
import type { FailPoints, Misfortune } from './fail-points.ts'
import { pointOfStatement } from './statement-point.ts'

type Call = (...args: unknown[]) => unknown

/** Hangs the door in. For good. `pointsOf` knows the life that a file belongs to. */
export function watchStatements(pointsOf: (path: string) => FailPoints | undefined): void {
  const names = new Map<string, string | undefined>()
  const nameOf = (sql: string): string | undefined => {
    if (!names.has(sql)) names.set(sql, pointOfStatement(sql))
    return names.get(sql)
  }
  const pass = (sql: string, db: Database.Database, call: () => unknown): unknown => {
    const point = nameOf(sql)
    const points = point === undefined ? undefined : pointsOf(db.name)
    if (point === undefined || points === undefined) return call()
    const misfortune = points.before(point)
    if (misfortune !== undefined) fail(misfortune, db, exec)
    const answer = call()
    points.after(point)
    return answer
  }
  const ofDatabase = Database.prototype as unknown as Record<string, Call>
  const exec: Call = ofDatabase['exec'] ?? missing('exec')
  ofDatabase['exec'] = function (this: Database.Database, sql) {
    return pass(String(sql), this, () => exec.call(this, sql))
  }
  const ofStatement = Object.getPrototypeOf(new Database(':memory:').prepare('SELECT 1')) as Record<string, Call>
  for (const method of ['run', 'get', 'all']) {
    const call = ofStatement[method] ?? missing(method)
    ofStatement[method] = function (this: Database.Statement, ...values) {
      return pass(this.source, this.database, () => call.apply(this, values))
    }
  }
}

function missing(method: string): never {
  throw new Error(`expected ${method} of better-sqlite3, got nothing`)
}

/** What SQLite throws; the transaction is gone where SQLite itself would have rolled it back. */
function fail({ deed, rollsBack }: Misfortune, db: Database.Database, exec: Call): never {
  if (rollsBack && db.inTransaction) exec.call(db, 'ROLLBACK')
  throw new Database.SqliteError(`as the torture wants it: ${deed}`, deed)
}
