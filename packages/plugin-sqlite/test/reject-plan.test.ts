// What reading of rejects costs: the plans that SQLite has for the statements.
import { join } from 'node:path'
import { sqlite } from '@avocet/plugin-sqlite'
import Database from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import { rejectsOf } from '../src/read/reject-rows.ts'
import { temporaryFolder } from './stores.ts'

it('looks for what a sink is to get again in the index of those alone, however many rejects there are', async () => {
  const folder = temporaryFolder()
  onTestFinished(() => folder.dispose())
  const path = join(folder.path, 'teas.db')
  const frontier = sqlite(path)
  await frontier.open({ name: 'teas', hostKeying: 'host' }, 0)
  await frontier.close()
  const db = new Database(path)
  onTestFinished(() => void db.close())
  const used: string[] = []
  const prepare = (sql: string): Database.Statement => {
    const statement = db.prepare(sql)
    const all = statement.all.bind(statement)
    return Object.assign(statement, { all: (...values: unknown[]) => (used.push(sql), all(...values)) })
  }

  const query = { source: 'pg', retried: true, limit: 256 } as const
  rejectsOf({ prepare } as Database.Database, query)

  const bound = { source: 'pg', hostKey: null, afterId: 0, limit: 256 }
  const plan = db.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${used.at(-1)}`).all(bound)
  expect(plan[0]?.detail).toBe('SEARCH j USING INDEX reject_retried (source=? AND rowid>?)')
  expect(plan.filter(({ detail }) => detail.startsWith('SCAN') || detail.includes('TEMP'))).toEqual([])
})
