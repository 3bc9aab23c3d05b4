// Readers open whatever a process leaves that was killed: a WAL with or without its index, half a frame at its end, a journal that is to be rolled back.
import { copyFileSync, existsSync, readFileSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import type { Fingerprint, NewRequest } from '@avocet/core/store'
import { openReader, sqlite, verifyStore } from '@avocet/plugin-sqlite'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Crawler } from './child.ts'
import { temporaryFolder } from './stores.ts'

const SPEC = { name: 'killed', hostKeying: 'host' }

function place(): (name: string) => string {
  const folder = temporaryFolder()
  onTestFinished(() => folder.dispose())
  return (name) => join(folder.path, name)
}

function requests(from: number, n: number): NewRequest[] {
  return Array.from({ length: n }, (_, index) => {
    const url = `https://a.example/${from + index}`
    const fingerprint = String(from + index).padStart(16, '0') as Fingerprint
    return { fingerprint, hostKey: 'a.example', url, handler: 'start', depth: 0, priority: 0 }
  })
}

/** Everything that commands ask; how many requests are known. */
async function readAll(path: string): Promise<number> {
  const reader = await openReader(path)
  try {
    await reader.info()
    await reader.hosts({ limit: 99 })
    await reader.requests({ url: 'https://a.example/1' })
    await reader.failures()
    const { known, items } = await reader.counts()
    expect(await reader.requests({ limit: 99_999 })).toHaveLength(known)
    expect(await reader.items({ afterSeq: 0, limit: 99_999 })).toHaveLength(items)
    return known
  } finally {
    await reader.close()
  }
}

describe('a store whose process was just killed', () => {
  it.each(['held', 'committed', 'gave'] as const)(
    'is read, and sound, when the kill came after "%s"',
    async (what) => {
      for (const times of [1, 4, 15]) {
        const path = place()('store.db')
        const crawler = new Crawler(path, { pages: 2_000, hosts: 2, work: 'crawl' })
        await crawler.said(what, times)
        crawler.process.kill('SIGKILL')
        await crawler.gone()

        expect(await readAll(path)).toBeGreaterThan(0)
        expect((await verifyStore(path)).faults).toEqual([])
      }
    },
    60_000,
  )

  it('is read with its WAL, without the index of that, and up to the last whole frame', async () => {
    const at = place()
    const frontier = sqlite(at('live.db'))
    await frontier.open(SPEC, 0)
    await frontier.add(requests(0, 10))
    await frontier.add(requests(10, 10))
    for (const name of ['whole.db', 'bare.db', 'torn.db']) {
      copyFileSync(at('live.db'), at(name))
      copyFileSync(at('live.db-wal'), at(`${name}-wal`))
    }
    copyFileSync(at('live.db-shm'), at('whole.db-shm'))
    truncateSync(at('torn.db-wal'), readFileSync(at('torn.db-wal')).length - 1_000)
    await frontier.close()

    expect(await readAll(at('whole.db'))).toBe(20)
    expect(await readAll(at('bare.db'))).toBe(20)
    expect(await readAll(at('torn.db'))).toBe(10)
  })

  it('is read when its journal is to be rolled back first', async () => {
    const at = place()
    const frontier = sqlite(at('live.db'))
    await frontier.open(SPEC, 0)
    await frontier.add(requests(0, 2_000))
    await frontier.close()
    const writer = new Database(at('live.db'))
    writer.pragma('journal_mode = DELETE')
    // So small that pages are written before the transaction ends.
    writer.pragma('cache_size = 1')
    writer.exec(`BEGIN IMMEDIATE; UPDATE request SET path = path || '-half'; UPDATE crawl SET known = 5`)
    copyFileSync(at('live.db'), at('hot.db'))
    copyFileSync(at('live.db-journal'), at('hot.db-journal'))
    writer.exec('ROLLBACK')
    writer.close()

    expect(await readAll(at('hot.db'))).toBe(2_000)
    expect((await verifyStore(at('hot.db'))).faults).toEqual([])
    expect(existsSync(at('hot.db-journal'))).toBe(false)
  })

  it('stays one to crawl into where it has no table yet, and a journal that is to be rolled back', async () => {
    const at = place()
    const writer = new Database(at('live.db'))
    writer.exec('CREATE TABLE half (json TEXT); DROP TABLE half')
    writer.pragma('cache_size = 1')
    writer.exec(`BEGIN IMMEDIATE; CREATE TABLE half (json TEXT); INSERT INTO half VALUES (hex(zeroblob(100000)))`)
    copyFileSync(at('live.db'), at('hot.db'))
    copyFileSync(at('live.db-journal'), at('hot.db-journal'))
    writer.exec('ROLLBACK')
    writer.close()

    for (let times = 0; times < 2; times++)
      await expect(openReader(at('hot.db'))).rejects.toMatchObject({ code: 'AVO_FRONTIER_MISSING' })
    const frontier = sqlite(at('hot.db'))
    await frontier.open(SPEC, 0)
    await frontier.close()
    expect(await readAll(at('hot.db'))).toBe(0)
  })
})
