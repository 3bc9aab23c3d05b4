// Stores of tests on one server: a crawl of its own each, removed with it.
import { fingerprintOf, type NewRequest } from '@avocet/core/store'
import type { FrontierStore } from '@avocet/testkit/contracts'
import { postgresDatabase, type TestPostgres } from '@avocet/stress/postgres'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { ServerConnections } from '../src/connection/connections.ts'
import { quotedName, schemaOf, storeUrl } from '../src/connection/store-url.ts'
import { postgresFrontier, type PostgresFrontier, type PostgresFrontierOptions } from '../src/index.ts'

let made = 0

/** A place for frontiers, and the schema of its crawl. */
export interface PostgresStore extends FrontierStore {
  readonly schema: string
  /** For readers. */
  readonly address: string
}

/** A place for frontiers on the server at `url`. */
export function postgresStore(url: string, options: PostgresFrontierOptions = {}): PostgresStore {
  const crawl = `test ${String(++made)}`
  const address = `${url}?crawl=${encodeURIComponent(crawl)}`
  const open: PostgresFrontier[] = []
  return {
    schema: schemaOf(crawl),
    address,
    frontier() {
      const frontier = postgresFrontier(address, { allowUnsafe: true, durability: 'off', ...options })
      open.push(frontier)
      return frontier
    },
    async crash() {
      for (const frontier of open.splice(0)) await frontier.abandon()
    },
    async dispose() {
      for (const frontier of open.splice(0)) await frontier.abandon()
      const connections = new ServerConnections({ url: storeUrl(url), schema: 'none', connections: 1, timeoutMs: 20_000 })
      await connections.all(`DROP SCHEMA IF EXISTS ${quotedName(schemaOf(crawl))} CASCADE`)
      await connections.close()
    },
  }
}

/** What the tests of one block stand on. */
export interface Ground {
  /** A new one for each test. */
  readonly store: PostgresStore
  /** A connection of the test's own. */
  readonly client: pg.Client
}

/** A server for the block that calls this, and for each of its tests a place for frontiers and a connection. */
export function ground(): Ground {
  let [server, store, client]: [TestPostgres?, PostgresStore?, pg.Client?] = []
  beforeAll(async () => {
    server = await postgresDatabase()
  })
  beforeEach(async () => {
    store = postgresStore(server?.url ?? '')
    client = new pg.Client(server?.url ?? '')
    await client.connect()
  })
  afterEach(async () => {
    await client?.end()
    await store?.dispose?.()
  })
  afterAll(() => server?.stop())
  return {
    get store() {
      return store ?? outside()
    },
    get client() {
      return client ?? outside()
    },
  }
}

function outside(): never {
  throw new Error('expected a test, got a question before one')
}

/** A page to request. */
export function pageRequest(url: string): NewRequest {
  const fingerprint = fingerprintOf({ method: 'GET', canonicalUrl: url, handler: 'start' })
  return { fingerprint, hostKey: new URL(url).host, url, handler: 'start', depth: 0, priority: 0 }
}
