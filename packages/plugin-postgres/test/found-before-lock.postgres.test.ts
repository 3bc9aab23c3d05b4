// What is found before its host is locked may be something else by then: it is looked at again, and left alone.
import { postgresMissing, postgresDatabase, type TestPostgres } from '@avocet/stress/postgres'
import type { Frontier, HostLease, Outcome } from '@avocet/core/store'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { schemaOf } from '../src/connection/store-url.ts'
import { postgresFrontier } from '../src/index.ts'
import { pageRequest } from './stores.ts'

const missing = postgresMissing()

/** A crawl of one page that is handed out, an operator's process beside it, and a lane of our own. */
class Race implements AsyncDisposable {
  readonly crawl: Frontier
  readonly operator: Frontier
  readonly #client: pg.Client
  readonly #schema: string

  constructor(server: TestPostgres, name: string) {
    const url = `${server.url}?crawl=${name}`
    const options = { allowUnsafe: true, durability: 'off' } as const
    this.crawl = postgresFrontier(url, options)
    this.operator = postgresFrontier(url, options)
    this.#client = new pg.Client(server.url)
    this.#schema = schemaOf(name)
  }

  get now(): number {
    return Math.floor(this.crawl.sharing?.tenure?.now() ?? 0)
  }

  /** The page was settled, or put back, with `before`, and is handed out again. */
  async begin(before: (now: number) => Outcome): Promise<HostLease> {
    for (const frontier of [this.crawl, this.operator]) await frontier.open({ name: 'race', hostKeying: 'host' }, 0)
    await this.#client.connect()
    await this.crawl.add([pageRequest('https://a.test/1')])
    const lease = await this.#leased()
    await this.commit(lease, before(this.now))
    await this.crawl.release([{ lease, rest: { readyAt: 0, memory: {} } }])
    return vi.waitFor(async () => {
      const again = await this.#leased()
      expect(again.requests).toHaveLength(1)
      return again
    })
  }

  async #leased(): Promise<HostLease> {
    const { leases } = await this.crawl.lease({ now: this.now, hosts: 1, requestsPerHost: 5 })
    return leases[0] ?? expect.fail('expected the host to be due')
  }

  commit(lease: HostLease, outcome: Outcome): ReturnType<Frontier['commit']> {
    return this.crawl.commit([{ lease, requestId: lease.requests[0]?.id ?? 0, outcome, links: [], items: [] }])
  }

  /** Both wait for the host, `first` before `second`, which has found what it wants by then. */
  async queued<Answer>(first: () => Promise<unknown>, second: () => Promise<Answer>): Promise<Answer> {
    await this.#client.query('BEGIN')
    await this.#client.query(`SELECT id FROM "${this.#schema}".host FOR NO KEY UPDATE`)
    const before = first()
    await this.#waiting(1)
    const answer = second()
    await this.#waiting(2)
    await this.#client.query('COMMIT')
    await before
    return answer
  }

  async #waiting(calls: number): Promise<void> {
    await vi.waitFor(async () => {
      const { rows } = await this.#client.query<{ n: number }>(
        `SELECT count(*)::int AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
      )
      expect(rows[0]?.n).toBe(calls)
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.end()
    await this.crawl.close()
    await this.operator.close()
  }
}

const fetched = (at: number, status: number) => ({ at, status, durationMs: 5, wireBytes: 10 })
const failed503 = (now: number): Outcome => ({
  kind: 'failed',
  reason: 'http-503',
  fetched: fetched(now, 503),
  again: { at: now, skipped: 0 },
})

describe.skipIf(missing !== undefined)(`a page that somebody else settles before its host is locked ${missing ?? ''}`, () => {
  let server: TestPostgres
  let races = 0
  beforeAll(async () => {
    server = await postgresDatabase()
  }, 60_000)
  afterAll(() => server.stop())

  const race = (): Race => new Race(server, `race${++races}`)

  it.each<[string, (now: number) => Outcome, object]>([
    ['is done', (now) => ({ kind: 'done', fetched: fetched(now, 200) }), { state: 'done' }],
    [
      'has failed for another reason',
      (now) => ({ kind: 'failed', reason: 'robots-disallowed', fetched: fetched(now, 404) }),
      { state: 'failed', reason: 'robots-disallowed' },
    ],
  ])('is not opened again where it %s', async (_what, outcome, record) => {
    await using at = race()
    const lease = await at.begin(failed503)

    const reopened = await at.queued(
      () => at.commit(lease, outcome(at.now)),
      () => at.operator.change({ kind: 'reopen', reasons: ['http-503'], limit: 10 }),
    )

    expect(reopened).toBe(0)
    expect(await at.crawl.reader.requests({ limit: 5 })).toMatchObject([record])
  })
})
