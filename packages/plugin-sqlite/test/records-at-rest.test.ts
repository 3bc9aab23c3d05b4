// Records of documents in the file of a store: what makes a store unsound.
import { join } from 'node:path'
import { fingerprintOf } from '@avocet/core/store'
import { sqlite, verifyStore } from '@avocet/plugin-sqlite'
import Database from 'better-sqlite3'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from './stores.ts'

const SPEC = { name: 'teas', hostKeying: 'host' }
const PAGES = 200
const DOCUMENTS = 200

let path: string

beforeEach(() => {
  const made = temporaryFolder()
  onTestFinished(() => made.dispose())
  path = join(made.path, 'teas.db')
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
