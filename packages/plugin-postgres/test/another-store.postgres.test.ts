// A process that was away finds another store under its name, or an older one: what it knew is not taken for what the store has.
import { type CommitResult, type CommitUnit, type Frontier, type HostLease } from '@avocet/core/store'
import { postgresMissing, postgresDatabase, type TestPostgres } from '@avocet/stress/postgres'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { postgresFrontier, type PostgresFrontier } from '../src/index.ts'
import { pageRequest } from './stores.ts'

const missing = postgresMissing()
const SPEC = { name: 'another', hostKeying: 'host' }

async function leased(frontier: Frontier): Promise<readonly HostLease[]> {
  const now = Math.floor(frontier.sharing?.tenure?.now() ?? 0)
  return (await frontier.lease({ now, hosts: 9, requestsPerHost: 9 })).leases
}

/** The first page of `lease` is done, and has these links. */
function done(lease: HostLease | undefined, urls: readonly string[]): readonly CommitUnit[] {
  if (lease === undefined) throw new Error('expected a lease')
  const outcome = { kind: 'done', fetched: { at: 1, status: 200, durationMs: 1, wireBytes: 1 } } as const
  return [{ lease, requestId: lease.requests[0]?.id ?? 0, outcome, links: urls.map(pageRequest), items: [] }]
}

/** The first page of `lease` has failed. */
function failed(lease: HostLease | undefined, reason: string): readonly CommitUnit[] {
  return done(lease, []).map((unit) => ({ ...unit, outcome: { kind: 'failed', reason, blame: 'url' } }))
}

describe.skipIf(missing !== undefined)(`another store ${missing ?? ''}`, () => {
  let server: TestPostgres
  let crawls = 0

  beforeAll(async () => {
    server = await postgresDatabase()
  })

  afterAll(() => server.stop())

  function given(): { process: (sources?: { monotonic(): number; wall(): number }) => PostgresFrontier } {
    const url = `${server.url}?crawl=another-${String(++crawls)}`
    return {
      process(sources) {
        const frontier = postgresFrontier(url, { allowUnsafe: true, ...(sources && { sources }) })
        onTestFinished(() => frontier.close().catch(() => undefined))
        return frontier
      },
    }
  }

  /** The crawl of this test is made anew by `other`. */
  async function anew(other: PostgresFrontier): Promise<PostgresFrontier> {
    const client = new pg.Client(server.url)
    await client.connect()
    await client.query(`DROP SCHEMA "avocet_another-${String(crawls)}" CASCADE`)
    await client.end()
    await other.open(SPEC, 0)
    return other
  }

  it('gets links that were known in the one before, each at its own host', async () => {
    let ms = 1_000_000
    const { process } = given()
    const asleep = process({ monotonic: () => ms, wall: () => ms })
    await asleep.open(SPEC, 0)
    await asleep.add(['http://x.test/', 'http://a.test/1', 'http://b.test/1'].map(pageRequest))
    const [before] = await leased(asleep)
    const other = await anew(process())
    await other.add([pageRequest('http://c.test/'), pageRequest('http://d.test/')])
    ms += 40_000
    const codes: (readonly CommitResult[])[] = [await asleep.commit(done(before, ['http://b.test/2']))]
    const [lease] = await leased(asleep)
    codes.push(await asleep.commit(done(lease, ['http://x.test/', 'http://a.test/1', 'http://b.test/9'])))

    expect(codes.flat().map(({ status, added }) => [status, added])).toEqual([
      ['fenced', 0],
      ['committed', 3],
    ])
    const hosts = await other.reader.hosts({ limit: 9 })
    expect(hosts.map(({ hostKey, waiting }) => [hostKey, waiting]).toSorted()).toEqual([
      ['a.test', 1],
      ['b.test', 1],
      ['c.test', 0],
      ['d.test', 1],
      ['x.test', 1],
    ])
  })

  it('keeps what its processes remember, also where they have the ids of those from which the crawl before was inherited', async () => {
    let ms = 1_000_000
    const { process } = given()
    const first = process()
    await first.open(SPEC, 0)
    await first.note({ core: '[1,"of the crawl before"]' })
    await first.close()
    const asleep = process({ monotonic: () => ms, wall: () => ms })
    await asleep.open(SPEC, 0)
    const other = await anew(process())
    await other.note({ core: '[1,"of another process"]' })
    ms += 40_000

    await asleep.note({ core: '[1,"of who slept"]' })

    expect((await other.reader.info()).memories).toEqual([{ core: '[1,"of another process"]' }, { core: '[1,"of who slept"]' }])
  })

  it('gets words under its own numbers, and pages of it go to their handlers', async () => {
    let ms = 1_000_000
    const { process } = given()
    const asleep = process({ monotonic: () => ms, wall: () => ms })
    await asleep.open(SPEC, 0)
    await asleep.add(['a', 'b'].map((handler) => ({ ...pageRequest(`http://a.test/${handler}`), handler })))
    const [before] = await leased(asleep)
    await asleep.commit(failed(before, 'was gone'))
    const other = await anew(process())
    await other.add([{ ...pageRequest('http://c.test/b'), handler: 'b' }])
    const [taken] = await leased(other)
    await other.commit(failed(taken, 'was slow'))
    await other.add([{ ...pageRequest('http://d.test/b'), handler: 'b' }])
    ms += 40_000
    await asleep.add([{ ...pageRequest('http://e.test/a'), handler: 'a' }])
    const leases = await leased(asleep)
    for (const lease of leases) await asleep.commit(failed(lease, 'was gone'))

    const handlers = leases.flatMap(({ hostKey, requests }) => requests.map(({ handler }) => `${hostKey} ${handler}`))
    expect(handlers.toSorted()).toEqual(['d.test b', 'e.test a'])
    const failures = await other.reader.failures()
    expect(failures.map(({ reason, count }) => [reason, count]).toSorted()).toEqual([
      ['was gone', 2],
      ['was slow', 1],
    ])
  })

  it('is noticed where it is the same one, and older: what was answered is not there', async () => {
    const { process } = given()
    const frontier = process()
    await frontier.open(SPEC, 0)
    await frontier.add([pageRequest('http://a.test/1'), pageRequest('http://a.test/2')])
    const client = new pg.Client(server.url)
    await client.connect()
    onTestFinished(() => client.end())
    const schema = `"avocet_another-${String(crawls)}"`
    const [lease] = await leased(frontier)
    const first = await frontier.commit(done(lease, ['http://a.test/3']))
    // As a copy of the disk from before that commit would have it.
    await client.query(`UPDATE ${schema}.process SET group_no = 0, answer = ''`)
    await client.query(`DELETE FROM ${schema}.ready r USING ${schema}.request q WHERE q.id = r.id AND q.path = '/3'`)
    await client.query(`DELETE FROM ${schema}.request WHERE path = '/3'`)
    await client.query(`UPDATE ${schema}.host SET ready = ready - 1`)
    const second = await frontier.commit(done(lease && { ...lease, requests: lease.requests.slice(1) }, ['http://a.test/4']))
    const [anew] = await leased(frontier)
    const third = await frontier.commit(done(anew, ['http://a.test/3']))

    expect([first, second, third].flat().map(({ status, added }) => [status, added])).toEqual([
      ['committed', 1],
      ['fenced', 0],
      ['committed', 1],
    ])
    expect(frontier.sharing?.tenure?.term()).toBe(1)
  })
})
