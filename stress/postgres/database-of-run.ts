// One PostgreSQL server for all test files that do nothing to the server itself: each has a database of its own on it. Starting a server costs a second or two of
// CPU, making a database 50 ms.
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { startPostgres, type TestPostgres } from './start-postgres.ts'

/** Where the setup of a run leaves the URL of its server, for the processes of its tests. */
const SERVER_OF_RUN = 'AVOCET_TEST_POSTGRES_OF_RUN'
/** Of all test files at once. */
const MAX_CONNECTIONS = '400'

/**
 * A database of its own for a test file, on the server of the run, with fsync; on a server of its own where a file is run without the setup of the run.
 *
 * For tests that neither stop the server nor change it: those start one with `startPostgres`.
 *
 * @example
 * ```ts
 * import { postgresDatabase } from '@avocet/stress/postgres'
 *
 * const database = await postgresDatabase()
 * // … connect to database.url …
 * await database.stop()
 * ```
 */
export async function postgresDatabase(): Promise<TestPostgres> {
  const server = process.env[SERVER_OF_RUN]
  if (server === undefined) return startPostgres({ fsync: true })
  const name = `test_${randomUUID().replaceAll('-', '')}`
  const client = new pg.Client(server)
  await client.connect()
  await client.query(`CREATE DATABASE ${name}`)
  await client.end()
  const url = new URL(server)
  url.pathname = `/${name}`
  // It goes with the server: dropping it is a checkpoint, for which a busy disk may need a minute.
  return { url: url.href, stop: () => Promise.resolve() }
}

/** Starts the server of a run, before its tests begin; returns what ends it. */
export async function startServerOfRun(): Promise<() => Promise<void>> {
  const server = await startPostgres({ fsync: true, settings: { max_connections: MAX_CONNECTIONS } })
  process.env[SERVER_OF_RUN] = server.url
  return async () => {
    delete process.env[SERVER_OF_RUN]
    await server.stop()
  }
}
