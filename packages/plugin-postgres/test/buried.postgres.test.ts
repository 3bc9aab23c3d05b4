// A process that was buried while it slept, and says that known requests and hosts are due at another moment: what it changes is counted all the same.
import { fingerprintOf, type Frontier, type HostLease, type NewRequest } from '@avocet/core/store'
import { postgresMissing, postgresDatabase, type TestPostgres } from '@avocet/stress/postgres'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { postgresFrontier, type PostgresFrontier } from '../src/index.ts'

const missing = postgresMissing()
const SPEC = { name: 'buried', hostKeying: 'host' }
const FETCHED = { at: 1_000, status: 200, durationMs: 5, wireBytes: 10 }

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

describe.skipIf(missing !== undefined)(`a process that was buried ${missing ?? ''}`, () => {
  let server: TestPostgres
  let crawls = 0

  beforeAll(async () => {
    server = await postgresDatabase()
  })

  afterAll(() => server.stop())

  /** One page is done, two have failed; who did that was buried since, and the other one did it. */
  async function given(): Promise<{ buried: PostgresFrontier; other: PostgresFrontier; ids: readonly number[] }> {
    const url = `${server.url}?crawl=buried-${String(++crawls)}`
    const awake = { ms: 1_000_000 }
    const timeOf = (machine: { readonly ms: number }) => ({ monotonic: () => machine.ms, wall: () => machine.ms })
    const buried = postgresFrontier(url, { sources: timeOf({ ms: 1_000_000 }), allowUnsafe: true })
    const other = postgresFrontier(url, { sources: timeOf(awake), allowUnsafe: true })
    onTestFinished(async () => void (await Promise.all([buried, other].map((frontier) => frontier.close()))))
    for (const frontier of [buried, other]) await frontier.open(SPEC, 0)
    await buried.add([1, 2, 3].map(seed))
    const lease = await leased(buried)
    const ids = lease?.requests.map(({ id }) => id) ?? []
    if (lease === undefined || ids.length < 3) throw new Error('expected a lease with three requests')
    const outcomes = ids.map((_, n) =>
      n === 0 ? ({ kind: 'done', fetched: FETCHED } as const) : ({ kind: 'failed', reason: 'status-500' } as const),
    )
    await buried.commit(outcomes.map((outcome, n) => ({ lease, requestId: ids[n] ?? 0, outcome, items: [], links: [] })))
    for (let beat = 0; beat < 8; beat++) {
      await other.renew([], 0)
      awake.ms += 5_000
    }
    expect(await other.reader.info()).toMatchObject({ liveProcesses: 1 })
    return { buried, other, ids }
  }

  it('opens failed pages again, and they have not failed any more', async () => {
    const { buried, other } = await given()

    const opened = await buried.change({ kind: 'reopen', reasons: ['status-500'], limit: 9 })

    expect(opened).toBe(2)
    expect(buried.sharing?.tenure?.term()).toBe(1)
    expect(await other.reader.counts()).toMatchObject({ known: 3, waiting: 2, done: 1, failed: 0 })
    expect(await other.reader.failures()).toEqual([])
  })

  it('has a page visited again, and it waits', async () => {
    const { buried, other, ids } = await given()

    await buried.change({ kind: 'revisit', wanted: [{ id: ids[0] ?? 0, at: 5 }] })

    expect(await other.reader.counts()).toMatchObject({ done: 1, again: 1, failed: 2 })
  })

  it.each<[string, (frontier: Frontier) => Promise<unknown>]>([
    ['gives a host up', (frontier) => frontier.retire('a.example', 'slow', Infinity)],
    ['probes hosts that were given up', (frontier) => frontier.change({ kind: 'probe-retired', from: 0, now: 5 })],
  ])('%s, and the others hear of a change', async (_what, call) => {
    const { buried, other } = await given()
    await other.retire('a.example', 'dead', 9_000)
    await other.renew([], 0)
    other.sharing?.changedElsewhere()

    await call(buried)
    await other.renew([], 0)

    expect(buried.sharing?.tenure?.term()).toBe(1)
    expect(other.sharing?.changedElsewhere()).toBe(true)
  })
})
