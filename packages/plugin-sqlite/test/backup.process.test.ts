// A backup of a store: of one moment, whole, sound, and good to go on with, also where a process crawls while it is made.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { backupStore, compactStore, openReader, sqlite, verifyStore } from '@avocet/plugin-sqlite'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from './stores.ts'

const CRAWLER = join(import.meta.dirname, 'crawler.ts')
const PAGES = 3_000

function folder(): string {
  const made = temporaryFolder()
  onTestFinished(() => made.dispose())
  return made.path
}

/** Crawls the made-up site of `crawler.ts` in a process of its own, until it ends or is killed. */
function crawler(
  path: string,
  pages = PAGES,
): { readonly ended: Promise<unknown>; kill(): void; said(what: string): Promise<void> } {
  const child = spawn(process.execPath, ['--conditions=@avocet/source', CRAWLER, path, String(pages), '3'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines = createInterface({ input: child.stdout })
  return {
    ended: once(child, 'close'),
    kill: () => void child.kill('SIGKILL'),
    said: (what) =>
      new Promise((done) => {
        lines.on('line', (line) => {
          if (line.includes(`"what":"${what}"`)) done()
        })
      }),
  }
}

/** The items of a store, without what the order of commits decides. */
async function itemsOf(path: string): Promise<string[]> {
  const reader = await openReader(path)
  const items = await reader.items({ afterSeq: 0, limit: 100_000 })
  await reader.close()
  return items.map(({ json }) => json).toSorted()
}

const ALL = Array.from({ length: PAGES }, (_, n) => String(n + 1)).toSorted()

describe('backupStore', { timeout: 60_000 }, () => {
  it('copies a store that is crawled, and the crawl goes on from the copy without a page lost or an item doubled', async () => {
    const place = folder()
    const [path, copy] = [join(place, 'store.db'), join(place, 'copy.db')]
    const running = crawler(path)
    await running.said('committed')

    const made = await backupStore(path, copy)
    running.kill()
    await running.ended
    const [atBackup, atKill] = [await itemsOf(copy), await itemsOf(path)]

    expect(made).toMatchObject({ items: atBackup.length, bytes: statSync(copy).size })
    expect(atBackup.length).toBeGreaterThan(0)
    expect(atKill).toEqual(expect.arrayContaining(atBackup))
    expect((await verifyStore(copy)).faults).toEqual([])
    await crawler(copy).ended
    expect(await itemsOf(copy)).toEqual(ALL)
  })

  it('is of one moment, however much is committed while it is made', async () => {
    const place = folder()
    const [path, copy] = [join(place, 'store.db'), join(place, 'copy.db')]
    await crawler(path).ended
    const writer = new Database(path)
    let written = 0
    const write = (): void => {
      writer.exec("UPDATE host_memory SET json = '[1,2]' WHERE host = 1; UPDATE crawl SET last_at = last_at + 1")
      written++
    }

    const phases: string[] = []
    await backupStore(path, copy, {
      reached: (phase) => {
        phases.push(phase)
        if (phase === 'copying') write()
      },
    })
    writer.close()

    expect(written).toBeGreaterThan(0)
    expect(phases.filter((phase) => phase === 'copying')).toHaveLength(written)
    expect(
      new Database(copy, { readonly: true }).prepare("SELECT count(*) FROM host_memory WHERE json = '[1,2]'").pluck().get(),
    ).toBe(0)
  })

  it('is signed out: it is resumed beside the crawl that it was made of', async () => {
    const place = folder()
    const [path, copy] = [join(place, 'store.db'), join(place, 'copy.db')]
    const frontier = sqlite(path)
    await frontier.open({ name: 'crawler', hostKeying: 'host' }, 0)
    await frontier.close()
    const running = crawler(path, 200)
    await running.said('held')
    await backupStore(path, copy)

    const reader = await openReader(copy)
    expect((await reader.info()).liveProcesses).toBe(0)
    await reader.close()
    await crawler(copy, 200).ended
    await running.ended
    expect(await itemsOf(copy)).toHaveLength(200)
    expect(await itemsOf(path)).toHaveLength(200)
  })

  it('is one file of its owner alone, and nothing else is left in its folder', async () => {
    const place = folder()
    await crawler(join(place, 'store.db'), 10).ended
    mkdirSync(join(place, 'backups'))

    await backupStore(join(place, 'store.db'), join(place, 'backups/copy.db'))

    expect(readdirSync(join(place, 'backups'))).toEqual(['copy.db'])
    expect(statSync(join(place, 'backups/copy.db')).mode & 0o777).toBe(0o600)
  })

  it('leaves what is at the place alone, unless it is to replace an earlier backup', async () => {
    const place = folder()
    const [path, copy, notes] = [join(place, 'store.db'), join(place, 'copy.db'), join(place, 'notes.txt')]
    await crawler(path, 10).ended
    writeFileSync(notes, 'mine'.repeat(100))
    await backupStore(path, copy)
    const before = readFileSync(copy)
    const larger = join(place, 'larger.db')
    await crawler(larger, 20).ended

    await expect(backupStore(path, copy)).rejects.toMatchObject({
      code: 'AVO_FRONTIER_UNUSABLE',
      message: expect.stringContaining('--overwrite') as string,
    })
    expect(readFileSync(copy)).toEqual(before)
    await expect(backupStore(path, notes, { overwrite: true })).rejects.toThrow('a file of another kind')
    await expect(backupStore(path, path, { overwrite: true })).rejects.toThrow('the store itself')
    await expect(backupStore(path, join(place, 'missing/copy.db'))).rejects.toThrow(
      'expected the folder of the backup to exist, got nothing',
    )
    await backupStore(larger, copy, { overwrite: true })
    expect(new Database(copy, { readonly: true }).prepare('SELECT items FROM crawl').pluck().get()).toBe(20)
    writeFileSync(`${copy}-wal`, 'of a store that somebody has open')
    await expect(backupStore(path, copy, { overwrite: true })).rejects.toThrow('it is in use')
  })

  it('removes what a backup left at the place a day ago, and nothing else', async () => {
    const place = folder()
    const path = join(place, 'store.db')
    await crawler(path, 10).ended
    const [yesterday, today] = [new Date(Date.now() - 25 * 3_600_000), new Date()]
    const gone = ['shop.db.part-1', 'shop.db.part-1-journal', 'shop-20261126T060211Z.db.part-1']
    const stay = ['other.db.part-1', 'shop.db.part-of-me', 'shop.db.part-2']
    for (const name of [...gone, ...stay]) writeFileSync(join(place, name), '')
    for (const name of [...gone, ...stay.slice(0, 2)]) utimesSync(join(place, name), today, yesterday)

    await backupStore(path, join(place, 'shop-20261127T060211Z.db'))

    expect(readdirSync(place).filter((name) => name.includes('.part-'))).toEqual(stay.toSorted())
  })

  it('makes no backup of a store that is not sound', async () => {
    const place = folder()
    const [path, copy] = [join(place, 'store.db'), join(place, 'copy.db')]
    await crawler(path, 10).ended
    new Database(path).exec('UPDATE crawl SET items = 3').close()

    await expect(backupStore(path, copy)).rejects.toMatchObject({
      code: 'AVO_FRONTIER_CORRUPT',
      message: expect.stringContaining('items are recounted') as string,
    })
    expect(existsSync(copy)).toBe(false)
  })
})

describe('compactStore', { timeout: 60_000 }, () => {
  it('gives back what nothing is in, and the crawl is as it was', async () => {
    const place = folder()
    const path = join(place, 'store.db')
    await crawler(path).ended
    const filler = new Database(path)
    filler.exec(
      'CREATE TABLE filler AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4000) SELECT randomblob(900) FROM n',
    )
    filler.exec('DROP TABLE filler')
    filler.close()
    const before = await itemsOf(path)

    const { bytesBefore, bytesAfter } = await compactStore(path)

    expect(bytesBefore - bytesAfter).toBeGreaterThan(3_000_000)
    expect(statSync(path).size).toBe(bytesAfter)
    expect(await verifyStore(path)).toEqual({ faults: [], known: PAGES, items: PAGES })
    expect(await itemsOf(path)).toEqual(before)
  })

  it('refuses a store that is crawled, and says by whom', async () => {
    const path = join(folder(), 'store.db')
    const frontier = sqlite(path)
    await frontier.open({ name: 'crawler', hostKeying: 'host' }, 0)

    await expect(compactStore(path)).rejects.toMatchObject({
      code: 'AVO_FRONTIER_BUSY',
      message: expect.stringContaining(`got process ${process.pid}; stop it first`) as string,
    })
    await frontier.close()
    expect((await compactStore(path)).bytesAfter).toBeGreaterThan(0)
  })

  it('refuses a store that somebody reads, before it grows for nothing', async () => {
    const path = join(folder(), 'store.db')
    await crawler(path, 200).ended
    const reader = new Database(path, { readonly: true })
    onTestFinished(() => void reader.close())
    reader.exec('BEGIN')
    reader.prepare('SELECT known FROM crawl').get()
    const before = statSync(path).size

    await expect(compactStore(path)).rejects.toMatchObject({
      code: 'AVO_FRONTIER_BUSY',
      message: expect.stringContaining('got a reader, such as a backup; wait until it is done, and compact again') as string,
    })
    expect(statSync(path).size).toBe(before)
    expect(statSync(`${path}-wal`).size).toBeLessThan(20_000)
    reader.exec('ROLLBACK')
    expect((await compactStore(path)).bytesAfter).toBe(statSync(path).size)
  })

  it('makes no store where there is none', async () => {
    const path = join(folder(), 'none.db')

    await expect(compactStore(path)).rejects.toMatchObject({ code: 'AVO_FRONTIER_MISSING' })
    expect(existsSync(path)).toBe(false)
  })
})
