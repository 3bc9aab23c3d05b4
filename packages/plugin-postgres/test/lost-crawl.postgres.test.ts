// A crawl that was made seconds before a failover: the server that takes the place of its own has nothing of it, or not its row. Real servers.
import { fingerprintOf, type Frontier, type NewRequest } from '@avocet/core/store'
import { postgresMissing, startPostgres, type TestPostgres } from '@avocet/stress/postgres'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ServerConnections } from '../src/connection/connections.ts'
import { schemaOf, storeUrl } from '../src/connection/store-url.ts'
import { postgresFrontier, type PostgresFrontier } from '../src/index.ts'

const missing = postgresMissing() ?? (process.env['AVOCET_TEST_POSTGRES'] === undefined ? undefined : '(the server is not ours)')
const SPEC = { name: 'lost', canonicalisation: 'v1', hostKeying: 'host' }
const SECOND = 1_000

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
    .lease({ now: Math.floor(frontier.tenure?.now() ?? 0), hosts: 1, requestsPerHost: 9 })
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

  it('is no crawl that was removed, and begins anew by itself once nobody can hold a host any more', async () => {
    const replica = await server.own?.makeReplica()
    const frontier = joined()
    await frontier.open(SPEC, 0)
    await frontier.add([seed('a.example/1')])
    await replica?.takeOver()

    expect(await answered(frontier)).toBe('AVO_FRONTIER_FAILED_OVER')
    await frontier.close()
    const answers = [await opened(frontier)]
    const [newcomer, other] = [joined(), joined({ failedOver: true })]
    answers.push(await opened(newcomer), await opened(other))
    machine.ms += 30 * SECOND
    answers.push(await opened(frontier), await opened(newcomer), await opened(other))

    expect(answers).toEqual([...Array.from({ length: 3 }, () => 'AVO_FRONTIER_AWAY'), ...Array.from({ length: 3 }, () => 'open')])
    await frontier.add([seed('a.example/1')])
    const { leases } = await frontier.lease({ now: Math.floor(frontier.tenure?.now() ?? 0), hosts: 1, requestsPerHost: 9 })
    expect(leases[0]?.requests[0]?.id).toBeGreaterThan(100_000_000)
    for (const each of [frontier, newcomer, other]) await each.close()
  })

  it('is waited for by a process that was started anew for it, and knows nothing but that', async () => {
    const frontier = joined({ failedOver: true })
    const before = await opened(frontier)
    machine.ms += 30 * SECOND

    expect([before, await opened(frontier)]).toEqual(['AVO_FRONTIER_AWAY', 'open'])
    await frontier.close()
  })

  it('is waited for where the server has its tables, and not its row', async () => {
    const frontier = joined()
    await frontier.open(SPEC, 0)
    await frontier.add([seed('a.example/1')])
    const replica = await server.own?.makeReplica()
    const connections = new ServerConnections({
      url: storeUrl(server.url),
      schema: schemaOf('lost'),
      connections: 1,
      timeoutMs: 9_000,
    })
    await replica?.takeOver()
    await connections.all('SELECT 1').catch(() => undefined)
    await connections.all('DELETE FROM {S}.crawl')
    await connections.close()

    expect(await answered(frontier)).toBe('AVO_FRONTIER_FAILED_OVER')
    await frontier.close()
    const before = await opened(frontier)
    machine.ms += 30 * SECOND
    expect([before, await opened(frontier)]).toEqual(['AVO_FRONTIER_AWAY', 'open'])
    await frontier.close()
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
