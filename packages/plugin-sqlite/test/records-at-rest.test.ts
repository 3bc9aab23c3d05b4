// Records of documents in the file of a store: what a rescue saves, and what makes a store unsound.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { CANONICALISATION, fingerprintOf } from '@avocet/core/store'
import { openReader, rescueStore, sqlite, verifyStore } from '@avocet/plugin-sqlite'
import Database from 'better-sqlite3'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { audit } from './audit.ts'
import { damage } from './damage.ts'
import { temporaryFolder } from './stores.ts'

const SPEC = { name: 'teas', canonicalisation: CANONICALISATION, hostKeying: 'host' }
const PAGES = 200
const DOCUMENTS = 200

let path: string
let rescued: string

beforeEach(() => {
  const made = temporaryFolder()
  onTestFinished(() => made.dispose())
  path = join(made.path, 'teas.db')
  mkdirSync(join(made.path, 'new'))
  rescued = join(made.path, 'new/teas.db')
})

/** Pages of two items each, and files of a record each. */
async function made(): Promise<void> {
  const frontier = sqlite(path, { synchronous: 'normal' })
  await frontier.open(SPEC, 0)
  await frontier.add(
    Array.from({ length: PAGES + DOCUMENTS }, (_, n) => {
      const [url, handler] = [`https://a.example/${n}`, n < PAGES ? 'start' : 'files/file']
      const fingerprint = fingerprintOf({ method: 'GET', canonicalUrl: url, handler })
      return { fingerprint, hostKey: 'a.example', url, handler, depth: 0, priority: 0 }
    }),
  )
  const { leases } = await frontier.lease({ now: 1, hosts: 1, requestsPerHost: PAGES + DOCUMENTS })
  for (const lease of leases) {
    const outcome = { kind: 'done', fetched: { at: 1, status: 200, durationMs: 1, wireBytes: 1 } } as const
    await frontier.commit(
      lease.requests.map(({ id, handler }) => {
        const rows = [0, 1].map((n) => ({ json: JSON.stringify({ id, n, text: 'x'.repeat(200) }) }))
        const page = { lease, requestId: id, outcome, links: [] }
        return handler === 'start' ? { ...page, items: rows } : { ...page, items: [], records: rows.slice(1) }
      }),
    )
    await frontier.release([{ lease, rest: { readyAt: 0, memory: {} } }])
  }
  await frontier.close()
}

describe('a rescue', () => {
  it('saves the records of a sound store as they are, and takes none for an item', async () => {
    await made()
    await rescueStore(path, rescued)

    const [before, after] = await Promise.all([openReader(path), openReader(rescued)])
    const page = { afterSeq: 0, limit: 1_000 }
    expect(await after.records(page)).toEqual(await before.records(page))
    expect(await after.items(page)).toEqual(await before.items(page))
    expect(await after.counts()).toMatchObject({ items: 2 * PAGES, records: DOCUMENTS })
    await Promise.all([before.close(), after.close()])
    expect(audit(rescued)).toEqual([])
  })

  it('of a store with damage among its records makes a sound one of what is left, and requests the documents of the others again', async () => {
    await made()
    damage(path, { name: 'record', kind: 'leaf', count: 2 })
    await rescueStore(path, rescued)

    const after = await openReader(rescued)
    const { records = 0, items, waiting } = await after.counts()
    await after.close()
    expect(records).toBeGreaterThan(DOCUMENTS / 2)
    expect(records).toBeLessThan(DOCUMENTS)
    expect(items).toBe(2 * PAGES)
    expect(waiting).toBe(DOCUMENTS - records)
    expect(await verifyStore(rescued)).toMatchObject({ faults: [] })
  })
})

describe('a store is not sound', () => {
  it.each([
    ['with a record that is not JSON', "UPDATE record SET json = 'x' WHERE seq = 1"],
    ['with a record of nobody', 'UPDATE record SET request = 9999 WHERE seq = 1'],
  ])('%s', async (_what, harm) => {
    await made()
    const db = new Database(path)
    db.exec(harm)
    db.close()

    const { faults } = await verifyStore(path)
    expect(JSON.stringify(faults)).toContain('records are JSON, of requests that were tried')
  })
})
