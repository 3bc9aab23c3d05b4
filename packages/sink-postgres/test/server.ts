// The PostgreSQL server of a test file, and a connection to it.
import { postgresMissing, postgresDatabase, type TestPostgres } from '@avocet/stress/postgres'
import pg from 'pg'
import { afterAll, beforeAll } from 'vitest'

/** Why there is no server on this machine; undefined where there is one. */
export const missing = postgresMissing()

/** A busy machine needs many times the usual second. */
const START_MS = 60_000

/** A server while the tests of a file run. */
export interface ServerOfTests {
  /** With user and password. */
  readonly url: string
  /** Connected to it. */
  readonly client: pg.Client
}

/** Starts it before the tests of the file that calls this, and stops it after them. Nothing happens where it is `missing`. */
export function serverOfTests(): ServerOfTests {
  let server: TestPostgres | undefined
  let client: pg.Client | undefined
  beforeAll(async () => {
    if (missing !== undefined) return
    server = await postgresDatabase()
    client = new pg.Client({ connectionString: server.url })
    await client.connect()
  }, START_MS)
  afterAll(async () => {
    await client?.end()
    await server?.stop()
  })
  return {
    get url() {
      return there(server).url
    },
    get client() {
      return there(client)
    },
  }
}

function there<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('expected the server to be started before a test uses it')
  return value
}
