// Contract: hosts that were given up are leased for a probe when its moment has come, and come back, or not.
import { describe, expect, it } from 'vitest'
import type { FrontierStore } from './frontier-store.ts'
import { hostOf, leasedOne, leaseOne, newRequest, newRequests, openedWith, pathsOf, SPEC, unitOf } from './story.ts'

const PAGES = newRequests(3)

/** What `retire` with a moment, and the change of probes, promise. */
export function probeContract(make: () => FrontierStore): void {
  describe('probe', () => {
    it('is a lease at its moment, which says why the host was given up', async () => {
      const { frontier } = await openedWith(make, PAGES)
      await frontier.retire('a.example', 'never answered', 500)
      expect(await frontier.lease({ now: 499, hosts: 9, requestsPerHost: 9 })).toEqual({
        leases: [],
        heldElsewhere: 0,
        nextReadyAt: 500,
      })
      expect(await hostOf(frontier, 'a.example')).toMatchObject({ retiredFor: 'never answered', probeAt: 500, waiting: 3 })

      const lease = await leaseOne(frontier, { now: 500, n: 2 })
      expect(lease).toMatchObject({ retired: 'never answered', waiting: 1 })
      expect(pathsOf(lease.requests)).toEqual(['/1', '/2'])
      expect(await frontier.refill(lease, 9, 500)).toEqual({ requests: [] })
      expect(await frontier.reader.counts()).toMatchObject({ waiting: 3, retired: 3, retiredHosts: 1 })
    })

    it('in vain changes nothing but the moment of the next', async () => {
      const { frontier } = await openedWith(make, PAGES)
      await frontier.retire('a.example', 'never answered', 500)
      const lease = await leaseOne(frontier, { now: 500 })
      await frontier.retire('a.example', 'still silent', 2_000)
      await frontier.release([{ lease, rest: { readyAt: 0, memory: { core: '1' } } }])
      expect((await frontier.lease({ now: 1_999, hosts: 9, requestsPerHost: 9 })).nextReadyAt).toBe(2_000)

      const next = await leaseOne(frontier, { now: 2_000 })
      expect(next).toMatchObject({ retired: 'still silent', memory: { core: '1' } })
      expect(next.requests).toMatchObject([1, 2, 3].map(() => ({ attempts: 0, freeAttempts: 0 })))
    })

    it('that is answered brings the host back under its holder, with all its requests', async () => {
      const { frontier } = await openedWith(make, PAGES)
      await frontier.retire('a.example', 'never answered', 0)
      const lease = await leaseOne(frontier, { n: 1 })
      await frontier.change({ kind: 'revive', hostKey: 'a.example' })
      expect(await frontier.commit([unitOf(lease, lease.requests[0])])).toMatchObject([{ status: 'committed' }])
      expect(pathsOf((await frontier.refill(lease, 9, 0)).requests)).toEqual(['/2', '/3'])
      expect(await frontier.lease({ now: 1e9, hosts: 9, requestsPerHost: 9 })).toEqual({ leases: [], heldElsewhere: 0 })
      expect(await frontier.reader.counts()).toMatchObject({ waiting: 2, retired: 0, retiredHosts: 0 })
      expect(await hostOf(frontier, 'a.example')).not.toHaveProperty('probeAt')
      await frontier.release([{ lease, rest: { readyAt: 0, memory: {} } }])
      expect(await leaseOne(frontier)).not.toHaveProperty('retired')
    })

    it('waits for a request that is due, and for a moment that the host named', async () => {
      const { frontier } = await openedWith(make, [newRequest('a.example/1', { notBefore: 700 })])
      await frontier.retire('a.example', 'never answered', 500)
      const lease = await leaseOne(frontier, { now: 700 })
      await frontier.release([{ lease, rest: { readyAt: 900, memory: {} } }])
      expect(await frontier.lease({ now: 899, hosts: 9, requestsPerHost: 9 })).toEqual({
        leases: [],
        heldElsewhere: 0,
        nextReadyAt: 900,
      })
      expect(await leaseOne(frontier, { now: 900 })).toMatchObject({ retired: 'never answered' })
    })

    it('of a host with nothing to do is not made', async () => {
      const { frontier, lease } = await leasedOne(make, newRequests(1))
      await frontier.commit([unitOf(lease, lease.requests[0])])
      await frontier.retire('a.example', 'closed', 0)
      await frontier.release([{ lease, rest: { readyAt: 0, memory: {} } }])
      expect(await frontier.lease({ now: 1e9, hosts: 9, requestsPerHost: 9 })).toEqual({ leases: [], heldElsewhere: 0 })
    })

    it('is brought forward where it is set for later than so', async () => {
      const hosts = ['a', 'b', 'c'].map((name) => `${name}.example`)
      const { frontier } = await openedWith(
        make,
        hosts.map((host) => newRequest(`${host}/`)),
      )
      await frontier.retire('a.example', 'closed', Infinity)
      await frontier.retire('b.example', 'closed', 900)
      await frontier.change({ kind: 'probe-retired', from: Infinity, now: 100 })
      expect((await frontier.lease({ now: 99, hosts: 9, requestsPerHost: 9 })).leases.map(({ hostKey }) => hostKey)).toEqual([
        'c.example',
      ])
      expect((await leaseOne(frontier, { now: 100 })).hostKey).toBe('a.example')
      expect((await frontier.lease({ now: 100, hosts: 9, requestsPerHost: 9 })).nextReadyAt).toBe(900)
      await frontier.change({ kind: 'probe-retired', from: 100, now: 200 })
      expect((await leaseOne(frontier, { now: 200 })).hostKey).toBe('b.example')
    })

    it('is kept over a kill, also one that is under way', async () => {
      const { store, frontier } = await openedWith(make, PAGES)
      if (store.crash === undefined) return
      await frontier.retire('a.example', 'never answered', 500)
      await leaseOne(frontier, { now: 500 })
      await store.crash()
      const next = store.frontier()
      await next.open(SPEC, 600)
      expect(await leaseOne(next, { now: 600 })).toMatchObject({ retired: 'never answered', requests: [{}, {}, {}] })
    })
  })
}
