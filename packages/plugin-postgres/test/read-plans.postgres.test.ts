// Reads of a crawl go by indexes although nobody has ever analysed its tables: the server counts whether it read one from end to end.
import { hash } from 'node:crypto'
import type { Fingerprint, NewRequest } from '@avocet/core/store'
import { postgresMissing, postgresDatabase, type TestPostgres } from '@avocet/stress/postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ServerConnections } from '../src/connection/connections.ts'
import { schemaOf, storeUrl } from '../src/connection/store-url.ts'
import { postgresFrontier } from '../src/index.ts'
import { postgresReader } from '../src/read/postgres-reader.ts'

const missing = postgresMissing()
const HOSTS = 200
const TABLES = ['request', 'attempt', 'host_memory', 'ready']

describe.skipIf(missing !== undefined)(`reads without statistics ${missing ?? ''}`, { timeout: 60_000 }, () => {
  let server: TestPostgres
  let queries: ServerConnections

  beforeAll(async () => {
    server = await postgresDatabase()
    const url = `${server.url}?crawl=plans`
    await filled(url)
    // One connection, so that it has counted what it did when it is asked.
    queries = new ServerConnections({ url: storeUrl(url), schema: schemaOf('plans'), connections: 1, timeoutMs: 20_000 })
    await othersGone()
  }, 120_000)
  afterAll(async () => {
    await queries.close()
    await server.stop()
  })

  /** The server counts what a connection did when it has ended, which may be after its client has closed it. */
  async function othersGone(): Promise<void> {
    const others = `SELECT count(*)::int AS count FROM pg_stat_activity, pg_sleep(0.05)
      WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`
    for (let left = 400; left > 0; left--) if ((await queries.all<{ count: number }>(others))[0]?.count === 0) return
    throw new Error('expected the connections that made the store to end within 20 s')
  }

  /** How often each table was read from end to end so far. */
  async function scans(): Promise<Readonly<Record<string, number>>> {
    await queries.all('SELECT pg_stat_force_next_flush()')
    const rows = await queries.all<{ relname: string; seq_scan: number }>(
      'SELECT relname, seq_scan FROM pg_stat_user_tables WHERE schemaname = $1 AND relname = ANY ($2)',
      [schemaOf('plans'), TABLES],
    )
    return Object.fromEntries(rows.map(({ relname, seq_scan }) => [relname, seq_scan]))
  }

  it('find what is asked for, and nothing is read from end to end', async () => {
    const reader = postgresReader(queries)
    const before = await scans()

    expect(await reader.requests({ url: 'https://h7.example/7' })).toHaveLength(1)
    expect(await reader.requests({ url: 'https://h7.example/nothing' })).toEqual([])
    expect(await reader.hosts({ limit: 100, parts: ['core'] })).toHaveLength(100)
    expect(await reader.requests({ state: 'waiting', hostKey: 'h7.example', limit: 1 })).toHaveLength(1)
    expect(await reader.requests({ state: 'done', limit: 10 })).toHaveLength(10)
    expect(await reader.requests({ state: 'failed', hostKey: 'h7.example', limit: 1 })).toEqual([])
    expect(await reader.requests({ reason: 'http-404', limit: 1 })).toEqual([])

    expect(await scans()).toEqual(before)
  })
})

/** A crawl of 10,000 URLs, of which each host has one that is done. */
async function filled(url: string): Promise<void> {
  const frontier = postgresFrontier(url, { allowUnsafe: true, timeoutMs: 60_000 })
  await frontier.open({ name: 'plans', hostKeying: 'host' }, 0)
  for (let from = 0; from < 10_000; from += 2_000)
    await frontier.add(Array.from({ length: 2_000 }, (_, n) => newRequest(from + n)))
  const { leases } = await frontier.lease({ now: 0, hosts: HOSTS, requestsPerHost: 1, onProbation: HOSTS })
  const fetched = { at: 1, status: 200, durationMs: 1, wireBytes: 1 }
  await frontier.commit(
    leases.flatMap((lease) =>
      lease.requests.map(({ id }) => ({
        lease,
        requestId: id,
        outcome: { kind: 'done', fetched } as const,
        links: [],
        items: [],
      })),
    ),
  )
  await frontier.release(leases.map((lease) => ({ lease, rest: { readyAt: 0, memory: { core: `[1,"${'x'.repeat(900)}"]` } } })))
  await frontier.close()
}

function newRequest(n: number): NewRequest {
  const hostKey = `h${String(n % HOSTS)}.example`
  const url = `https://${hostKey}/${String(n)}`
  const fingerprint = hash('sha1', url, 'buffer').subarray(0, 16).toString('latin1') as Fingerprint
  return { fingerprint, hostKey, url, handler: 'start', depth: 0, priority: 0 }
}
