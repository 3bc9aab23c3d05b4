// What reading of rejects costs: the plans that SQLite has for the statements.
import { join } from 'node:path'
import { systemClock } from '@avocet/core/store'
import { sqlite } from '@avocet/plugin-sqlite'
import Database from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import { ProcessTable } from '../src/process/process-table.ts'
import { storeReader } from '../src/read/store-reader.ts'
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
  const prepare = ((sql: string) => {
    used.push(sql)
    return db.prepare(sql)
  }) as Database.Database['prepare']
  const readable = { db: { prepare }, processes: new ProcessTable(db, path) }

  await storeReader(() => readable, path, systemClock()).rejects({ source: 'pg', retried: true, limit: 256 })

  const bound = { 1: 0, 2: 256, 3: 'pg' }
  const plan = db.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${used.at(-1)}`).all(bound)
  expect(plan[0]?.detail).toBe('SEARCH j USING INDEX reject_retried (source=? AND rowid>?)')
  expect(plan.filter(({ detail }) => detail.startsWith('SCAN') || detail.includes('TEMP'))).toEqual([])
})
