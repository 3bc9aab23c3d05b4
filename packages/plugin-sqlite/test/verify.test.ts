// Verification of a store: each thing that must hold, broken by hand, is told; a sound store has no faults.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Fingerprint } from '@avocet/core/store'
import { sqlite, verifyStore } from '@avocet/plugin-sqlite'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { RULES } from '../src/verify/rules.ts'
import { temporaryFolder } from './stores.ts'

interface Step {
  readonly id: number
  readonly parent: number
  readonly detail: string
}

const FETCHED = { at: 1, status: 200, durationMs: 1, wireBytes: 1 }

async function made(): Promise<string> {
  const folder = temporaryFolder()
  onTestFinished(() => folder.dispose())
  const path = join(folder.path, 'store.db')
  const frontier = sqlite(path)
  await frontier.open({ name: 'verify', hostKeying: 'host' }, 0)
  await frontier.add(
    Array.from({ length: 9 }, (_, n) => {
      const fingerprint = String(n).padStart(16, '0') as Fingerprint
      return { fingerprint, hostKey: 'a.example', url: `https://a.example/${n}`, handler: 'start', depth: 0, priority: 0 }
    }),
  )
  const { leases } = await frontier.lease({ now: 0, hosts: 1, requestsPerHost: 4 })
  const [lease] = leases
  const [settled, again] = lease?.requests ?? []
  if (!lease || !settled || !again) throw new Error('expected requests')
  await frontier.commit([
    {
      lease,
      requestId: settled.id,
      outcome: { kind: 'done', fetched: FETCHED },
      links: [],
      items: [{ json: '1' }, { json: '2' }],
    },
    {
      lease,
      requestId: again.id,
      outcome: { kind: 'retry', at: 9, counted: true, reason: 'http-503' },
      links: [],
      items: [],
    },
  ])
  await frontier.release([{ lease, rest: { readyAt: 0, memory: { core: '[1,{}]' } } }])
  await frontier.close()
  return path
}

describe('verifyStore', () => {
  it('finds a store sound that a crawl has left', async () => {
    expect(await verifyStore(await made())).toEqual({ faults: [], known: 9, items: 2 })
  })

  it('finds a store sound that keeps the robots.txt of a host', async () => {
    const path = await made()
    const keep = "INSERT INTO host_memory (host, part, json) VALUES (1, '#robots https://a.example', 'User-agent: *')"
    new Database(path).exec(keep).close()

    expect((await verifyStore(path)).faults).toEqual([])
  })

  it.each([
    ['a request that is not settled waits in a queue', 'DELETE FROM span'],
    ['a request that is not settled waits in a queue', 'DELETE FROM delayed'],
    ['no request waits twice', 'INSERT INTO delayed (id, host, not_before, rank) VALUES (9, 1, 0, 0)'],
    ['what was tried is known', 'INSERT INTO attempt (id, state, attempts, free_attempts) VALUES (99, 0, 1, 0)'],
    ['a request has a host', 'UPDATE request SET host = 7 WHERE id = 3'],
    ['what waits and what is remembered is of a known host', "INSERT INTO host_memory (host, part, json) VALUES (7, 'core', '')"],
    ['what waits and what is remembered is of a known host', 'UPDATE span SET host = 7'],
    ['a request has a handler', 'DELETE FROM handler'],
    ['a link is of a page that is known', 'UPDATE request SET parent = 99 WHERE id = 2'],
    ['what is kept of a request is of a known one', 'INSERT INTO death (id, runs) VALUES (99, 1)'],
    ['what is kept of a request is of a known one', "INSERT INTO extra (id, method) VALUES (99, 'POST')"],
    ['what is kept of a request is of a known one', 'INSERT INTO visited (id, visits, due_at, skipped) VALUES (99, 1, 0, 0)'],
    ['reasons and errors of troubles are known', 'DELETE FROM reason'],
    ['reasons and errors of troubles are known', 'UPDATE trouble SET error = 7'],
    ['what is done, moved and failed of hosts is recounted', 'UPDATE host SET done = 0'],
    ['what is done, moved and failed of hosts is recounted', 'UPDATE host SET moved = 1'],
    ['what is done, moved and failed of hosts is recounted', 'UPDATE host SET failed = 1'],
    ['what is done, moved and failed of hosts is recounted', 'UPDATE request SET host = 7 WHERE id = 1'],
    ['reasons are recounted', 'UPDATE reason SET failed = 1'],
    ['no count is below zero', 'UPDATE host SET retried = -1'],
    ['ids have no gaps', 'UPDATE request SET id = 99 WHERE id = 9'],
    ['a request waits at its own host', 'UPDATE delayed SET host = 7'],
    ['spans hold what they say', 'UPDATE span SET remaining = remaining - 1'],
    ['ready is recounted', 'UPDATE host SET ready = 1'],
    ['delayed is recounted', 'UPDATE host SET delayed = 5'],
    ['every waiting request is in one queue', 'UPDATE crawl SET again = 1'],
    ['free hosts with something to do are due', 'UPDATE host SET due_at = NULL'],
    ['items are of settled requests', 'UPDATE item SET request = 9'],
    ['rejects are recounted', 'UPDATE crawl SET rejects = 1'],
    ['memory is JSON or empty', "UPDATE host_memory SET json = '[1,{'"],
    ['items are JSON', "UPDATE item SET json = '{' WHERE ordinal = 0"],
    ['items are recounted, with those that are gone', 'UPDATE crawl SET items = 3'],
    ['what is done, moved and failed is recounted', 'UPDATE crawl SET done = 2'],
    ['what is done, moved and failed is recounted', 'UPDATE crawl SET moved = 1'],
    ['what is done, moved and failed is recounted', 'UPDATE crawl SET failed = 1'],
    ['what is done, moved and failed is recounted', 'DELETE FROM attempt'],
    [
      'an item is there once by request, visit and ordinal',
      'DROP INDEX item_once; INSERT INTO item (request, ordinal, json) SELECT request, ordinal, json FROM item',
    ],
  ])('tells that this does not hold: %s', async (rule, damage) => {
    const path = await made()
    new Database(path).exec(damage).close()

    const { faults } = await verifyStore(path)
    expect(faults).toContainEqual({ kind: 'rows', message: rule, rows: expect.any(Number) as number })
  })

  it('never calls a store sound of which a page in use is not as it was, and never throws', async () => {
    const path = await made()
    const sound = readFileSync(path)
    for (let page = 2; page <= sound.length / 16_384; page++) {
      const bytes = Buffer.from(sound)
      bytes.fill(0xff, (page - 1) * 16_384, page * 16_384)
      writeFileSync(path, bytes)
      expect((await verifyStore(path)).faults, `page ${page}`).not.toEqual([])
    }
  })

  it('scans each table once, and none for each row of another', async () => {
    const db = new Database(await made())
    for (const [rule, query] of Object.entries(RULES)) {
      const steps = db.prepare<unknown[], Step>(`EXPLAIN QUERY PLAN ${query}`).all()
      const perRow = new Set<number>()
      for (const { id, parent, detail } of steps) if (detail.includes('CORRELATED') || perRow.has(parent)) perRow.add(id)
      const scans = steps.filter(({ detail }) => detail.startsWith('SCAN') && detail !== 'SCAN CONSTANT ROW')
      expect(
        scans.filter(({ parent }) => perRow.has(parent)),
        rule,
      ).toEqual([])
      expect(new Set(scans.map(({ parent }) => parent)).size, rule).toBe(scans.length)
    }
    db.close()
  })

  it('throws for what is no store', async () => {
    await expect(verifyStore('/nowhere/store.db')).rejects.toMatchObject({ code: 'AVO_FRONTIER_MISSING' })
  })
})
