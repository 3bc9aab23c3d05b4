// What PostgreSQL, the network and the processes around it may do: nothing is lost, nothing is doubled, and no password is told.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { SinkBatch } from '@avocet/core/sink'
import { postgres } from '@avocet/sink-postgres'
import { postgresMissing, startPostgres, type TestPostgres } from '@avocet/stress/postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import pg from 'pg'
import { deliver, itemOf, sessionOf } from './deliver.ts'

const missing = postgresMissing()
/** A busy machine needs many times the usual second. */
const START_MS = 60_000
let server: TestPostgres
let tests = 0

beforeAll(async () => {
  if (missing === undefined) server = await startPostgres()
}, START_MS)
afterAll(() => server?.stop())

function fresh(): { readonly table: string; readonly id: string } {
  tests += 1
  const table = `o${String(process.pid)}_${String(tests)}`
  return { table, id: `crawl of ${table}` }
}

async function query(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  try {
    const { rows } = await client.query<Record<string, unknown>>(sql)
    return rows
  } finally {
    await client.end()
  }
}

async function numbersIn(table: string): Promise<readonly unknown[]> {
  return (await query(`SELECT n::int AS n FROM "${table}" ORDER BY n`)).map(({ n }) => n)
}

function batchOf(seqs: readonly number[], signal = new AbortController().signal): SinkBatch<never> {
  const items = seqs.map((n) => itemOf(n, { n }))
  return { items, mark: { itemSeq: Math.max(...seqs) }, signal }
}

describe.skipIf(missing !== undefined)(`a sink of PostgreSQL ${missing ?? ''}`, () => {
  it('continues behind the mark in the database, whatever the store says', async () => {
    const { table, id } = fresh()
    const sink = postgres({ url: server.url, table })
    await sink.open?.(sessionOf(id))
    await sink.write(batchOf([1, 2, 3]))
    await sink.close?.()

    const again = await postgres({ url: server.url, table }).open?.(sessionOf(id, { mark: { itemSeq: 1 } }))
    const otherCrawl = await postgres({ url: server.url, table }).open?.(sessionOf(`not ${id}`))

    expect([again, otherCrawl]).toEqual([{ itemSeq: 3 }, { itemSeq: 0 }])
  })

  it('writes nothing when another process has written meanwhile', async () => {
    const { table, id } = fresh()
    const [asleep, awake] = [1, 2].map(() => postgres({ url: server.url, table }))
    await asleep?.open?.(sessionOf(id))
    await awake?.open?.(sessionOf(id))

    await awake?.write(batchOf([1, 2, 3]))
    const late = Promise.resolve(asleep?.write(batchOf([1, 2])))

    await expect(late).rejects.toThrow('another process has written since')
    expect(await asleep?.open?.(sessionOf(id))).toEqual({ itemSeq: 3 })
    await asleep?.write(batchOf([4]))
    await Promise.all([asleep?.close?.(), awake?.close?.()])
    expect(await numbersIn(table)).toEqual([1, 2, 3, 4])
  })

  it('takes an item that was set aside whenever it comes, and once', async () => {
    const { table, id } = fresh()
    const sink = postgres({ url: server.url, table })
    await sink.open?.(sessionOf(id))
    await sink.write(batchOf([1, 3, 4]))

    await sink.write({ ...batchOf([2]), mark: { itemSeq: 4 } })
    await sink.write({ ...batchOf([2, 7]), mark: { itemSeq: 4 } })
    await sink.open?.(sessionOf(id))
    await sink.write({ ...batchOf([2]), mark: { itemSeq: 2 } })
    await sink.write(batchOf([5, 6, 7]))
    await sink.write(batchOf([8]))
    await sink.close?.()

    expect(await numbersIn(table)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  })

  it('writes everything again into a new table, when the old one is gone', async () => {
    const { table, id } = fresh()
    const items = [1, 2, 3].map((n) => itemOf(n, { n }))
    await deliver(postgres({ url: server.url, table }), items, { id })

    await query(`DROP TABLE "${table}"`)
    await deliver(postgres({ url: server.url, table }), items, { id })

    expect(await numbersIn(table)).toEqual([1, 2, 3])
  })

  it('has each item once after a crash of the server', async () => {
    const { table, id } = fresh()
    const sink = postgres({ url: server.url, table })
    const items = Array.from({ length: 60 }, (_, n) => itemOf(n + 1, { n: n + 1 }))
    let batches = 0
    const crashing = {
      ...sink,
      async write(batch: SinkBatch) {
        batches += 1
        if (batches === 3) await server.crash?.()
        await sink.write(batch)
        if (batches === 5) throw new Error('the answer to COMMIT was lost')
      },
    }

    const { failures, mark } = await deliver(crashing, items, { id, batchItems: 10 })

    expect(mark).toEqual({ itemSeq: 60 })
    expect(failures.length).toBeGreaterThanOrEqual(server.crash ? 2 : 1)
    expect(await numbersIn(table)).toEqual(items.map(({ seq }) => seq))
  })

  it('lets go of a server that does not answer, when nobody waits for it any more', async () => {
    const { table, id } = fresh()
    const sink = postgres({ url: server.url, table })
    await sink.open?.(sessionOf(id))
    await sink.write(batchOf([1]))
    const impatient = new AbortController()

    const lock = new pg.Client({ connectionString: server.url })
    await lock.connect()
    await lock.query(`BEGIN; LOCK TABLE "${table}"`)
    const stuck = Promise.resolve(sink.write(batchOf([2], impatient.signal)))
    impatient.abort()

    await expect(stuck).rejects.toThrow('PostgreSQL')
    await lock.end()
    expect(await sink.open?.(sessionOf(id))).toEqual({ itemSeq: 1 })
    await sink.write(batchOf([2]))
    await sink.close?.()
    expect(await numbersIn(table)).toEqual([1, 2])
  })

  it('has each item once after five kills of the process that delivers', { timeout: 60_000 }, async () => {
    const { table, id } = fresh()
    const words = [join(import.meta.dirname, 'deliverer.ts'), server.url, table, id, '2000']
    const begin = () =>
      spawn(process.execPath, ['--conditions=@avocet/source', ...words], { stdio: ['ignore', 'pipe', 'inherit'] })

    for (let kill = 0; kill < 5; kill += 1) {
      const child = begin()
      await once(child.stdout, 'data')
      await new Promise((resolve) => setTimeout(resolve, 3 + kill * 8))
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    const before = (await numbersIn(table)).length
    const last = await text(begin().stdout)

    expect(before).toBeGreaterThan(0)
    expect(before).toBeLessThan(2_000)
    expect(last).toMatch(/^\.+\{"mark":\{"itemSeq":2000\},"failures":\[\]\}\n$/)
    expect(await numbersIn(table)).toEqual(Array.from({ length: 2_000 }, (_, n) => n + 1))
  })
})

describe.skipIf(missing !== undefined)(`a database that cannot be written ${missing ?? ''}`, () => {
  const openingOf = async (options: Parameters<typeof postgres>[0]): Promise<string> => {
    const sink = postgres(options)
    const error = await Promise.resolve(sink.open?.(sessionOf('c'))).catch((thrown: unknown) => thrown)
    await sink.close?.()
    return error instanceof Error ? error.message : 'opened'
  }

  it('is told in one line, without the password', async () => {
    const wrong = server.url.replace(/:[^:@]*@/, ':not%20the%20password@')
    const nobody = 'postgres://me:hush-hush@127.0.0.1:1/x'

    const told = [await openingOf(wrong), await openingOf(nobody), await openingOf('postgres://me:hush-hush@[bad/x')]

    expect(told).toEqual([
      expect.stringContaining('password authentication failed for user "avocet"'),
      'PostgreSQL: connect ECONNREFUSED 127.0.0.1:1; start it, or correct url, PGHOST or PGPORT',
      expect.stringMatching(/^PostgreSQL: /),
    ])
    for (const message of told) expect(message).not.toMatch(/hush|not the password|not%20the/)
    expect(JSON.stringify(postgres(wrong))).not.toMatch(/not the password|not%20the/)
    expect(() => postgres('mysql://me:hush-hush@localhost/x')).toThrow(
      /^expected postgres: url to begin with postgres:\/\/ or postgresql:\/\/$/,
    )
  })

  it('is told with what to do', async () => {
    const { table } = fresh()
    await query(`CREATE TABLE "${table}" (sku text, price numeric)`)
    const at = { url: server.url, table }

    expect(await openingOf({ ...at, key: ['sku'] })).toContain(`CREATE UNIQUE INDEX ON "${table}" ("sku")`)
    await query(`CREATE TABLE "${table}e" ()`)
    expect(await openingOf({ ...at, table: `${table}e` })).toContain('to have a column that can be written')
    expect(() => postgres({ table: 'shop.offers' })).toThrow('without a dot')
    expect(await openingOf({ ...at, columns: { name: 'text' } })).toContain('which has sku, price')
    expect(await openingOf({ ...at, table: `${table}x`, create: false })).toContain('which does not exist; make it')
    expect(await openingOf({ ...at, url: `${server.url}?options=-c%20default_transaction_read_only%3Don` })).toContain(
      'read-only transaction',
    )
    expect(await openingOf({ ...at, url: `${server.url}?sslmode=require` })).toContain('does not support SSL')
    expect(await openingOf({ ...at, url: server.url.replace(/:[^:@/]*@/, '@') })).toContain(
      'set PGPASSWORD, or write it into ~/.pgpass',
    )
    expect(await openingOf({ ...at, url: 'postgres://me@127.0.0.1:1/x' })).toBe(
      'PostgreSQL: connect ECONNREFUSED 127.0.0.1:1; start it, or correct url, PGHOST or PGPORT',
    )
  })

  it('takes no longer to say so than anybody waits', async () => {
    const sockets: Socket[] = []
    const silent = createServer((socket) => void sockets.push(socket)).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const address = silent.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const impatient = new AbortController()
    const sink = postgres(`postgres://me:hush-hush@127.0.0.1:${String(port)}/x`)

    const opening = Promise.resolve(sink.open?.(sessionOf('c', { signal: impatient.signal })))
    await once(silent, 'connection')
    impatient.abort()

    await expect(opening).rejects.toThrow('PostgreSQL: Connection terminated unexpectedly')
    await sink.close?.()
    for (const socket of sockets) socket.destroy()
    silent.close()
  })
})
