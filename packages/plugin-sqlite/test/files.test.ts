// Files that are no store, are somebody else's, are damaged, cannot be written, or are full.
import { chmodSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Fingerprint, NewRequest } from '@avocet/core/store'
import { VirtualClock } from '@avocet/simulator'
import { openReader, sqlite } from '@avocet/plugin-sqlite'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { loadDriver } from '../src/file/driver.ts'
import { connect } from '../src/file/connect.ts'
import { audit } from './audit.ts'
import { temporaryFolder } from './stores.ts'

const SPEC = { name: 'files', hostKeying: 'host' }

function place(name = 'store.db'): string {
  const folder = temporaryFolder()
  onTestFinished(() => folder.dispose())
  return join(folder.path, name)
}

function request(n: number): NewRequest {
  const fingerprint = String(n).padStart(16, '0') as Fingerprint
  return { fingerprint, hostKey: 'a.example', url: `https://a.example/${n}`, handler: 'start', depth: 0, priority: 0 }
}

async function made(path: string, requests = 3): Promise<void> {
  const frontier = sqlite(path)
  await frontier.open(SPEC, 0)
  await frontier.add(Array.from({ length: requests }, (_, n) => request(n)))
  await frontier.close()
}

describe('open', () => {
  it("tells Avocet's own file of kept responses from a database of another program", async () => {
    const path = place()
    new Database(path).exec('CREATE TABLE response (a); PRAGMA application_id = 0x41766f52; PRAGMA user_version = 2').close()
    const message = `${path}: expected an Avocet store, got a file of kept responses (cache); give the path of the store, which is beside it`

    await expect(sqlite(path).open(SPEC, 0)).rejects.toMatchObject({ code: 'AVO_FRONTIER_FOREIGN', message })
    await expect(openReader(path)).rejects.toMatchObject({ message })
  })

  it('makes the folders of a new store', async () => {
    const path = place('a/b/c/store.db')
    await made(path)
    expect(audit(path)).toEqual([])
  })

  it('takes an empty file as a new store', async () => {
    const path = place()
    writeFileSync(path, '')
    await made(path)
    expect(audit(path)).toEqual([])
  })

  it.each([
    ['text', (path: string) => writeFileSync(path, 'url,title\nhttps://a.example/,A\n')],
    [
      'a database of another program',
      (path: string) => void new Database(path).exec('CREATE TABLE t (a); PRAGMA user_version = 1').close(),
    ],
  ])('refuses %s, and leaves it alone', async (_name, make) => {
    const path = place()
    make(path)
    const before = readFileSync(path)
    await expect(sqlite(path).open(SPEC, 0)).rejects.toMatchObject({
      code: 'AVO_FRONTIER_FOREIGN',
      message: expect.stringContaining('expected an Avocet store') as string,
    })
    await expect(openReader(path)).rejects.toMatchObject({ code: 'AVO_FRONTIER_FOREIGN' })
    expect(readFileSync(path).equals(before)).toBe(true)
  })

  it('refuses a store of another version', async () => {
    const path = place()
    await made(path)
    new Database(path).exec('PRAGMA user_version = 99').close()
    await expect(sqlite(path).open(SPEC, 0)).rejects.toMatchObject({ code: 'AVO_FRONTIER_VERSION' })
    await expect(openReader(path)).rejects.toMatchObject({ code: 'AVO_FRONTIER_VERSION' })
  })

  it('refuses a store whose URLs are named by other rules', async () => {
    const path = place()
    await made(path)
    new Database(path).exec("UPDATE crawl SET canonicalisation = 'earlier rules'").close()

    await expect(sqlite(path).open(SPEC, 0)).rejects.toMatchObject({
      code: 'AVO_FRONTIER_SPEC',
      message: expect.stringContaining('expected URLs by earlier rules and hosts by host, got avocet-1'),
    })
  })

  it('refuses a store that was cut short', async () => {
    const path = place()
    await made(path, 2_000)
    truncateSync(path, 3 * 16_384)
    await expect(sqlite(path).open(SPEC, 0)).rejects.toMatchObject({ code: 'AVO_FRONTIER_CORRUPT' })
  })

  it('refuses a store with a page of garbage', async () => {
    const path = place()
    await made(path, 2_000)
    const bytes = readFileSync(path)
    bytes.fill(0xff, 16_384, bytes.length)
    writeFileSync(path, bytes)
    await expect(sqlite(path).open(SPEC, 0)).rejects.toMatchObject({ code: 'AVO_FRONTIER_CORRUPT' })
  })

  it('says that a folder is no store', async () => {
    const path = place()
    mkdirSync(path)
    await expect(sqlite(path).open(SPEC, 0)).rejects.toMatchObject({ code: 'AVO_FRONTIER_UNUSABLE' })
  })

  it('says that a path through a file cannot be used', async () => {
    const path = place()
    writeFileSync(path, 'x')
    await expect(sqlite(join(path, 'store.db')).open(SPEC, 0)).rejects.toMatchObject({ code: 'AVO_FRONTIER_UNUSABLE' })
  })

  it.skipIf(process.getuid?.() === 0)('says that a store cannot be written', async () => {
    const path = place()
    await made(path)
    chmodSync(path, 0o400)
    await expect(sqlite(path).open(SPEC, 0)).rejects.toMatchObject({ code: 'AVO_FRONTIER_UNUSABLE' })
  })

  it('refuses a Node.js that would crash on the binary', async () => {
    await expect(loadDriver('9')).rejects.toMatchObject({
      code: 'AVO_NODE_TOO_OLD',
      message: expect.stringContaining('22.19') as string,
    })
    await expect(loadDriver(undefined)).resolves.toBeTypeOf('function')
  })

  it('refuses to open twice', async () => {
    const frontier = sqlite(':memory:')
    await frontier.open(SPEC, 0)
    await expect(frontier.open(SPEC, 0)).rejects.toMatchObject({ code: 'AVO_INTERNAL' })
    await frontier.close()
  })
})

describe('synchronous', () => {
  it.each([
    ['full', 2],
    ['normal', 1],
  ] as const)('%s is what SQLite has, also after the first write and on the next open', async (synchronous, level) => {
    const path = place()
    for (let open = 0; open < 2; open++) {
      const db = await connect(path, { synchronous, maxBytes: Infinity, readonly: false, openingMs: 0 })
      if (open === 0) await made(path)
      db.prepare('BEGIN IMMEDIATE').run()
      db.prepare('UPDATE crawl SET items = items').run()
      db.prepare('COMMIT').run()
      expect(db.pragma('synchronous', { simple: true })).toBe(level)
      expect(db.pragma('journal_mode', { simple: true })).toBe('wal')
      db.close()
    }
  })
})

describe('a store with pages of 4 KiB, as they were made before', () => {
  it('holds as many bytes, and is checkpointed after as many, as a new one', async () => {
    const path = place()
    const before = new Database(path)
    before.pragma('page_size = 4096')
    before.pragma('journal_mode = WAL')
    before.close()
    const limits = async (at: string): Promise<readonly number[]> => {
      const db = await connect(at, { synchronous: 'full', maxBytes: 64 * 2 ** 20, readonly: false, openingMs: 0 })
      const [pageBytes = 0, ...pages] = ['page_size', 'max_page_count', 'wal_autocheckpoint'].map((name) =>
        Number(db.pragma(name, { simple: true })),
      )
      db.close()
      return [pageBytes, ...pages.map((count) => (count * pageBytes) / 2 ** 20)]
    }

    expect(await limits(path)).toEqual([4_096, 64, 8])
    expect(await limits(`${path}.new`)).toEqual([16_384, 64, 8])
  })
})

describe('a full disk', () => {
  it('is said as such, loses nothing, and is over when there is room', async () => {
    const path = place()
    const frontier = sqlite(path, { maxBytes: 50 * 16_384 })
    await frontier.open(SPEC, 0)
    await frontier.add([request(0)])
    const many = Array.from({ length: 5_000 }, (_, n) => request(n))
    await expect(frontier.add(many)).rejects.toMatchObject({ code: 'AVO_FRONTIER_FULL' })
    expect(await frontier.reader.counts()).toMatchObject({ known: 1, waiting: 1 })

    const { leases } = await frontier.lease({ now: 0, hosts: 1, requestsPerHost: 9 })
    const [lease] = leases
    if (lease === undefined) throw new Error('expected a visit')
    const turn = { lease, requestId: 1, outcome: { kind: 'failed', reason: 'http-404' } as const, items: [] }
    await expect(frontier.commit([{ ...turn, links: many }])).rejects.toMatchObject({ code: 'AVO_FRONTIER_FULL' })
    expect(await frontier.commit([{ ...turn, links: [request(1)] }])).toMatchObject([{ status: 'committed', added: 1 }])
    await frontier.close()
    expect(audit(path)).toEqual([])

    const roomy = sqlite(path)
    expect(await roomy.open(SPEC, 0)).toMatchObject({ known: 2, settled: 1 })
    expect(await roomy.add(many)).toEqual({ added: 4_998, known: 2 })
    await roomy.close()
    expect(audit(path)).toEqual([])
  })
})

describe('a store that another process is writing', () => {
  it('is waited for, on the clock, for a second, and then said to be locked', async () => {
    const path = place()
    const clock = new VirtualClock()
    const frontier = sqlite(path, { clock })
    await frontier.open(SPEC, 0)
    const other = new Database(path)
    other.exec('BEGIN IMMEDIATE')
    const startedAt = clock.now()
    await clock.run(async () => {
      await expect(frontier.add([request(1)])).rejects.toMatchObject({ code: 'AVO_FRONTIER_BUSY' })
    })
    expect(clock.now() - startedAt).toBeGreaterThan(500)
    expect(clock.now() - startedAt).toBeLessThanOrEqual(1_000)
    other.exec('COMMIT')
    other.close()
    expect(await frontier.add([request(1)])).toEqual({ added: 1, known: 0 })
    await frontier.close()
  })

  it('is written as soon as it is free, in the order of the calls', async () => {
    const path = place()
    const frontier = sqlite(path)
    await frontier.open(SPEC, 0)
    const other = new Database(path)
    other.exec('BEGIN IMMEDIATE')
    const marks = [1, 2, 3].map((n) => frontier.sinks.keep({ name: 'out', written: n }))
    await new Promise((resolve) => setTimeout(resolve, 30))
    other.exec('COMMIT')
    other.close()
    await Promise.all(marks)
    expect(await frontier.sinks.get('out')).toEqual({ name: 'out', written: 3 })
    await frontier.close()
  })
})

describe('reader', () => {
  it('says that there is no store', async () => {
    await expect(openReader(place())).rejects.toMatchObject({ code: 'AVO_FRONTIER_MISSING' })
  })

  it.each([
    ['an empty file', (path: string) => writeFileSync(path, '')],
    ['an empty database', (path: string) => void new Database(path).exec('PRAGMA journal_mode = WAL').close()],
  ])('says of %s, which a process leaves that is killed while it makes a store, to crawl into it', async (came, leave) => {
    const path = place()
    leave(path)

    const message = expect.stringMatching(new RegExp(`got ${came}; check the name, or crawl first`)) as string
    await expect(openReader(path)).rejects.toMatchObject({ code: 'AVO_FRONTIER_MISSING', message })
  })

  it('reads beside a crawl that goes on, and sees what is committed', async () => {
    const path = place()
    const frontier = sqlite(path)
    await frontier.open(SPEC, Date.now())
    await frontier.add([request(1)])
    const reader = await openReader(path)
    expect(await reader.counts()).toMatchObject({ known: 1 })
    await frontier.lease({ now: 0, hosts: 1, requestsPerHost: 1 })
    expect((await reader.hosts({ hostKey: 'a.example' }))[0]).toMatchObject({ held: true, waiting: 1 })
    expect(await reader.info()).toMatchObject({ name: 'files', liveProcesses: 1 })
    await frontier.add([request(2)])
    expect(await reader.requests({ limit: 9 })).toHaveLength(2)
    await frontier.close()
    expect(await reader.info()).toMatchObject({ liveProcesses: 0 })
    await reader.close()
  })
})
