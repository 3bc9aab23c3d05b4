// A network that holds calls back, and passes them on when the process that made them has long given up waiting; and one that cuts connections.
import { fingerprintOf, systemClock, type Frontier, type HostLease, type NewRequest } from '@avocet/core/store'
import { postgresMissing, startFaultProxy, postgresDatabase, type TestPostgres } from '@avocet/stress/postgres'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { postgresFrontier, type PostgresFrontier } from '../src/index.ts'
import type { TimeSources } from '../src/process/held-time.ts'

const missing = postgresMissing()
const SPEC = { name: 'late', hostKeying: 'host' }
const STALL_MS = 3_000
const TIMEOUT_MS = 2_000

function seed(place: string): NewRequest {
  const url = `https://${place}`
  const fingerprint = fingerprintOf({ method: 'GET', canonicalUrl: url, handler: 'start' })
  return { fingerprint, hostKey: new URL(url).host, url, handler: 'start', depth: 0, priority: 0 }
}

async function leased(frontier: Frontier, hosts: number): Promise<string[]> {
  const { leases } = await frontier.lease({ now: Math.floor(frontier.sharing?.tenure?.now() ?? 0), hosts, requestsPerHost: 9 })
  return leases.map(({ hostKey }) => hostKey).toSorted()
}

const refused = (error: unknown): string => (error as { code: string }).code

describe.skipIf(missing !== undefined)(`a call that comes late, or not ${missing ?? ''}`, () => {
  let server: TestPostgres
  let crawls = 0

  beforeAll(async () => {
    server = await postgresDatabase()
  })

  afterAll(() => server.stop())

  async function given(sources?: TimeSources) {
    const proxy = await startFaultProxy(server.url, { stallMs: STALL_MS })
    const url = `${proxy.url}?crawl=late-${String(++crawls)}`
    const frontier: PostgresFrontier = postgresFrontier(url, {
      allowUnsafe: true,
      timeoutMs: TIMEOUT_MS,
      ...(sources && { sources }),
    })
    onTestFinished(async () => {
      await frontier.close().catch(() => undefined)
      await proxy.close()
    })
    await frontier.open(SPEC, 0)
    await frontier.add(['a', 'b', 'c'].map((host) => seed(`${host}.example/1`)))
    return { proxy, frontier }
  }

  async function untilItCame(): Promise<void> {
    const clock = systemClock()
    await new Promise<void>((go) => clock.at(clock.now() + STALL_MS, go))
  }

  it('leases no host to a process that does not know of it', async () => {
    const { proxy, frontier } = await given()
    proxy.inject('stall', '.lease(')
    const first = await leased(frontier, 1).catch(refused)
    const second = await leased(frontier, 1)
    await untilItCame()

    expect(first).toBe('AVO_FRONTIER_AWAY')
    expect(second).toHaveLength(1)
    expect([...second, ...(await leased(frontier, 9))].toSorted()).toEqual(['a.example', 'b.example', 'c.example'])
  })

  it('takes no host from a process that leased it since', async () => {
    const { proxy, frontier } = await given()
    const other = postgresFrontier(`${server.url}?crawl=late-${String(crawls)}`, { allowUnsafe: true })
    onTestFinished(() => other.close())
    await other.open(SPEC, 0)
    proxy.inject('lost-reply', '.lease(')
    const codes = [await leased(frontier, 1).catch(refused)]
    proxy.inject('stall', '.keep_only(')
    codes.push(await leased(frontier, 1).catch(refused))
    const held = await leased(frontier, 9)
    await untilItCame()

    expect(codes).toEqual(['AVO_FRONTIER_AWAY', 'AVO_FRONTIER_AWAY'])
    expect(held).toEqual(['a.example', 'b.example', 'c.example'])
    expect(await leased(other, 9)).toEqual([])
  })

  it('leaves no host with a process that lost its lease to a fault behind the answer', async () => {
    const { proxy, frontier } = await given()
    proxy.inject('reset', 'crawl_memory')
    const first = await leased(frontier, 1).catch(refused)

    expect(first).toBe('AVO_FRONTIER_AWAY')
    expect(await leased(frontier, 9)).toEqual(['a.example', 'b.example', 'c.example'])
  })

  it('is no beat of somebody else, though the process does not know that it came', async () => {
    const { proxy, frontier } = await given()
    proxy.inject('lost-reply', '.beat(')
    const codes = [await frontier.renew([], 0).then(() => 'renewed', refused)]
    proxy.inject('stall', '.beat(')
    codes.push(await frontier.renew([], 0).then(() => 'renewed', refused))
    await untilItCame()
    for (const _again of [1, 2]) codes.push(await frontier.renew([], 0).then(() => 'renewed', refused))

    expect(codes).toEqual(['AVO_FRONTIER_AWAY', 'AVO_FRONTIER_AWAY', 'renewed', 'renewed'])
    expect(frontier.sharing?.tenure?.term()).toBe(0)
  })

  it('keeps nobody from leaving whose connection is cut meanwhile', async () => {
    const { proxy, frontier } = await given()
    proxy.inject('reset', '.sign_out(')
    await frontier.close()
    const client = new pg.Client(server.url)
    await client.connect()
    onTestFinished(() => client.end())

    // Nobody who opens the crawl has to bury it.
    expect((await client.query(`SELECT id FROM "avocet_late-${String(crawls)}".process WHERE id > 0`)).rows).toEqual([])
  })

  it('keeps nobody from leaving whose server is away', async () => {
    const { proxy, frontier } = await given()
    await proxy.close()

    await expect(frontier.close()).resolves.toBeUndefined()
  })

  it('is no second commit, and undoes nothing that came after it', async () => {
    const { proxy, frontier } = await given()
    const { leases } = await frontier.lease({
      now: Math.floor(frontier.sharing?.tenure?.now() ?? 0),
      hosts: 9,
      requestsPerHost: 9,
    })
    const [first, second] = leases
    if (first === undefined || second === undefined) throw new Error('expected two leases')
    const done = ({ requests }: HostLease) => ({
      requestId: requests[0]?.id ?? 0,
      outcome: { kind: 'done', fetched: { at: 1_000, status: 200, durationMs: 5, wireBytes: 10 } } as const,
    })
    const link = { ...seed('d.example/2'), depth: 1 }
    const units = [{ lease: first, ...done(first), links: [link], items: [], memory: { core: '[1,"old"]' } }]
    proxy.inject('stall', '.commit(')
    const codes = [await frontier.commit(units).then(() => 'committed', refused)]
    const again = await frontier.commit(units)
    await frontier.commit([{ lease: first, links: [], items: [], memory: { core: '[1,"new"]' } }])
    await frontier.commit([{ lease: second, ...done(second), links: [], items: [] }])
    await untilItCame()

    expect(codes).toEqual(['AVO_FRONTIER_AWAY'])
    expect(again).toMatchObject([{ status: 'committed', added: 1, gained: [{ hostKey: 'd.example', count: 1 }] }])
    expect(await frontier.reader.counts()).toMatchObject({ known: 4, done: 2, waiting: 2 })
    expect((await frontier.reader.hosts({ hostKey: first.hostKey }))[0]?.memory).toMatchObject({ core: '[1,"new"]' })
  })

  it('takes no host away that was leased anew since: turns of the lease before are fenced, and nothing else', async () => {
    let ms = 1_000_000
    const { proxy, frontier } = await given({ monotonic: () => ms, wall: () => ms })
    const lease = async (): Promise<HostLease[]> => {
      const { leases } = await frontier.lease({
        now: Math.floor(frontier.sharing?.tenure?.now() ?? 0),
        hosts: 9,
        requestsPerHost: 9,
      })
      return [...leases].toSorted((a, b) => (a.hostKey < b.hostKey ? -1 : 1))
    }
    const outcome = { kind: 'done', fetched: { at: 1_000, status: 200, durationMs: 5, wireBytes: 10 } } as const
    const turns = (leases: readonly HostLease[]) =>
      leases.map((each) => ({ lease: each, requestId: each.requests[0]?.id ?? 0, outcome, links: [], items: [] }))
    const before = turns(await lease())
    proxy.inject('reset', '.commit(')
    const codes = [await frontier.commit(before).then(() => 'committed', refused)]
    ms += 25_000
    const anew = turns(await lease())
    codes.push(...(await frontier.commit(before)).map(({ status }) => status))
    codes.push(...(await frontier.commit(anew)).map(({ status }) => status))

    expect(codes).toEqual(['AVO_FRONTIER_AWAY', ...Array<string>(3).fill('fenced'), ...Array<string>(3).fill('committed')])
    expect(await frontier.reader.counts()).toMatchObject({ done: 3, waiting: 0 })
  })

  it('mixes up no hosts where the same turns are written again and others became known meanwhile', async () => {
    const { proxy, frontier } = await given()
    const { leases } = await frontier.lease({
      now: Math.floor(frontier.sharing?.tenure?.now() ?? 0),
      hosts: 1,
      requestsPerHost: 9,
    })
    const [lease] = leases
    if (lease === undefined) throw new Error('expected a lease')
    const fetched = { at: 1_000, status: 200, durationMs: 5, wireBytes: 10 }
    const outcome = { kind: 'done', fetched } as const
    const links = ['x.example/1', 'y.example/1', 'z.example/1'].map((place) => ({ ...seed(place), depth: 1 }))
    const units = [{ lease, requestId: lease.requests[0]?.id ?? 0, outcome, links, items: [] }]
    proxy.inject('lost-reply', '.commit(')
    const code = await frontier.commit(units).then(() => 'committed', refused)
    await frontier.lease({ now: Math.floor(frontier.sharing?.tenure?.now() ?? 0), hosts: 9, requestsPerHost: 9 })
    await frontier.add([seed('x.example/1'), seed('w.example/1')])
    const [again] = await frontier.commit(units)
    await frontier.add([seed('y.example/2'), seed('z.example/2'), seed('x.example/2')])
    const hosts = await Promise.all(['x', 'y', 'z'].map((name) => frontier.reader.hosts({ hostKey: `${name}.example` })))

    expect(code).toBe('AVO_FRONTIER_AWAY')
    expect(again?.gained.map(({ hostKey }) => hostKey).toSorted()).toEqual(['x.example', 'y.example', 'z.example'])
    expect(hosts.map(([host]) => host?.waiting)).toEqual([2, 2, 2])
  })
})
