// What one call reads, while another process of the crawl commits.
import { join } from 'node:path'
import { VirtualClock } from '@avocet/simulator'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FileWatch } from '../src/file/file-watch.ts'
import { Writer } from '../src/file/writer.ts'
import { temporaryFolder } from './stores.ts'

let folder: ReturnType<typeof temporaryFolder>
let db: Database.Database
let other: Database.Database
let writer: Writer

beforeEach(() => {
  folder = temporaryFolder()
  const path = join(folder.path, 'crawl.db')
  db = new Database(path)
  db.pragma('journal_mode = WAL')
  db.exec('CREATE TABLE host (ready INTEGER); INSERT INTO host VALUES (1)')
  other = new Database(path)
  const clock = new VirtualClock()
  const watch = new FileWatch(path, () => clock.monotonic())
  writer = new Writer({ db, path, clock, watch, synchronous: 'normal', lockPatienceMs: 1_000 })
})
afterEach(() => {
  db.close()
  other.close()
  folder.dispose()
})

const ready = (): unknown => db.prepare('SELECT ready FROM host').pluck().get()

describe('a call that only reads', () => {
  it('sees the store as of one moment, whatever another process commits meanwhile', async () => {
    const seen = await writer.look(() => {
      const before = ready()
      other.exec('UPDATE host SET ready = 2')
      return [before, ready()]
    })

    expect(seen).toEqual([1, 1])
    expect(await writer.look(ready)).toBe(2)
  })

  it('holds no moment of the store once it has failed', async () => {
    const failed = writer.look(() => {
      ready()
      throw new Error('as the test wants it')
    })

    await expect(failed).rejects.toThrow('as the test wants it')
    other.exec('UPDATE host SET ready = 2')
    expect(db.inTransaction).toBe(false)
    expect(await writer.look(ready)).toBe(2)
  })
})
