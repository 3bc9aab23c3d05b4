// Calls that carry much: they have more time, because the line to the server may be slow.
import { postgresMissing, postgresDatabase, type TestPostgres } from '@avocet/stress/postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ServerConnections } from '../src/connection/connections.ts'
import { storeUrl } from '../src/connection/store-url.ts'

const missing = postgresMissing()

describe.skipIf(missing !== undefined)(`a call that takes the server a second ${missing ?? ''}`, { timeout: 60_000 }, () => {
  let server: TestPostgres
  let connections: ServerConnections

  beforeAll(async () => {
    server = await postgresDatabase()
    connections = new ServerConnections({ url: storeUrl(server.url), schema: 'none', connections: 1, timeoutMs: 500 })
  })
  afterAll(async () => {
    await connections.close()
    await server.stop()
  })

  async function lengthOf(text: string): Promise<number | undefined> {
    const rows = await connections.all<{ chars: number }>('SELECT length($1::text) AS chars, pg_sleep(1)', [text])
    return rows[0]?.chars
  }

  it('is given up after half a second, if that is the bound', async () => {
    await expect(lengthOf('x'.repeat(250_000))).rejects.toMatchObject({ code: 'AVO_FRONTIER_AWAY' })
  })

  it('has 24 ms more for each thousand characters beyond 250,000', async () => {
    expect(await lengthOf('x'.repeat(300_000))).toBe(300_000)
  })
})
