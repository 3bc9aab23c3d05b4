// Contract: leasing one host by its key, whatever it has to do.
import { expect, it } from 'vitest'
import type { FrontierStore } from './frontier-store.ts'
import { leaseOne, leasedOne, newRequest, newRequests, openedWith } from './story.ts'

/** What `leaseHost` promises. */
export function leaseByKeyContract(make: () => FrontierStore): void {
  const wanted = { hostKey: 'x.example', url: 'https://x.example/robots.txt' }

  it('holds a host that was never met, and keeps its memory', async () => {
    const { frontier } = await openedWith(make, newRequests(1))
    const lease = await frontier.leaseHost(wanted, 0)
    expect(lease).toMatchObject({ hostKey: 'x.example', memory: {}, requests: [], waiting: 0 })
    expect(await frontier.leaseHost(wanted, 0)).toBeUndefined()
    if (lease === undefined) throw new Error('expected a lease of x.example, got none')
    expect(await frontier.commit([{ lease, links: [], items: [], memory: { core: '1' } }])).toMatchObject([
      { status: 'committed' },
    ])
    await frontier.release([{ lease, rest: { readyAt: 0, memory: { retry: '2' } } }])
    expect(await frontier.leaseHost(wanted, 0)).toMatchObject({ memory: { core: '1', retry: '2' } })
    expect(await frontier.reader.counts()).toMatchObject({ known: 1, waiting: 1 })
  })

  it('hands nothing out with it, and nobody else gets it meanwhile', async () => {
    const { frontier } = await openedWith(make, [newRequest('x.example/1'), newRequest('x.example/2')])
    const lease = await frontier.leaseHost(wanted, 0)
    if (lease === undefined) throw new Error('expected a lease of x.example, got none')
    expect(lease).toMatchObject({ requests: [], waiting: 2 })
    expect(await frontier.lease({ now: 0, hosts: 9, requestsPerHost: 9 })).toMatchObject({ leases: [] })
    expect((await frontier.refill(lease, 9, 0)).requests).toHaveLength(2)
    await frontier.release([{ lease, rest: { readyAt: 0, memory: {} } }])
    expect((await leaseOne(frontier)).requests).toHaveLength(2)
  })

  it('gives no host that is held, or was given up', async () => {
    const { frontier, lease } = await leasedOne(make, [newRequest('x.example/1')])
    expect(await frontier.leaseHost(wanted, 0)).toBeUndefined()
    await frontier.release([{ lease, rest: { readyAt: 0, memory: {} } }])
    await frontier.retire('x.example', 'dead', Infinity)
    expect(await frontier.leaseHost(wanted, 0)).toBeUndefined()
  })
}
