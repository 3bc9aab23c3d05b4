// Pages in progress of a host whose last holder died, as the store knows them when the machine of the next one dies with its files.
import { fingerprintOf, systemClock, type Frontier, type HostLease, type NewRequest } from '@avocet/core/store'
import { postgresMissing, startFaultProxy, postgresDatabase, type TestPostgres } from '@avocet/stress/postgres'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { schemaOf } from '../src/connection/store-url.ts'
import { postgresFrontier } from '../src/index.ts'

const missing = postgresMissing()
const SPEC = { name: 'progress', hostKeying: 'host' }
const STALL_MS = 3_000
const TIMEOUT_MS = 2_000

function seed(n: number): NewRequest {
  const url = `https://a.example/${String(n)}`
  const fingerprint = fingerprintOf({ method: 'GET', canonicalUrl: url, handler: 'start' })
  return { fingerprint, hostKey: 'a.example', url, handler: 'start', depth: 0, priority: 0 }
}

async function leased(frontier: Frontier): Promise<HostLease | undefined> {
  const now = Math.floor(frontier.sharing?.tenure?.now() ?? 0)
  const { leases } = await frontier.lease({ now, hosts: 1, requestsPerHost: 9 })
  return leases[0]
}

describe.skipIf(missing !== undefined)(`pages in progress ${missing ?? ''}`, () => {
  let server: TestPostgres
  let crawls = 0

  beforeAll(async () => {
    server = await postgresDatabase()
  })

  afterAll(() => server.stop())

  /** A process that took a host with two pages over from a dead one. Its files are under another name than those of whoever goes to the server itself. */
  async function given(timeoutMs = TIMEOUT_MS) {
    const proxy = await startFaultProxy(server.url, { stallMs: STALL_MS })
    const name = `progress-${String(++crawls)}`
    const [dead, frontier, heir] = [server.url, proxy.url, server.url].map((url) =>
      postgresFrontier(`${url}?crawl=${name}`, { allowUnsafe: true, timeoutMs }),
    )
    if (dead === undefined || frontier === undefined || heir === undefined) throw new Error('expected three frontiers')
    onTestFinished(async () => {
      await heir.close()
      await proxy.close()
    })
    await dead.open(SPEC, 0)
    await dead.add([seed(1), seed(2)])
    await leased(dead)
    await dead.abandon()
    await frontier.open(SPEC, 0)
    const lease = await leased(frontier)
    expect(lease).toMatchObject({ takenOver: true })
    const [first = 0, second = 0] = lease?.requests.map(({ id }) => id) ?? []
    /** Ids of the pages that are accused of its death. */
    const died = async (): Promise<number[]> => {
      await frontier.abandon()
      await heir.open(SPEC, 0)
      const client = new pg.Client(server.url)
      await client.connect()
      const { rows } = await client.query<{ id: string }>(`SELECT id FROM "${schemaOf(name)}".death ORDER BY id`)
      await client.end()
      return rows.map(({ id }) => Number(id))
    }
    return { proxy, frontier, first, second, died }
  }

  it('are not taken back by a write that began before theirs, and takes longer', async () => {
    const { proxy, frontier, first, second, died } = await given(TIMEOUT_MS + STALL_MS)
    proxy.inject('stall', '.put_in_progress(')
    const older = frontier.inProgress([first])
    const newer = frontier.inProgress([first, second])
    await Promise.all([older, newer])

    expect(await died()).toEqual([first, second])
  })

  it('are not taken back by a write that comes when nobody waits for it any more', async () => {
    const { proxy, frontier, first, second, died } = await given()
    const clock = systemClock()
    const injectedAt = clock.now()
    proxy.inject('stall', '.put_in_progress(')
    await frontier.inProgress([first])
    await frontier.inProgress([first, second])
    await new Promise<void>((go) => clock.at(injectedAt + STALL_MS + 500, go))

    expect(await died()).toEqual([first, second])
  })

  it('are written after a write that failed, though they are the same', async () => {
    const { proxy, frontier, first, died } = await given()
    proxy.inject('reset', '.put_in_progress(')
    await frontier.inProgress([first])
    await frontier.inProgress([first])

    expect(await died()).toEqual([first])
  })

  it('are told to the store once', async () => {
    const { frontier, first, died } = await given()
    await frontier.inProgress([first])

    expect(frontier.inProgress([first])).toBeUndefined()
    expect(await died()).toEqual([first])
  })
})
