// A table of PostgreSQL passes the contract of sinks: each item exactly once, whatever dies in between.
import type { Sink } from '@avocet/core/sink'
import { postgres, type PostgresOptions } from '@avocet/sink-postgres'
import { sinkContract, type SinkWorld } from '@avocet/testkit/contracts'
import { postgresMissing, startPostgres, type TestPostgres } from '@avocet/testkit/postgres'
import { afterAll, beforeAll, describe } from 'vitest'
import pg from 'pg'

const missing = postgresMissing()
/** A busy machine needs many times the usual second. */
const START_MS = 60_000
let server: TestPostgres
let client: pg.Client
let worlds = 0

beforeAll(async () => {
  if (missing !== undefined) return
  server = await startPostgres()
  client = new pg.Client({ connectionString: server.url })
  await client.connect()
}, START_MS)
afterAll(async () => {
  if (missing !== undefined) return
  await client.end()
  await server.stop()
})

/** A table of its own, in a schema of its own: every world has the same crawl. */
async function makeWorld(options: PostgresOptions): Promise<SinkWorld> {
  worlds += 1
  const schema = `w${String(process.pid)}_${String(worlds)}`
  await client.query(`CREATE SCHEMA "${schema}"`)
  const sinks: Sink[] = []
  return {
    sink() {
      const sink = postgres({ url: server.url, schema, ...options })
      sinks.push(sink)
      return sink
    },
    async written() {
      const { rows: found } = await client.query<{ is: boolean }>('SELECT to_regclass($1) IS NOT NULL AS is', [
        `"${schema}".items`,
      ])
      if (found[0]?.is !== true) return []
      const { rows } = await client.query<{ n: number }>(`SELECT n::int AS n FROM "${schema}".items ORDER BY ctid`)
      return rows
    },
    // The system closes the connections of a process that is gone.
    died: async () => sinks.at(-1)?.close?.(),
    async dispose() {
      for (const sink of sinks) await sink.close?.()
      await client.query(`DROP SCHEMA "${schema}" CASCADE`)
    },
  }
}

describe.skipIf(missing !== undefined)(`a sink of PostgreSQL ${missing ?? ''}`, () => {
  sinkContract('of a table made from its items', () => makeWorld({}), { exactlyOnce: true, fenced: true })
  sinkContract('with a key', () => makeWorld({ columns: { n: 'int', name: 'text' }, key: ['n'] }), {
    exactlyOnce: true,
    fenced: true,
  })
})
