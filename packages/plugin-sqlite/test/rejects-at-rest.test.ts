// Rejects in the file of a store: what makes a store unsound.
import { join } from 'node:path'
import { fingerprintOf } from '@avocet/core/store'
import { sqlite, verifyStore } from '@avocet/plugin-sqlite'
import Database from 'better-sqlite3'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from './stores.ts'

const SPEC = { name: 'teas', hostKeying: 'host' }
const PAGES = 200

let path: string

beforeEach(() => {
  const made = temporaryFolder()
  onTestFinished(() => made.dispose())
  path = join(made.path, 'teas.db')
})

/** Pages of two items each, with a reject between them; a sink refused the first of each. */
async function made(): Promise<void> {
  const frontier = sqlite(path, { synchronous: 'normal' })
  await frontier.open(SPEC, 0)
  const urls = Array.from({ length: PAGES }, (_, n) => `https://a.example/${n}`)
  await frontier.add(
    urls.map((url) => {
      const fingerprint = fingerprintOf({ method: 'GET', canonicalUrl: url, handler: 'start' })
      return { fingerprint, hostKey: 'a.example', url, handler: 'start', depth: 0, priority: 0 }
    }),
  )
  const { leases } = await frontier.lease({ now: 1, hosts: 1, requestsPerHost: PAGES })
  for (const lease of leases) {
    const outcome = { kind: 'done', fetched: { at: 1, status: 200, durationMs: 1, wireBytes: 1 } } as const
    const text = 'x'.repeat(200)
    await frontier.commit(
      lease.requests.map(({ id }) => ({
        lease,
        requestId: id,
        outcome,
        links: [],
        items: [0, 2].map((ordinal) => ({ json: JSON.stringify({ id, ordinal, text }), ordinal })),
        rejects: [{ json: JSON.stringify({ id, text }), ordinal: 1, reason: `price: missing in ${id}`, at: 7 }],
      })),
    )
    await frontier.rejects.setAside(
      lease.requests.map(({ id }) => ({ source: 'pg', requestId: id, visit: 0, ordinal: 0, reason: 'too long', at: 8 })),
    )
    await frontier.release([{ lease, rest: { readyAt: 0, memory: {} } }])
  }
  await frontier.close()
}

describe('a store is not sound', () => {
  it.each([
    ['whose total of rejects is wrong', 'UPDATE crawl SET rejects = rejects + 1', 'rejects are recounted'],
    [
      'with an item at the place of a reject of the schema',
      'UPDATE reject SET ordinal = 2 WHERE id = 1',
      'what the schema refused and what is held is no item',
    ],
    ['with a reject of a sink that is no item', 'UPDATE reject SET ordinal = 9 WHERE id = 250', 'what a sink refused is one'],
    ['with a reject that is not JSON', "UPDATE reject SET json = 'x' WHERE id = 1", 'rejects are JSON'],
    ['with rejects of nobody', 'UPDATE reject SET request = 9999, ordinal = 1 WHERE id = 1', 'of requests that were tried'],
  ])('%s', async (_what, harm, rule) => {
    await made()
    const db = new Database(path)
    db.exec(harm)
    db.close()

    const { faults } = await verifyStore(path)
    expect(JSON.stringify(faults)).toContain(rule)
  })
})
