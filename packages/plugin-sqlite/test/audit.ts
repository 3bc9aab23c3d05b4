// Recounts a store: every total against the rows that it is the total of, every waiting request in exactly one queue.
import Database from 'better-sqlite3'
import { RULES } from '../src/verify/rules.ts'

/** Names of the rules that do not hold, SQLite's own check among them. */
export function audit(path: string): string[] {
  const db = new Database(path)
  try {
    const check = db.pragma('integrity_check', { simple: true })
    const broken = Object.entries(RULES).filter(([, query]) => db.prepare(`${query} LIMIT 1`).get() !== undefined)
    return [...(check === 'ok' ? [] : [String(check)]), ...broken.map(([name]) => name)]
  } finally {
    db.close()
  }
}
