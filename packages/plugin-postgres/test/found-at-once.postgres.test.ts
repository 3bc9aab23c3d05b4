// Links that several processes find at once are in the store once, and none of the groups is lost: each waits for the lock of the link's host.
import { systemClock, type CommitResult, type Frontier } from '@avocet/core/store'
import { postgresMissing } from '@avocet/stress/postgres'
import { describe, expect, it } from 'vitest'
import { ground, pageRequest } from './stores.ts'

const missing = postgresMissing()
const SPEC = { name: 'found at once', hostKeying: 'host' }
const NOW = 1_700_000_000_000

describe.skipIf(missing !== undefined)(`links found at once ${missing ?? ''}`, () => {
  const on = ground()

  /** How many statements of this crawl wait for a lock: as soon as it is `wanted`, or after 10 s. */
  async function untilWaiting(wanted: number): Promise<number> {
    const clock = systemClock()
    const until = clock.monotonic() + 10_000
    const text = `SELECT count(*)::int AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND strpos(query, $1) > 0`
    for (;;) {
      // Within a transaction it would be seen once.
      await on.client.query('SELECT pg_stat_clear_snapshot()')
      const n = (await on.client.query<{ n: number }>(text, [`"${on.store.schema}"`])).rows[0]?.n ?? 0
      if (n === wanted || clock.monotonic() > until) return n
      await new Promise<void>((go) => clock.at(clock.now() + 5, go))
    }
  }

  /** Runs `calls` while all hosts are locked, and lets them go once each of them waits for a lock. */
  async function atOnce<Answer>(calls: readonly (() => Promise<Answer>)[]): Promise<readonly Answer[]> {
    await on.client.query('BEGIN')
    await on.client.query(`SELECT 1 FROM "${on.store.schema}".host FOR UPDATE`)
    const answers = calls.map((call) => call())
    const waiting = await untilWaiting(calls.length)
    await on.client.query('COMMIT')
    expect(waiting).toBe(calls.length)
    return Promise.all(answers)
  }

  /** A process that holds a host, and a commit of its page with these links. */
  async function finding(hostKey: string, urls: readonly string[]): Promise<() => Promise<readonly CommitResult[]>> {
    const frontier: Frontier = on.store.frontier()
    await frontier.open(SPEC, NOW)
    await frontier.add([pageRequest(`https://${hostKey}/`)])
    const { leases } = await frontier.lease({ now: NOW, hosts: 1, requestsPerHost: 1 })
    const [lease] = leases
    const [page] = lease?.requests ?? []
    if (lease === undefined || page === undefined) throw new Error('expected a lease of a host with a page')
    const outcome = { kind: 'done', fetched: { at: NOW, status: 200, durationMs: 1, wireBytes: 1 } } as const
    const links = urls.map((url) => ({ ...pageRequest(url), parentId: page.id }))
    return () => frontier.commit([{ lease, requestId: page.id, outcome, links, items: [{ json: '1' }] }])
  }

  it('are new to the first group, known to the others, and every group is committed with what only it has', async () => {
    const finders = [
      await finding('a.test', ['https://common.test/1', 'https://a.test/own']),
      await finding('b.test', ['https://common.test/1', 'https://common.test/2', 'https://b.test/own']),
      await finding('c.test', ['https://common.test/2', 'https://common.test/1']),
    ]
    const others = on.store.frontier()
    await others.open(SPEC, NOW)
    await others.add([pageRequest('https://common.test/')])

    const results = (await atOnce(finders)).flat()

    expect(results.map(({ status }) => status)).toEqual(['committed', 'committed', 'committed'])
    expect(results.reduce((sum, { added }) => sum + added, 0)).toBe(4)
    expect(await others.reader.counts()).toMatchObject({ known: 8, done: 3, items: 3 })
    const common = (await others.reader.hosts({ limit: 9 })).find(({ hostKey }) => hostKey === 'common.test')
    expect(common).toMatchObject({ waiting: 3 })
  })

  it('of seeds as well', async () => {
    const [one, two] = [on.store.frontier(), on.store.frontier()]
    await one.open(SPEC, NOW)
    await two.open(SPEC, NOW)
    await one.add([pageRequest('https://common.test/')])

    const added = await atOnce([one, two].map((frontier) => () => frontier.add([pageRequest('https://common.test/1')])))

    expect(added.map((each) => each.added).toSorted()).toEqual([0, 1])
    expect(await one.reader.counts()).toMatchObject({ known: 2 })
  })
})
