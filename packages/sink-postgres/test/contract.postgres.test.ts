// A table of PostgreSQL passes the contract of sinks: each item exactly once, whatever dies in between.
import type { Sink } from '@avocet/core/sink'
import { postgres, type PostgresOptions } from '@avocet/sink-postgres'
import { sinkContract, type SinkWorld } from '@avocet/testkit/contracts'
import { describe } from 'vitest'
import { missing, serverOfTests } from './server.ts'

const server = serverOfTests()
let worlds = 0

/** A table of its own, in a schema of its own: every world has the same crawl. */
async function makeWorld(options: PostgresOptions): Promise<SinkWorld> {
  worlds += 1
  const schema = `w${String(process.pid)}_${String(worlds)}`
  await server.client.query(`CREATE SCHEMA "${schema}"`)
  const sinks: Sink[] = []
  return {
    sink() {
      const sink = postgres({ url: server.url, schema, ...options })
      sinks.push(sink)
      return sink
    },
    async written() {
      const { rows: found } = await server.client.query<{ is: boolean }>('SELECT to_regclass($1) IS NOT NULL AS is', [
        `"${schema}".items`,
      ])
      if (found[0]?.is !== true) return []
      const { rows } = await server.client.query<{ n: number }>(`SELECT n::int AS n FROM "${schema}".items ORDER BY ctid`)
      return rows
    },
    // The system closes the connections of a process that is gone.
    died: async () => sinks.at(-1)?.close?.(),
    async dispose() {
      for (const sink of sinks) await sink.close?.()
      await server.client.query(`DROP SCHEMA "${schema}" CASCADE`)
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
