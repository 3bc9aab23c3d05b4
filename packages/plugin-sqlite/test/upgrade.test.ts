// Stores of an earlier version open and go on; those of which no step leads here are refused.
import { join } from 'node:path'
import { fingerprintOf } from '@avocet/core/store'
import { compactStore, openReader, sqlite } from '@avocet/plugin-sqlite'
import Database from 'better-sqlite3'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { audit } from './audit.ts'
import { temporaryFolder } from './stores.ts'
import { toVersionOne } from './version-one.ts'

const SPEC = { name: 'teas', hostKeying: 'host' }

let path: string

/** Of two pages one is done, with an item. */
beforeEach(async () => {
  const folder = temporaryFolder()
  onTestFinished(() => folder.dispose())
  path = join(folder.path, 'teas.db')
  const frontier = sqlite(path)
  await frontier.open(SPEC, 10_000)
  await frontier.add(
    ['green', 'black'].map((name) => {
      const url = `https://a.example/${name}`
      const fingerprint = fingerprintOf({ method: 'GET', canonicalUrl: url, handler: 'start' })
      return { fingerprint, hostKey: 'a.example', url, handler: 'start', depth: 0, priority: 0 }
    }),
  )
  const { leases } = await frontier.lease({ now: 10_000, hosts: 1, requestsPerHost: 1 })
  const outcome = { kind: 'done', fetched: { at: 10_000, status: 200, durationMs: 5, wireBytes: 9 } } as const
  await frontier.commit(leases.map((lease) => ({ lease, requestId: 1, outcome, links: [], items: [{ json: '{"n":1}' }] })))
  await frontier.close()
})

function versionOf(): unknown {
  const db = new Database(path, { readonly: true })
  try {
    return db.pragma('user_version', { simple: true })
  } finally {
    db.close()
  }
}

describe('a store of an earlier version', () => {
  beforeEach(() => toVersionOne(path))

  it('is raised when a run opens it, with all that it holds, and the crawl goes on', async () => {
    const frontier = sqlite(path)
    expect(await frontier.open(SPEC, 20_000)).toMatchObject({ resumed: true, known: 2, waiting: 1, settled: 1, items: 1 })
    const { leases } = await frontier.lease({ now: 20_000, hosts: 9, requestsPerHost: 9 })
    expect(leases).toMatchObject([{ requests: [{ id: 2, url: 'https://a.example/black' }] }])
    await frontier.close()

    expect(versionOf()).toBe(2)
    expect(audit(path)).toEqual([])
  })

  it('is raised for a reader', async () => {
    const reader = await openReader(path)
    expect(await reader.counts()).toMatchObject({ known: 2, done: 1, items: 1 })
    await reader.close()
    expect(versionOf()).toBe(2)
  })

  it('is raised to be compacted', async () => {
    await compactStore(path)
    expect(audit(path)).toEqual([])
  })

  it('is raised once by processes that open it at once', async () => {
    const frontiers = [sqlite(path), sqlite(path)]
    await Promise.all(frontiers.map((frontier) => frontier.open(SPEC, 20_000)))
    await Promise.all(frontiers.map((frontier) => frontier.close()))
    expect(audit(path)).toEqual([])
  })
})

describe('a store of another version', () => {
  it.each([0, 9])('as %i, is refused in one line that says what came and what to do', async (version) => {
    new Database(path).exec(`PRAGMA user_version = ${version}`).close()
    const refused = {
      code: 'AVO_FRONTIER_VERSION',
      message: `${path}: expected a store of version 2, got version ${version}; use the Avocet that made it, or start over`,
    }

    await expect(sqlite(path).open(SPEC, 20_000)).rejects.toMatchObject(refused)
    await expect(openReader(path)).rejects.toMatchObject(refused)
  })
})
