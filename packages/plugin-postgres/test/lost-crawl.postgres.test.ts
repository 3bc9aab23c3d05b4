// A crawl that was made seconds before a failover: the server that takes the place of its own has nothing of it, or not its row. Real servers.
import { fingerprintOf, type Frontier, type NewRequest } from '@avocet/core/store'
import { postgresMissing, startPostgres, type TestPostgres } from '@avocet/stress/postgres'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ServerConnections } from '../src/connection/connections.ts'
import { schemaOf, storeUrl } from '../src/connection/store-url.ts'
import { postgresFrontier, type PostgresFrontier } from '../src/index.ts'

const missing = postgresMissing() ?? (process.env['AVOCET_TEST_POSTGRES'] === undefined ? undefined : '(the server is not ours)')
const SPEC = { name: 'lost', hostKeying: 'host' }

/** A machine's clock, in the hands of the test. */
class Machine {
  ms = 1_000_000

  readonly sources = { monotonic: () => this.ms, wall: () => this.ms }
}

function seed(place: string): NewRequest {
  const url = `https://${place}`
  const fingerprint = fingerprintOf({ method: 'GET', canonicalUrl: url, handler: 'start' })
  return { fingerprint, hostKey: new URL(url).host, url, handler: 'start', depth: 0, priority: 0 }
}

const codeOf = (error: unknown): string => (error as { code: string }).code

async function leased(frontier: Frontier): Promise<string | undefined> {
  return frontier
    .lease({ now: Math.floor(frontier.sharing?.tenure?.now() ?? 0), hosts: 1, requestsPerHost: 9 })
    .then(({ leases }) => leases[0]?.hostKey, codeOf)
}

async function opened(frontier: Frontier): Promise<string> {
  return frontier.open(SPEC, 0).then(() => 'open', codeOf)
}

describe.skipIf(missing !== undefined)(`a crawl that a failover lost ${missing ?? ''}`, { timeout: 60_000 }, () => {
  let server: TestPostgres
  const machine = new Machine()

  beforeEach(async () => {
    server = await startPostgres()
  }, 60_000)

  afterEach(() => server.stop(), 60_000)

  const joined = (options = {}): PostgresFrontier =>
    postgresFrontier(server.url, { sources: machine.sources, allowUnsafe: true, timeoutMs: 5_000, ...options })

  async function answered(frontier: Frontier): Promise<string | undefined> {
    const first = await leased(frontier)
    return first === 'AVO_FRONTIER_AWAY' ? leased(frontier) : first
  }

  it('is no crawl that was removed: a process that worked on it is told, and who begins now makes it anew', async () => {
    const replica = await server.own?.makeReplica()
    const frontier = joined()
    await frontier.open(SPEC, 0)
    await frontier.add([seed('a.example/1')])
    await replica?.takeOver()

    expect(await answered(frontier)).toBe('AVO_FRONTIER_FAILED_OVER')
    await frontier.close()
    const newcomer = joined()
    expect(await opened(newcomer)).toBe('open')
    await newcomer.close()
  })

  it('is not a crawl that was removed on the same server', async () => {
    const frontier = joined()
    await frontier.open(SPEC, 0)
    const connections = new ServerConnections({
      url: storeUrl(server.url),
      schema: schemaOf('lost'),
      connections: 1,
      timeoutMs: 9_000,
    })
    await connections.all('DROP SCHEMA {S} CASCADE')
    await connections.close()

    expect(await leased(frontier)).toBe('AVO_FRONTIER_MISSING')
    await frontier.close().catch(() => undefined)
    expect(await opened(frontier)).toBe('open')
    await frontier.close()
  })
})
