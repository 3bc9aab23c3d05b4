// Watched items while several processes say something of them at once.
import type { ChangeRecord, Frontier, HostLease, Leased } from '@avocet/core/store'
import { postgresMissing } from '@avocet/stress/postgres'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ground, pageRequest } from './stores.ts'

const missing = postgresMissing()
const SPEC = { name: 'watched', hostKeying: 'host' }

describe.skipIf(missing !== undefined)(`watched items ${missing ?? ''}`, () => {
  const on = ground()

  it('have changes in the order in which they came about, and a reader that goes on misses none, while an operator publishes', async () => {
    const [holder, operator] = [await opened(), await opened()]
    await holder.add([pageRequest('https://a.example/1')])
    // Before the operator locks the host: a lease passes over one that is locked.
    const { leases } = await holder.lease({ now: 0, hosts: 1, requestsPerHost: 1 })
    const read: ChangeRecord[] = []
    const readOn = async (): Promise<unknown> =>
      read.push(...(await operator.reader.changes({ afterSeq: read.at(-1)?.seq ?? 0 })))
    let [isOver, published] = [false, 0]

    const visiting = visited(holder, leases[0], 90).finally(() => (isOver = true))
    while (!isOver) {
      published += await operator.change({ kind: 'settle-held', hostKey: 'a.example', to: 'publish' })
      await readOn()
    }
    await visiting
    await readOn()

    const prices = read.map(({ after }) => after?.['price'])
    expect(published).toBeGreaterThan(0)
    expect(read.map(({ before }) => before?.['price'])).toEqual([undefined, ...prices.slice(0, -1)])
    expect(read).toEqual(await holder.reader.changes({}))
    expect(read).toEqual(await holder.reader.changes({ key: 'tea' }))
  })

  async function opened(): Promise<Frontier> {
    const frontier = on.store.frontier()
    onTestFinished(() => frontier.close())
    await frontier.open(SPEC, 0)
    return frontier
  }
})

/** Visits the page so often; each has another price, and two of three are held. */
async function visited(frontier: Frontier, lease: HostLease | undefined, visits: number): Promise<void> {
  if (lease === undefined) throw new Error('expected a lease')
  let page: Leased | undefined = lease.requests[0]
  for (let price = 0; price < visits; price++) {
    const fetched = { at: price, status: 200, durationMs: 1, wireBytes: 1 }
    const outcome = { kind: 'done', fetched, again: { at: price + 1, skipped: 0 } } as const
    const items = [{ json: '{}', watched: { key: 'tea', value: JSON.stringify({ price }) } }]
    const held = price % 3 === 0 ? { items } : { items: [], held: { items, reason: 'odd' } }
    await frontier.commit([{ lease, requestId: page?.id, outcome, links: [], watch: { shows: 'some' }, ...held }])
    page = (await frontier.refill(lease, 1, price + 1)).requests[0]
  }
}
