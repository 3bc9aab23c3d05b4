// The server of the tests answers, again after a crash, and is gone after its stop. One of our own is killed, frozen, and replaced by a replica that lags.
import { createConnection } from 'node:net'
import { postgresMissing, startPostgres, type OwnPostgres, type TestPostgres } from '@avocet/stress/postgres'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

const missing = postgresMissing()
const isOwn = missing === undefined && process.env['AVOCET_TEST_POSTGRES'] === undefined
const TIMELINE = 'SELECT left(pg_walfile_name(pg_current_wal_lsn()), 8) AS value'

describe.skipIf(missing !== undefined)(`a PostgreSQL server for tests ${missing ?? ''}`, () => {
  it('listens on this machine, again after a crash, and no longer after its stop', async () => {
    const server = await startPostgres()

    const before = await isThere(server.url)
    await server.crash?.()
    const afterCrash = await isThere(server.url)
    await server.stop()
    const afterStop = await isThere(server.url)

    expect([before, afterCrash, afterStop]).toEqual([true, true, server.crash === undefined])
  })
})

describe.skipIf(!isOwn)('a PostgreSQL server of our own', () => {
  let server: TestPostgres
  let own: OwnPostgres

  beforeAll(async () => {
    server = await startPostgres()
    if (server.own === undefined) throw new Error('expected a server of our own')
    own = server.own
    await valueOf(server.url, 'CREATE TABLE noted (word text)')
  })

  afterAll(() => server.stop())

  it('is gone when it is killed, and back at the same port with what was committed', async () => {
    await valueOf(server.url, "INSERT INTO noted VALUES ('before the kill')")

    await own.kill()
    const killed = await isThere(server.url)
    await own.start()

    expect(killed).toBe(false)
    expect(await valueOf(server.url, 'SELECT count(*) AS value FROM noted')).toBe('1')
  })

  it('answers no more while it is frozen, and goes on with the same connections', async () => {
    const client = new pg.Client(server.url)
    await client.connect()
    onTestFinished(() => client.end())
    let isAnswered = false

    own.freeze()
    const answer = client.query('SELECT 1').then(() => (isAnswered = true))
    const isAccepted = await isThere(server.url)
    const answeredWhileFrozen = isAnswered
    own.resume()
    await answer

    // The system accepts for it.
    expect([isAccepted, answeredWhileFrozen, isAnswered]).toEqual([true, false, true])
  })

  it('is replaced by a replica that lacks what was committed later, under another timeline', async () => {
    const before = await valueOf(server.url, TIMELINE)
    await valueOf(server.url, "INSERT INTO noted VALUES ('seen')")

    const replica = await own.makeReplica()
    await valueOf(server.url, "INSERT INTO noted VALUES ('lost')")
    const reading = await replica.read()
    const words = "SELECT string_agg(word, ', ' ORDER BY word) AS value FROM noted"
    const whileReading = await valueOf(reading, words)
    const writing = valueOf(reading, "INSERT INTO noted VALUES ('refused')")
    await expect(writing).rejects.toThrow('read-only transaction')
    await replica.takeOver()

    expect(whileReading).toBe('before the kill, seen')
    expect(await valueOf(server.url, words)).toBe('before the kill, seen')
    expect(await valueOf(server.url, TIMELINE)).not.toBe(before)
    await valueOf(server.url, "INSERT INTO noted VALUES ('accepted')")
  })

  it('is replaced by a replica once more, after another kill', async () => {
    const before = await valueOf(server.url, TIMELINE)
    const replica = await own.makeReplica()

    await own.kill()
    await replica.takeOver()

    expect(await valueOf(server.url, TIMELINE)).not.toBe(before)
  })
})

async function valueOf(url: string, statement: string): Promise<string | undefined> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    const { rows } = await client.query<{ readonly value: string }>(statement)
    return rows[0]?.value
  } finally {
    await client.end()
  }
}

function isThere(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve) => {
    const socket = createConnection(Number(port), hostname)
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}
