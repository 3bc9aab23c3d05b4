// A server that takes the place of that of the crawl, as processes find it. Here it is the same one, which says that it is another: only the timelines differ.
import type { AvocetError } from '@avocet/core'
import { fingerprintOf, systemClock, type Frontier, type HostLease, type NewRequest } from '@avocet/core/store'
import { postgresMissing, startFaultProxy, startPostgres, type TestPostgres } from '@avocet/stress/postgres'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { ServerConnections } from '../src/connection/connections.ts'
import { schemaOf, storeUrl } from '../src/connection/store-url.ts'
import { postgresFrontier, type PostgresFrontier } from '../src/index.ts'

const missing = postgresMissing()
const SPEC = { name: 'failover', hostKeying: 'host' }
const SECOND = 1_000
const REFUSED = expect.objectContaining({ code: 'AVO_FRONTIER_FAILED_OVER' })

/** A machine's clock, in the hands of the test. */
class Machine {
  ms = 1_000_000

  readonly sources = { monotonic: () => this.ms, wall: () => this.ms }
}

/** Adds a process to a crawl; and the URL of the crawl. */
type Join = ((machine: Machine) => PostgresFrontier) & { readonly url: string }

function seed(place: string): NewRequest {
  const url = `https://${place}`
  const fingerprint = fingerprintOf({ method: 'GET', canonicalUrl: url, handler: 'start' })
  return { fingerprint, hostKey: new URL(url).host, url, handler: 'start', depth: 0, priority: 0 }
}

async function leased(frontier: Frontier): Promise<HostLease | undefined> {
  const { leases } = await frontier.lease({ now: Math.floor(frontier.sharing?.tenure?.now() ?? 0), hosts: 1, requestsPerHost: 9 })
  return leases[0]
}

function committed(frontier: Frontier, lease: HostLease): ReturnType<Frontier['commit']> {
  const fetched = { at: 1_000, status: 200, durationMs: 5, wireBytes: 10 }
  const unit = { lease, requestId: lease.requests[0]?.id ?? 0, outcome: { kind: 'done', fetched } as const }
  return frontier.commit([{ ...unit, items: [{ json: '{}' }], links: [] }])
}

describe.skipIf(missing !== undefined)(`a failover ${missing ?? ''}`, () => {
  let server: TestPostgres
  let crawls = 0

  beforeAll(async () => {
    server = await startPostgres()
  })

  afterAll(() => server.stop())

  /** A crawl of two hosts, of which one was visited; `join` adds a process on a machine of its own. */
  async function given(): Promise<{ join: Join; failOver: () => Promise<void>; accept: () => Promise<unknown> }> {
    // Whatever a name has in it, statements have it as a name.
    const crawl = `it's a "failover" \\ $$ $& {S} ${String(++crawls)}`
    const url = `${server.url}?crawl=${encodeURIComponent(crawl)}`
    const connections = new ServerConnections({ url: storeUrl(url), schema: schemaOf(crawl), connections: 1, timeoutMs: 9_000 })
    onTestFinished(() => connections.close())
    return {
      join: Object.assign(
        ({ sources }: Machine) => {
          const frontier = postgresFrontier(url, { sources, allowUnsafe: true })
          onTestFinished(() => frontier.close().catch(() => undefined))
          return frontier
        },
        { url },
      ),
      failOver: async () =>
        void (await connections.all(
          `CREATE OR REPLACE FUNCTION {S}.timeline_of_log() RETURNS text LANGUAGE sql AS 'SELECT ''that of another server''::text'`,
        )),
      accept: () => connections.call('accept_server', []),
    }
  }

  async function working(join: Join, machine = new Machine()): Promise<PostgresFrontier> {
    const frontier = join(machine)
    await frontier.open(SPEC, 0)
    await frontier.add([seed('a.example/1'), seed('a.example/2'), seed('b.example/1')])
    return frontier
  }

  it.skipIf(process.env['AVOCET_TEST_POSTGRES'] !== undefined)(
    'is waited for by a process that begins in it: a replica is read-only until it has taken over',
    { timeout: 60_000 },
    async () => {
      const replica = await server.own?.makeReplica()
      const proxy = await startFaultProxy((await replica?.read()) ?? '', { seed: 'any', rates: {}, stallMs: 0 })
      onTestFinished(() => proxy.close())
      const opened = async (frontier: Frontier): Promise<unknown> => frontier.open(SPEC, 0).catch((error: unknown) => error)
      const begins = postgresFrontier(proxy.url, { allowUnsafe: true })

      proxy.network = 'down'
      expect(await opened(begins)).toMatchObject({ code: 'AVO_FRONTIER_AWAY' })
      proxy.network = 'up'

      const message = expect.stringContaining('got a read-only replica')
      expect(await opened(begins)).toMatchObject({ code: 'AVO_FRONTIER_AWAY', message })
      const typed = postgresFrontier(proxy.url, { allowUnsafe: true })
      expect(await opened(typed)).toMatchObject({ code: 'AVO_FRONTIER_UNUSABLE', message })
    },
  )

  it('refuses what was on its way when it came: nobody is signed in', async () => {
    const { join, failOver } = await given()
    const proxy = await startFaultProxy(server.url, { stallMs: 4_000 })
    onTestFinished(() => proxy.close())
    const url = Object.assign(new URL(join.url), { host: new URL(proxy.url).host }).href
    const frontier = postgresFrontier(url, { allowUnsafe: true })
    await frontier.open(SPEC, 0)
    await frontier.close()
    const connections = new ServerConnections({
      url: storeUrl(join.url),
      schema: schemaOf(storeUrl(join.url).crawl ?? ''),
      connections: 1,
      timeoutMs: 9_000,
    })
    onTestFinished(() => connections.close())

    proxy.inject('stall', '.sign_in')
    const opening = frontier.open(SPEC, 0)
    const clock = systemClock()
    for (const until = clock.monotonic() + 3_900; proxy.counts.stall === 0 && clock.monotonic() < until;)
      await new Promise<void>((go) => clock.at(clock.now() + 5, go))
    await failOver()

    await expect(opening).rejects.toEqual(REFUSED)
    expect(proxy.counts.stall).toBe(1)
    expect(await connections.all('SELECT id FROM {S}.process WHERE id > 0')).toEqual([])
  })

  it('refuses all that a process wants to write that worked before it', async () => {
    const { join, failOver } = await given()
    const frontier = await working(join)
    const lease = await leased(frontier)
    if (lease === undefined) throw new Error('expected a lease')
    await failOver()

    await expect(committed(frontier, lease)).rejects.toEqual(REFUSED)
    await expect(leased(frontier)).rejects.toEqual(REFUSED)
    await expect(frontier.renew([lease], 0)).rejects.toEqual(REFUSED)
    await expect(frontier.add([seed('c.example/1')])).rejects.toEqual(REFUSED)
    await expect(frontier.note({ core: '[1,{}]' })).rejects.toEqual(REFUSED)
    await expect(frontier.retire('b.example', 'gone', Infinity)).rejects.toEqual(REFUSED)
    await expect(frontier.sinks.claim('rows')).rejects.toEqual(REFUSED)
    await expect(frontier.sinks.keep({ name: 'rows', written: 1, mark: { itemSeq: 1 } })).rejects.toEqual(REFUSED)
    await expect(frontier.rejects.forget([1])).rejects.toEqual(REFUSED)
    expect(await frontier.reader.counts()).toMatchObject({ known: 3, done: 0, items: 0 })
  })

  it('is refused by whoever opens the crawl, with what came and how to go on, until it is accepted by hand', async () => {
    const { join, failOver, accept } = await given()
    await leased(await working(join))
    await failOver()
    const later = join(new Machine())
    const refused = await later.open(SPEC, 0).catch((error: unknown) => error as AvocetError)

    expect(refused).toMatchObject({
      code: 'AVO_FRONTIER_FAILED_OVER',
      message: expect.stringMatching(
        /timeline \w{8}\), got one that took its place \(that of another server\) and may lack/,
      ) as string,
      remedy: expect.stringMatching(/stop all processes .*SELECT "[^]*"\.accept_server\(\) in psql, and crawl again/) as string,
    })
    expect([await accept(), await accept()]).toEqual([true, false])
    await later.open(SPEC, 0)
    expect(await later.reader.info()).toMatchObject({ liveProcesses: 1 })
  })

  it('leaves every host as one that was taken over, for it may have been visited in what is lost', async () => {
    const { join, failOver, accept } = await given()
    const first = await working(join)
    await leased(first)
    await failOver()
    await accept()
    const later = join(new Machine())
    await later.open(SPEC, 0)
    const { leases } = await later.lease({ now: later.sharing?.tenure?.now() ?? 0, hosts: 9, requestsPerHost: 9 })

    expect(leases.map(({ hostKey, takenOver, requests }) => [hostKey, takenOver, requests.length]).toSorted()).toEqual([
      ['a.example', true, 2],
      ['b.example', true, 1],
    ])
    await later.release(
      leases.map(({ hostKey, epoch, memory }) => ({
        lease: { hostKey, epoch },
        rest: { memory, readyAt: 0, onProbation: false },
      })),
    )
    expect(await leased(later)).not.toHaveProperty('takenOver')
  })

  it('ends the work of a process for good that comes back when others have begun: it knows what is lost', async () => {
    const { join, failOver, accept } = await given()
    const asleep = new Machine()
    const first = await working(join, asleep)
    await failOver()
    await accept()
    const later = join(new Machine())
    await later.open(SPEC, 0)
    asleep.ms += 60 * SECOND

    await expect(leased(first)).rejects.toEqual(REFUSED)
    await expect(first.renew([], 0)).rejects.toEqual(REFUSED)
    expect(first.sharing?.tenure?.heldUntil()).toBeLessThan(first.sharing?.tenure?.now() ?? 0)
    await first.close()
    // Opened anew, it knows no more than the others.
    await first.open(SPEC, 0)
    expect(await later.reader.info()).toMatchObject({ liveProcesses: 2 })
    expect(await leased(first)).toMatchObject({ takenOver: true })
  })

  it('gives no number again that a lost request or item may have had', async () => {
    const { join, failOver, accept } = await given()
    const first = await working(join)
    const before = await leased(first)
    if (before === undefined) throw new Error('expected a lease')
    await committed(first, before)
    const [item] = await first.reader.items({ afterSeq: 0, limit: 9 })
    await failOver()
    await accept()
    const later = join(new Machine())
    await later.open(SPEC, 0)
    await later.add([seed('c.example/1')])
    const { leases } = await later.lease({ now: later.sharing?.tenure?.now() ?? 0, hosts: 9, requestsPerHost: 9 })
    const [a, c] = ['a.example', 'c.example'].map((key) => leases.find(({ hostKey }) => hostKey === key))
    if (a === undefined || c === undefined) throw new Error('expected two leases')
    await committed(later, a)
    const [again, next] = await later.reader.items({ afterSeq: 0, limit: 9 })

    expect(again).toEqual(item)
    expect(next?.seq).toBeGreaterThan((item?.seq ?? 0) + 100_000_000)
    expect(c.requests[0]?.id).toBeGreaterThan((before.requests[0]?.id ?? 0) + 100_000_000)
  })

  it('numbers no item before it is accepted, for a sink may have had other items under the next numbers', async () => {
    const { join, failOver, accept } = await given()
    const first = await working(join)
    const a = await leased(first)
    if (a === undefined) throw new Error('expected a lease')
    await committed(first, a)
    await failOver()
    const before = await first.reader.items({ afterSeq: 0, limit: 9 })
    await accept()
    const later = join(new Machine())
    await later.open(SPEC, 0)
    const [item] = await later.reader.items({ afterSeq: 0, limit: 9 })

    expect(before).toEqual([])
    expect(item?.seq).toBeGreaterThan(100_000_000)
  })
})
