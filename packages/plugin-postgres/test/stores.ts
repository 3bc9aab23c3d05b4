// Stores of tests on one server: a crawl of its own each, removed with it.
import type { FrontierStore } from '@avocet/testkit/contracts'
import { ServerConnections } from '../src/connection/connections.ts'
import { quotedName, schemaOf, storeUrl } from '../src/connection/store-url.ts'
import { postgresFrontier, type PostgresFrontier, type PostgresFrontierOptions } from '../src/index.ts'

let made = 0

/** A place for frontiers, and the schema of its crawl. */
export interface PostgresStore extends FrontierStore {
  readonly schema: string
}

/** A place for frontiers on the server at `url`. */
export function postgresStore(url: string, options: PostgresFrontierOptions = {}): PostgresStore {
  const crawl = `test ${String(++made)}`
  const address = `${url}?crawl=${encodeURIComponent(crawl)}`
  const open: PostgresFrontier[] = []
  return {
    schema: schemaOf(crawl),
    frontier() {
      const frontier = postgresFrontier(address, { allowUnsafe: true, durability: 'off', cacheEntries: 1_024, ...options })
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
