// Rescue of a store: what can be read of it becomes a new one, and it stays as it is. Whole crawls before and after: test/power.test.ts.
import { appendFileSync, existsSync, mkdirSync, readFileSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CANONICALISATION, fingerprintOf, type NewRequest } from '@avocet/core/store'
import { openReader, rescueStore, sqlite, verifyStore } from '@avocet/plugin-sqlite'
import Database from 'better-sqlite3'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { damage } from './damage.ts'
import { temporaryFolder } from './stores.ts'

const SPEC = { name: 'rescued', canonicalisation: CANONICALISATION, hostKeying: 'host' }
const FETCHED = { at: 1_000, status: 200, durationMs: 1, wireBytes: 1 }
const PAGE_BYTES = 4_096
/** A page in the log, and what stands before it. */
const FRAME_BYTES = 24 + PAGE_BYTES
const NOTHING = { requests: 0, outcomes: 0, items: 0, hosts: 0, memories: 0 }

let folder: string
const at = (name: string): string => join(folder, name)

beforeEach(() => {
  const made = temporaryFolder()
  onTestFinished(() => made.dispose())
  folder = made.path
})

function request(n: number, host = `h${n % 3}.example`): NewRequest {
  const url = `http://${host}/${n}`
  const fingerprint = fingerprintOf({ method: 'GET', canonicalUrl: url, handler: 'start' })
  return { fingerprint, hostKey: host, url, handler: 'start', depth: 0, priority: n % 2 }
}

/** 300 requests of three hosts, of which 60 are done with an item of 1 KB; `then` before it is closed. */
async function made(then: () => void = () => {}): Promise<void> {
  const frontier = sqlite(at('store.db'), { synchronous: 'normal' })
  await frontier.open(SPEC, 0)
  await frontier.add(Array.from({ length: 300 }, (_, n) => request(n)))
  const { leases } = await frontier.lease({ now: 1, hosts: 3, requestsPerHost: 20 })
  for (const lease of leases) {
    const turns = lease.requests.map(({ id }) => ({
      lease,
      requestId: id,
      outcome: { kind: 'done', fetched: FETCHED } as const,
      links: [request(1_000 + id)],
      items: [{ json: JSON.stringify({ id, text: 'x'.repeat(1_000) }) }],
    }))
    await frontier.commit(turns)
    await frontier.release([{ lease, rest: { readyAt: 5, memory: { core: `[1,{"host":"${lease.hostKey}"}]` } } }])
  }
  await frontier.note({ kept: '[1,"of the crawl"]' })
  const state = { bytes: 9_999, start: { itemSeq: 0, bytes: 7 } }
  await frontier.keepSink({ name: 'out.jsonl', written: 50, mark: { itemSeq: 50, state } })
  then()
  await frontier.close()
}

describe('rescueStore', () => {
  it('makes the same store of a sound one, and leaves that one as it is', async () => {
    await made()
    mkdirSync(at('new'))
    const before = [readFileSync(at('store.db')), statSync(at('store.db')).mtimeMs]
    const rescue = await rescueStore(at('store.db'), at('new/store.db'))
    const [old, fresh] = await Promise.all([openReader(at('store.db')), openReader(at('new/store.db'))])
    const ALL = { limit: 1_000 }

    expect(rescue).toMatchObject({
      damagedPages: 0,
      lost: NOTHING,
      askedAgain: 0,
      notes: [],
      kept: { requests: 360, settled: 60, items: 60 },
    })
    expect(await fresh.requests(ALL)).toEqual(await old.requests(ALL))
    expect(await fresh.hosts(ALL)).toEqual(await old.hosts(ALL))
    expect(await fresh.items({ afterSeq: 0, ...ALL })).toEqual(await old.items({ afterSeq: 0, ...ALL }))
    expect((await verifyStore(at('new/store.db'))).faults).toEqual([])
    expect(statSync(at('new/store.db')).mode & 0o777).toBe(0o600)
    expect(readdirSync(at('new'))).toEqual(['store.db'])
    expect([readFileSync(at('store.db')), statSync(at('store.db')).mtimeMs]).toEqual(before)
    await old.close()
    await fresh.close()
  })

  it('reads the log beside the store, up to the last whole commit', async () => {
    await made(() => {
      for (const file of ['store.db', 'store.db-wal']) writeFileSync(at(`cut-${file}`), readFileSync(at(file)))
    })
    const half = appended(at('cut-store.db-wal'))
    const { kept, notes } = await rescueStore(at('cut-store.db'), at('new.db'))

    expect(kept).toMatchObject({ requests: 360, settled: 60, items: 60 })
    // What was never finished is of no commit.
    expect(notes).toEqual([])
    expect(half).toBeGreaterThan(0)
  })

  it('reads the log of a store that is a symbolic link, which is beside the file itself', async () => {
    await made(() => {
      for (const file of ['store.db', 'store.db-wal']) writeFileSync(at(`cut-${file}`), readFileSync(at(file)))
    })
    symlinkSync(at('cut-store.db'), at('linked.db'))

    const { kept } = await rescueStore(at('linked.db'), at('new.db'))

    expect(kept).toMatchObject({ requests: 360, settled: 60, items: 60 })
  })

  it('takes of the log what SQLite would, wherever a crash cut it off', async () => {
    await made(() => {
      for (const file of ['store.db', 'store.db-wal']) writeFileSync(at(`cut-${file}`), readFileSync(at(file)))
    })
    const log = readFileSync(at('cut-store.db-wal'))
    const frames = Math.floor((log.length - 32) / FRAME_BYTES)
    for (const cut of [1, 2, 3, 5, 8]) {
      const store = at(`cut-${cut}.db`)
      for (const copy of [store, at(`seen-${cut}.db`)]) {
        writeFileSync(copy, readFileSync(at('cut-store.db')))
        writeFileSync(`${copy}-wal`, log.subarray(0, 32 + (frames - cut) * FRAME_BYTES))
      }
      const { kept, notes } = await rescueStore(store, at(`new-${cut}.db`))
      const db = new Database(at(`seen-${cut}.db`))
      const seen = db.prepare('SELECT known AS requests, done AS settled, items FROM crawl').get()
      db.close()
      expect({ ...kept, notes }).toMatchObject({ ...(seen as object), notes: [] })
    }
  })

  it.each([
    ['a frame of', 32 + 5 * FRAME_BYTES + 1_000, 1],
    ['the checksum of a frame of', 32 + 5 * FRAME_BYTES + 16, 2],
    ['the salt of a frame of', 32 + 5 * FRAME_BYTES + 8, 1],
    ['the header of', 18, 0],
  ])('reads the log behind %s it that is damaged, where SQLite would stop, and says so', async (_what, place, damaged) => {
    await made(() => {
      for (const file of ['store.db', 'store.db-wal']) writeFileSync(at(`cut-${file}`), readFileSync(at(file)))
    })
    const log = readFileSync(at('cut-store.db-wal'))
    log.writeUInt8(log.readUInt8(place) ^ 0xff, place)
    writeFileSync(at('cut-store.db-wal'), log)
    const { notes, kept } = await rescueStore(at('cut-store.db'), at('new.db'))

    expect(kept).toMatchObject({ requests: 360, settled: 60, items: 60 })
    const pages = damaged === 1 ? '1 page' : `${damaged} pages`
    expect(notes).toEqual(
      damaged === 0 ? [] : [expect.stringContaining(`the log beside the store is damaged: ${pages} in it cannot be read`)],
    )
  })

  it.each([
    ['the first page', 'sqlite_schema', NOTHING],
    ['the table of handlers', 'handler', NOTHING],
    ['the index of handlers', 'sqlite_autoindex_handler_1', NOTHING],
    ['the queue', 'span', NOTHING],
    ['the row of the crawl', 'crawl', NOTHING],
    ['all hosts, of which the index has the names', 'host', NOTHING],
    ['all that was remembered', 'host_memory', { ...NOTHING, memories: 3 }],
    ['all outcomes', 'attempt', { ...NOTHING, outcomes: 60 }],
    ['all items', 'item', { ...NOTHING, items: 60 }],
  ])('makes a sound store without %s', async (_what, name, lost) => {
    await made()
    damage(at('store.db'), { name })
    const rescue = await rescueStore(at('store.db'), at('new.db'))

    expect(rescue.lost).toEqual(lost)
    expect(rescue.kept.requests).toBe(360)
    expect((await verifyStore(at('new.db'))).faults).toEqual([])
    const frontier = sqlite(at('new.db'))
    expect(await frontier.open(SPEC, 1)).toMatchObject({ resumed: true, known: 360 })
    await frontier.close()
  })

  it.each([
    ['crawl_memory', /the memory of the crawl is lost: .*`scope accept`/],
    ['extra', /headers.* secrets.* are lost/],
    ['sink', /how far sinks and output files were may be lost/],
  ])('says what is lost with %s beside what is counted', async (name, note) => {
    await made()
    damage(at('store.db'), { name })
    const { notes } = await rescueStore(at('store.db'), at('new.db'))

    expect(notes).toEqual([expect.stringMatching(note)])
  })

  it.each(['item', 'attempt', 'host_memory'])(
    'says that counts by handler may differ from the items without all of %s',
    async (name) => {
      await made()
      damage(at('store.db'), { name })
      const { notes } = await rescueStore(at('store.db'), at('new.db'))

      expect(notes).toContainEqual(expect.stringMatching(/^counts of pages and items by handler, .* are as they were read/))
    },
  )

  it('finds every row behind a damaged interior page', async () => {
    await made()
    damage(at('store.db'), { name: 'request', kind: 'internal' })
    damage(at('store.db'), { name: 'item', kind: 'internal' })

    expect((await rescueStore(at('store.db'), at('new.db'))).lost).toEqual(NOTHING)
  })

  it('takes no request for known whose URL is not what it was, and says how many are lost', async () => {
    await made()
    new Database(at('store.db')).exec("UPDATE request SET path = '/changed' WHERE id IN (7, 9)").close()
    const { lost, kept } = await rescueStore(at('store.db'), at('new.db'))

    expect(lost.requests).toBe(2)
    expect(kept.requests).toBe(358)
  })

  it('asks again for pages whose items or links are lost, keeps the items that are there, and has the output written again', async () => {
    await made()
    new Database(at('store.db')).exec("UPDATE item SET json = '{' WHERE seq = 3").close()
    const { askedAgain, lost } = await rescueStore(at('store.db'), at('new.db'))
    const frontier = sqlite(at('new.db'))
    await frontier.open(SPEC, 1)

    expect([askedAgain, lost.items]).toEqual([1, 1])
    expect(await frontier.reader.counts()).toMatchObject({ done: 59, items: 59, waiting: 301 })
    // Behind what stood in it before the crawl.
    expect((await frontier.sink('out.jsonl'))?.mark).toEqual({ itemSeq: 0, state: { bytes: 7, start: { itemSeq: 0, bytes: 7 } } })
    await frontier.close()
  })

  it('knows every URL again', async () => {
    await made()
    damage(at('store.db'), { name: 'known' })
    await rescueStore(at('store.db'), at('new.db'))
    const frontier = sqlite(at('new.db'))
    await frontier.open(SPEC, 1)

    expect(await frontier.add(Array.from({ length: 300 }, (_, n) => request(n)))).toEqual({ added: 0, known: 300 })
    await frontier.close()
  })

  it('overwrites nothing, and leaves nothing behind where it cannot go on', async () => {
    await made()
    writeFileSync(at('taken.db'), 'mine')
    writeFileSync(at('other.db'), 'no store at all')

    await expect(rescueStore(at('store.db'), at('taken.db'))).rejects.toMatchObject({ code: 'AVO_FRONTIER_UNUSABLE' })
    await expect(rescueStore(at('store.db'), folder)).rejects.toMatchObject({
      code: 'AVO_FRONTIER_UNUSABLE',
      message: expect.stringContaining('got a folder') as string,
    })
    await expect(rescueStore(at('store.db'), at('no/such/new.db'))).rejects.toMatchObject({
      code: 'AVO_FRONTIER_UNUSABLE',
      message: expect.stringContaining('expected the folder of the new store to exist') as string,
    })
    await expect(rescueStore(at('store.db'), at('store.db'))).rejects.toMatchObject({ code: 'AVO_FRONTIER_UNUSABLE' })
    await expect(rescueStore(at('nowhere.db'), at('new.db'))).rejects.toMatchObject({ code: 'AVO_FRONTIER_MISSING' })
    await expect(rescueStore(at('other.db'), at('new.db'))).rejects.toMatchObject({ code: 'AVO_FRONTIER_FOREIGN' })
    expect(readFileSync(at('taken.db'), 'utf8')).toBe('mine')
    expect(readdirSync(folder).sort()).toEqual(['other.db', 'store.db', 'taken.db'])
  })

  it('refuses a store that somebody writes to meanwhile', async () => {
    await made()
    const reached = (): void => appendFileSync(at('store.db'), '\0')

    await expect(rescueStore(at('store.db'), at('new.db'), { reached })).rejects.toMatchObject({ code: 'AVO_FRONTIER_BUSY' })
    expect(existsSync(at('new.db'))).toBe(false)
  })
})

/** Adds two frames of another round, and half a one. */
function appended(path: string): number {
  appendFileSync(path, Buffer.alloc(2 * FRAME_BYTES + 2_000, 1))
  return statSync(path).size
}
