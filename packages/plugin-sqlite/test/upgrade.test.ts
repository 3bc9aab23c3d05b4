// Stores of earlier versions open and go on. `fixtures/version-1.db.gz` was written by the code of that version.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { CANONICALISATION, fingerprintOf, type Outcome } from '@avocet/core/store'
import { wasGone } from '@avocet/core/tools'
import { openReader, sqlite } from '@avocet/plugin-sqlite'
import Database from 'better-sqlite3'
import { expect, describe, it, onTestFinished } from 'vitest'
import { audit } from './audit.ts'
import { temporaryFolder } from './stores.ts'

const SPEC = { name: 'version-1', canonicalisation: 'v1', hostKeying: 'host' }

/** Two hosts of five pages: of one host a page is done with two items, one moved, one failed, one put back, one untried. */
function oldStore(): string {
  const folder = temporaryFolder()
  onTestFinished(() => folder.dispose())
  const path = join(folder.path, 'old.db')
  writeFileSync(path, gunzipSync(readFileSync(join(import.meta.dirname, 'fixtures/version-1.db.gz'))))
  return path
}

/** A new store: what later versions added is taken out of it again. */
async function storeOfToday(): Promise<string> {
  const folder = temporaryFolder()
  onTestFinished(() => folder.dispose())
  const path = join(folder.path, 'old.db')
  const frontier = sqlite(path)
  await frontier.open(SPEC, 10_000)
  await frontier.close()
  return path
}

/** Takes away what version 9 brought, then what version 8 did, and so on. */
const TO_VERSION_8 =
  'DROP TABLE sink; CREATE TABLE export (target TEXT PRIMARY KEY, item_seq INTEGER NOT NULL, bytes INTEGER NOT NULL) STRICT; DROP TABLE reject; DROP TABLE record; ALTER TABLE crawl DROP COLUMN rejects;'
const TO_VERSION_7 = `${TO_VERSION_8} ALTER TABLE visited DROP COLUMN page_at; ALTER TABLE visited DROP COLUMN page_visit;`
const TO_VERSION_6 = `${TO_VERSION_7} ALTER TABLE crawl DROP COLUMN run; ALTER TABLE attempt DROP COLUMN run; ALTER TABLE visited DROP COLUMN asked_at;
  ALTER TABLE visited DROP COLUMN asked_by; ALTER TABLE extra DROP COLUMN asked_at;
  ALTER TABLE handler_error DROP COLUMN seen_at;`
const TO_VERSION_5 = `${TO_VERSION_6} DROP INDEX trouble_error; ALTER TABLE trouble DROP COLUMN error; DROP TABLE handler_error;`

/** Each with its last status, and what became of the schedule that it was in. */
const MISSING: Readonly<
  Record<string, { readonly status: number; readonly moved?: true; readonly schedule: 'over' | 'due' | 'probation' | 'none' }>
> = {
  gone: { status: 404, schedule: 'over' },
  'gone-for-good': { status: 410, schedule: 'over' },
  'moved-for-good': { status: 301, moved: true, schedule: 'over' },
  'moved-alike': { status: 308, moved: true, schedule: 'over' },
  'moved-for-now': { status: 302, moved: true, schedule: 'over' },
  broken: { status: 500, schedule: 'over' },
  'due-again': { status: 404, schedule: 'due' },
  'on-probation': { status: 404, schedule: 'probation' },
  'never-in-a-schedule': { status: 404, schedule: 'none' },
}

describe('a store of version 7', () => {
  it('knows what is believed to be gone: what was missing for good in a schedule that ended', async () => {
    const path = await storeOfToday()
    const first = sqlite(path)
    await first.open(SPEC, 20_000)
    await first.add(
      Object.keys(MISSING).map((name) => {
        const url = `https://a.example/${name}`
        const fingerprint = fingerprintOf({ method: 'GET', canonicalUrl: url, handler: 'start' })
        return { fingerprint, hostKey: 'a.example', url, handler: 'start', depth: 0, priority: 0 }
      }),
    )
    // What is over is visited twice: in its schedule, and out of it.
    for (const now of [20_000, 30_000]) {
      const { leases } = await first.lease({ now, hosts: 1, requestsPerHost: 20 })
      for (const lease of leases)
        for (const { id, url } of lease.requests) {
          const { status, moved, schedule } = MISSING[url.slice('https://a.example/'.length)] ?? {
            status: 200,
            schedule: 'none' as const,
          }
          const fetched = { at: now, status, durationMs: 5, wireBytes: 9 }
          const at = schedule === 'over' ? 30_000 : 90_000
          const missing = schedule === 'probation' ? { missing: { visits: 1, since: 20_000 } } : {}
          const again = schedule === 'none' || now === 30_000 ? {} : { again: { at, skipped: 0, ...missing } }
          const outcome: Outcome = moved
            ? { kind: 'moved', target: 'https://a.example/', fetched, ...again }
            : { kind: 'failed', reason: `http ${status}`, fetched, ...again }
          await first.commit([{ lease, requestId: id, outcome, links: [], items: [] }])
        }
      for (const lease of leases) await first.release([{ lease, rest: { readyAt: 0, memory: {} } }])
    }
    await first.close()
    const old = new Database(path)
    old.exec(`${TO_VERSION_7} PRAGMA user_version = 7`)
    old.close()

    const reader = await openReader(path)
    const gone: string[] = []
    for (const name of Object.keys(MISSING))
      if ((await reader.history(`https://a.example/${name}`)).some(wasGone)) gone.push(name)
    await reader.close()

    expect(gone).toEqual(['gone', 'gone-for-good', 'moved-for-good', 'moved-alike'])
    expect(audit(path)).toEqual([])
  })
})

describe('a store of version 6', () => {
  it('counts its runs from now on, and all that it has visited was in an earlier one', async () => {
    const path = await storeOfToday()
    const first = sqlite(path)
    await first.open(SPEC, 20_000)
    const url = 'https://a.example/1'
    const fingerprint = fingerprintOf({ method: 'GET', canonicalUrl: url, handler: 'start' })
    const page = { fingerprint, hostKey: 'a.example', url, handler: 'start', depth: 0, priority: 0 }
    await first.add([page])
    const fetched = { at: 20_000, status: 200, durationMs: 5, wireBytes: 9 }
    const { leases } = await first.lease({ now: 20_000, hosts: 1, requestsPerHost: 9 })
    await first.commit(leases.map((lease) => ({ lease, requestId: 1, outcome: { kind: 'done', fetched }, links: [], items: [] })))
    await first.close()
    const old = new Database(path)
    old.exec(`${TO_VERSION_6} PRAGMA user_version = 6`)
    old.close()

    const frontier = sqlite(path)
    await frontier.open(SPEC, 30_000)
    await frontier.add([{ ...page, again: 30_000 }])
    const again = await frontier.lease({ now: 30_000, hosts: 1, requestsPerHost: 9 })
    expect(again.leases).toMatchObject([{ requests: [{ url, again: 30_000, earlier: { visits: 1 } }] }])
    await frontier.close()
    expect(audit(path)).toEqual([])
  })
})

describe('a store of version 4', () => {
  it('does not know when pages that may have been read more than once were read first', async () => {
    const path = await storeOfToday()
    const old = new Database(path)
    old.exec(`${TO_VERSION_5} ALTER TABLE attempt DROP COLUMN first_at; DROP TABLE cut;
      INSERT INTO attempt (id, state, attempts, free_attempts, fetched_at) VALUES (1, 0, 1, 0, 70), (2, 0, 1, 0, 80), (3, 0, 1, 0, 90);
      INSERT INTO visited (id, visits, due_at, skipped) VALUES (1, 2, 0, 0), (2, 1, 0, 0);
      INSERT INTO trouble (id, blame, target) VALUES (3, 'cut', '5 6');
      PRAGMA user_version = 4`)
    old.close()

    const frontier = sqlite(path)
    await frontier.open(SPEC, 20_000)
    await frontier.close()
    const raised = new Database(path)
    onTestFinished(() => void raised.close())
    expect(raised.prepare('SELECT id, first_at FROM attempt').raw().all()).toEqual([
      [1, 0],
      [2, null],
      [3, 0],
    ])
  })

  it('has pages of which links wait, and what they wait for, in a table of their own', async () => {
    const folder = temporaryFolder()
    onTestFinished(() => folder.dispose())
    const path = join(folder.path, 'old.db')
    const before = sqlite(path)
    await before.open({ ...SPEC, canonicalisation: CANONICALISATION }, 10_000)
    await before.add(
      [1, 2, 3, 4].map((n) => {
        const url = `https://a.example/${n}`
        const fingerprint = fingerprintOf({ method: 'GET', canonicalUrl: url, handler: 'start' })
        return { fingerprint, hostKey: 'a.example', url, handler: 'start', depth: 0, priority: 0 }
      }),
    )
    const { leases } = await before.lease({ now: 10_000, hosts: 1, requestsPerHost: 9 })
    for (const lease of leases) {
      const fetched = { at: 10_000, status: 200, durationMs: 5, wireBytes: 9 }
      const outcomes: readonly Outcome[] = [
        { kind: 'done', fetched, cut: { budget: { kind: 'new-urls' }, of: 200_000, left: 150_000 } },
        { kind: 'done', fetched, cut: { budget: { kind: 'new-urls' }, of: 8, left: 5 } },
        { kind: 'done', fetched },
        { kind: 'failed', fetched, reason: 'http-500' },
      ]
      await before.commit(
        lease.requests.flatMap(({ id }, n) => {
          const outcome = outcomes[n]
          return outcome ? [{ lease, requestId: id, outcome, links: [], items: [] }] : []
        }),
      )
      await before.release([{ lease, rest: { readyAt: 0, memory: {} } }])
    }
    await before.reopen({ cut: true, ids: [2], limit: 9 })
    await before.close()
    // As version 4 had it: so many links before the first that waits, and so many from there on. A rescue had lost the word of the third.
    const old = new Database(path)
    old.exec(`${TO_VERSION_5} DROP TABLE cut; ALTER TABLE attempt DROP COLUMN first_at;
      INSERT INTO trouble (id, reason, blame, target) SELECT 1, id, 'cut', '50000 150000' FROM reason WHERE word = 'new-urls';
      INSERT INTO trouble (id, reason, blame, target) SELECT 2, id, 'cut', '3 5' FROM reason WHERE word = 'new-urls';
      INSERT INTO trouble (id, reason, blame, target) VALUES (3, NULL, 'cut', '0 7');
      PRAGMA user_version = 4`)
    old.close()

    const frontier = sqlite(path)
    await frontier.open({ ...SPEC, canonicalisation: CANONICALISATION }, 20_000)
    onTestFinished(() => frontier.close())
    expect(await frontier.reader.requests({ limit: 9 })).toMatchObject([
      { state: 'done', cut: { budget: { kind: 'new-urls' }, of: 200_000, left: 150_000 } },
      { state: 'waiting', cut: { budget: { kind: 'new-urls' }, of: 8, left: 5 } },
      { state: 'done', cut: { budget: { kind: 'several' }, of: 7, left: 7 } },
      { state: 'failed', reason: 'http-500' },
    ])
    const again = await frontier.lease({ now: 20_000, hosts: 1, requestsPerHost: 9 })
    expect(again.leases).toMatchObject([{ requests: [{ id: 2, cut: { budget: { kind: 'new-urls' }, of: 8, left: 5 } }] }])
    const raised = new Database(path, { readonly: true })
    onTestFinished(() => void raised.close())
    expect(raised.prepare('SELECT id, blame, target FROM trouble').raw().all()).toEqual([[4, null, null]])
    expect(raised.prepare('SELECT first_at FROM attempt').pluck().all()).toEqual([0, 0, 0, null])
    expect(audit(path)).toEqual([])
  })
})

describe('a store of version 3', () => {
  it('opens with processes that died in it, whose beats were by their wall clocks', async () => {
    const path = await storeOfToday()
    const old = new Database(path)
    old.exec(`${TO_VERSION_5} ALTER TABLE process DROP COLUMN crawl_at; ALTER TABLE attempt DROP COLUMN first_at; DROP TABLE cut;
      INSERT INTO process (boot, namespace, pid, thread, started, heartbeat, hungry_at)
      SELECT 'boot', 'elsewhere', 1, 0, '7', ${Date.now()}, ${Date.now()};
      PRAGMA user_version = 3`)
    old.close()

    const frontier = sqlite(path)
    expect(await frontier.open(SPEC, 20_000)).not.toHaveProperty('aheadMs')
    expect(frontier.share?.(20_000)).toBeUndefined()
    expect(await frontier.lease({ now: 20_000, hosts: 1, requestsPerHost: 1 })).toEqual({ leases: [], heldElsewhere: 0 })
    await frontier.close()
  })
})

describe('a store of version 1', () => {
  it('opens with all that it holds', async () => {
    const path = oldStore()
    const frontier = sqlite(path)
    const info = await frontier.open(SPEC, 10_000)
    expect(info).toMatchObject({ resumed: true, known: 10, waiting: 7, settled: 3, items: 2 })
    expect(info).not.toHaveProperty('again')
    const items = await frontier.reader.items({ afterSeq: 0, limit: 9 })
    expect(items.map(({ json, ordinal }) => [json, ordinal])).toEqual([
      ['{"n":1}', 0],
      ['{"n":2}', 1],
    ])
    const state = { bytes: 16, start: { itemSeq: 0, bytes: 0 } }
    expect(await frontier.sink('items.jsonl')).toEqual({ name: 'items.jsonl', written: 2, mark: { itemSeq: 2, state } })
    await frontier.close()
    expect(audit(path)).toEqual([])
  })

  it('goes on, and its pages may be visited again', async () => {
    const path = oldStore()
    const frontier = sqlite(path)
    await frontier.open(SPEC, 10_000)
    await frontier.revisit([{ id: 1, at: 9_000 }])
    const { leases } = await frontier.lease({ now: 10_000, hosts: 9, requestsPerHost: 9 })
    const lease = leases.find(({ hostKey }) => hostKey === 'a.example')
    const again = lease?.requests.find(({ id }) => id === 1)
    expect(again?.earlier).toEqual({ visits: 1, dueAt: 9_000, skipped: 0 })
    if (lease === undefined) return
    const fetched = { at: 10_000, status: 200, durationMs: 5, wireBytes: 9 }
    const outcome = { kind: 'done', fetched, again: { at: 20_000, skipped: 0 } } as const
    await frontier.commit([{ lease, requestId: 1, outcome, links: [], items: [{ json: '{"n":3}' }] }])
    await frontier.close()
    expect(audit(path)).toEqual([])
    const reader = await openReader(path)
    expect(await reader.counts()).toMatchObject({ known: 10, done: 1, items: 3, again: 1 })
    await reader.close()
  })

  it('has the hosts that it gave up asked again in the next run', async () => {
    const path = oldStore()
    const old = new Database(path)
    old.exec("UPDATE host SET retired_for = 'never answered', due_at = NULL WHERE key = 'a.example'")
    old.close()
    const frontier = sqlite(path)
    await frontier.open(SPEC, 10_000)
    expect(await frontier.reader.host('a.example')).toMatchObject({ retiredFor: 'never answered' })
    expect(await frontier.reader.host('a.example')).not.toHaveProperty('probeAt')
    await frontier.probeRetired({ from: Infinity, now: 10_000 })
    const { leases } = await frontier.lease({ now: 10_000, hosts: 9, requestsPerHost: 9 })
    expect(leases.find(({ hostKey }) => hostKey === 'a.example')).toMatchObject({ retired: 'never answered' })
    await frontier.close()
    expect(audit(path)).toEqual([])
  })

  it('is raised for a reader too', async () => {
    const path = oldStore()
    const reader = await openReader(path)
    expect(await reader.counts()).toMatchObject({ known: 10, done: 1, moved: 1, failed: 1, items: 2 })
    await reader.close()
    expect(new Database(path).pragma('user_version', { simple: true })).toBe(9)
  })
})
