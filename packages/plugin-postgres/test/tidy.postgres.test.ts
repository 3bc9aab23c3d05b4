// A crawl that is over gives back the disk of its queue, and loses nothing that waits.
import type { Frontier, NewRequest } from '@avocet/core/store'
import { postgresMissing } from '@avocet/stress/postgres'
import { describe, expect, it } from 'vitest'
import { ground, pageRequest } from './stores.ts'

const missing = postgresMissing()
const SPEC = { name: 'tidy', hostKeying: 'host' }
const NOW = 1_700_000_000_000
const URLS = 30_000
const AT_ONCE = 5_000

function requests(from: number, count: number): NewRequest[] {
  return Array.from({ length: count }, (_, n) => pageRequest(`https://a.test/${String(from + n)}`))
}

describe.skipIf(missing !== undefined)(`the queue of a crawl that is over ${missing ?? ''}`, () => {
  const on = ground()

  async function queueBytes(): Promise<number> {
    const { rows } = await on.client.query<{ bytes: string }>(
      `SELECT pg_total_relation_size(format('%I.ready', $1::text)::regclass) AS bytes`,
      [on.store.schema],
    )
    return Number(rows[0]?.bytes)
  }

  /** A process that has found many pages, and done all but `left` of them. */
  async function crawled(left: number): Promise<Frontier> {
    const frontier = on.store.frontier()
    await frontier.open(SPEC, NOW)
    for (let from = 0; from < URLS; from += AT_ONCE) await frontier.add(requests(from, AT_ONCE))
    const { leases } = await frontier.lease({ now: NOW, hosts: 1, requestsPerHost: URLS - left })
    const outcome = { kind: 'done', fetched: { at: NOW, status: 200, durationMs: 1, wireBytes: 1 } } as const
    for (const lease of leases)
      for (let n = 0; n < lease.requests.length; n += AT_ONCE)
        await frontier.commit(
          lease.requests.slice(n, n + AT_ONCE).map(({ id }) => ({ lease, requestId: id, outcome, links: [], items: [] })),
        )
    return frontier
  }

  it('takes no disk once the last process has left', async () => {
    const [frontier, other] = [await crawled(0), on.store.frontier()]
    await other.open(SPEC, NOW)
    await frontier.close()
    const beside = await queueBytes()
    await other.close()

    expect(beside).toBeGreaterThan(1_000_000)
    expect(await queueBytes()).toBeLessThan(20_000)
  })

  it('stays as it is while something waits in it', async () => {
    const frontier = await crawled(1)
    await frontier.close()
    expect(await queueBytes()).toBeGreaterThan(1_000_000)

    await frontier.open(SPEC, NOW)
    const { leases } = await frontier.lease({ now: NOW, hosts: 1, requestsPerHost: 9 })
    expect(leases.flatMap((lease) => lease.requests)).toHaveLength(1)
    await frontier.close()
    expect(await queueBytes()).toBeGreaterThan(1_000_000)
  })
})
