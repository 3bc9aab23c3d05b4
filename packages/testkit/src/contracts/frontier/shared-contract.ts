// Contract: several processes on one store.
import type { Outcome } from '@avocet/core/store'
import { describe, expect, it } from 'vitest'
import type { FrontierStore } from './frontier-store.ts'
import { openedWith, leaseOne, pathsOf, newRequest, SPEC, turnOf } from './story.ts'

/** What holds when two frontiers have one store open. */
export function sharedContract(make: () => FrontierStore): void {
  describe('two processes', () => {
    it('never hold one host at once', async () => {
      const { store, frontier } = await openedWith(
        make,
        Array.from({ length: 20 }, (_, n) => newRequest(`h${n}.example/`)),
      )
      const other = store.frontier()
      expect(await other.open(SPEC, 0)).toMatchObject({ resumed: true, known: 20 })
      const mine = await frontier.lease({ now: 0, hosts: 8, requestsPerHost: 1 })
      const theirs = await other.lease({ now: 0, hosts: 99, requestsPerHost: 1 })
      const keys = [...mine.leases, ...theirs.leases].map(({ hostKey }) => hostKey)
      expect(new Set(keys).size).toBe(20)
      expect(theirs.heldElsewhere).toBe(8)
      expect(await frontier.lease({ now: 0, hosts: 9, requestsPerHost: 1 })).toEqual({ leases: [], heldElsewhere: 12 })
      await other.close()
      expect((await frontier.lease({ now: 0, hosts: 99, requestsPerHost: 1 })).leases).toHaveLength(12)
    })

    it('never hold one host at once that both lease by its key, and see what the other left', async () => {
      const { store, frontier } = await openedWith(make, [newRequest('a.example/1')])
      const other = store.frontier()
      await other.open(SPEC, 0)
      const wanted = { hostKey: 'x.example', url: 'https://x.example/' }
      const mine = await frontier.leaseHost(wanted, 0)
      if (mine === undefined) throw new Error('expected a lease of x.example, got none')
      expect(await other.leaseHost(wanted, 0)).toBeUndefined()
      await frontier.release([{ lease: mine, rest: { readyAt: 0, memory: { core: '1' } } }])
      expect(await other.leaseHost(wanted, 0)).toMatchObject({ memory: { core: '1' } })
      expect(await frontier.leaseHost(wanted, 0)).toBeUndefined()
      await other.close()
    })

    it('are one run: a page that either has visited is not visited again, and what both ask for is visited once', async () => {
      const { store, frontier: before } = await openedWith(make, [newRequest('a.example/1'), newRequest('b.example/1')])
      const { leases } = await before.lease({ now: 0, hosts: 9, requestsPerHost: 9 })
      await before.commit(leases.map((lease) => turnOf(lease, lease.requests[0])))
      await before.close()
      const frontier = store.frontier()
      await frontier.open(SPEC, 0)
      const other = store.frontier()
      await other.open(SPEC, 0)
      const wanted = [newRequest('a.example/1', { again: 50 })]
      await frontier.add(wanted)
      await other.add(wanted)
      const lease = await leaseOne(other, { now: 50 })
      expect(lease.requests).toMatchObject([{ again: 50 }])
      await frontier.add(wanted)
      await other.commit([turnOf(lease, lease.requests[0])])
      await other.release([{ lease, rest: { readyAt: 0, memory: {} } }])
      await frontier.add(wanted)
      expect(await frontier.lease({ now: 99, hosts: 9, requestsPerHost: 9 })).toEqual({ leases: [], heldElsewhere: 0 })

      // The run goes on while any of them has it open.
      await frontier.close()
      const third = store.frontier()
      await third.open(SPEC, 0)
      await third.add(wanted)
      expect(await third.lease({ now: 99, hosts: 9, requestsPerHost: 9 })).toEqual({ leases: [], heldElsewhere: 0 })
      await third.close()
      await other.close()
      const next = store.frontier()
      await next.open(SPEC, 0)
      await next.add(wanted)
      expect((await leaseOne(next, { now: 99 })).requests).toMatchObject([{ again: 50, earlier: { visits: 2 } }])
    })

    it('know what the other has found, and see that something changed', async () => {
      const { store, frontier } = await openedWith(make, [newRequest('a.example/1'), newRequest('b.example/1')])
      const other = store.frontier()
      await other.open(SPEC, 0)
      const mine = await leaseOne(frontier)
      const theirs = await leaseOne(other)
      frontier.changedElsewhere?.()
      expect(frontier.changedElsewhere?.()).toBe(false)
      await other.commit([
        turnOf(theirs, theirs.requests[0], { links: [newRequest(`${mine.hostKey}/2`), newRequest('c.example/1')] }),
      ])
      // What is asked at once is as of the last answer, where the store is far away.
      await frontier.renew([], 0)
      expect(frontier.changedElsewhere?.()).toBe(true)
      expect(frontier.changedElsewhere?.()).toBe(false)

      expect(await frontier.renew([mine], 0)).toEqual([{ held: true, waiting: 1 }])
      expect(pathsOf((await frontier.refill(mine, 9, 0)).requests)).toEqual(['/2'])
      const again = turnOf(mine, mine.requests[0], { links: [newRequest('c.example/1'), newRequest('c.example/2')] })
      expect(await frontier.commit([again])).toMatchObject([{ status: 'committed', added: 1, known: 1 }])
      expect(await other.reader.counts()).toMatchObject({ known: 5, done: 2, waiting: 3 })
      expect(await frontier.reader.info()).toMatchObject({ liveProcesses: 2 })
      await other.close()
      expect(await frontier.reader.info()).toMatchObject({ liveProcesses: 1 })
    })

    it('are listed with the hosts that each of them holds', async () => {
      const { store, frontier } = await openedWith(
        make,
        ['a.example/1', 'b.example/1', 'c.example/1'].map((place) => newRequest(place)),
      )
      const other = store.frontier()
      await other.open(SPEC, 0)
      await frontier.lease({ now: 0, hosts: 2, requestsPerHost: 1 })
      await other.lease({ now: 0, hosts: 2, requestsPerHost: 1 })

      const { processes = [] } = await frontier.reader.info()
      expect(processes.map(({ hosts }) => hosts).toSorted()).toEqual([1, 2])
      expect(processes.map(({ pid }) => pid)).toEqual([process.pid, process.pid])
      expect(processes.every(({ silentMs = Infinity }) => silentMs < 60_000)).toBe(true)
      await other.close()
    })

    it('hand each other what they open again, also under a host that is held', async () => {
      const { store, frontier } = await openedWith(make, [newRequest('a.example/1'), newRequest('a.example/2')])
      const other = store.frontier()
      await other.open(SPEC, 0)
      const lease = await leaseOne(frontier)
      const [one] = lease.requests
      await frontier.commit([turnOf(lease, one, { outcome: { kind: 'failed', reason: 'http-503' } })])
      frontier.changedElsewhere?.()

      expect(await other.reopen({ limit: 9 })).toBe(1)
      await frontier.renew([], 0)
      expect(frontier.changedElsewhere?.()).toBe(true)
      expect(await frontier.renew([lease], 0)).toEqual([{ held: true, waiting: 1 }])
      const { requests } = await frontier.refill(lease, 9, 0)
      expect(pathsOf(requests)).toEqual(['/1'])
      expect(await frontier.commit([turnOf(lease, requests[0])])).toMatchObject([{ status: 'committed' }])
      expect(await other.reader.counts()).toMatchObject({ done: 1, failed: 0, waiting: 1 })
    })

    it('may move a visit that the other has under way, or take it away, and what is counted stays right', async () => {
      const { store, frontier } = await openedWith(make, [newRequest('a.example/1')])
      const other = store.frontier()
      await other.open(SPEC, 0)
      const lease = await leaseOne(frontier)
      const fetched = { at: 50, status: 200, durationMs: 5, wireBytes: 9 }
      const until = (at: number): Outcome => ({ kind: 'done', fetched, again: { at, skipped: 0 } })
      await frontier.commit([turnOf(lease, lease.requests[0], { outcome: until(100) })])
      for (const [now, at] of [
        [100, undefined],
        [200, 150],
      ] as const) {
        const { requests } = await frontier.refill(lease, 9, now)
        await other.revisit([{ id: 1, ...(at !== undefined && { at }) }])
        await frontier.commit([turnOf(lease, requests[0], { outcome: until(now + 100) })])
        expect(await other.reader.counts()).toMatchObject({ known: 1, waiting: 0, done: 1, again: 1 })
        expect((await other.reader.requests({ limit: 1 }))[0]).toMatchObject({ state: 'done', notBefore: now + 100 })
      }
    })

    it('probe a retired host one at a time, and each sees that it is back', async () => {
      const { store, frontier } = await openedWith(make, [newRequest('a.example/1'), newRequest('a.example/2')])
      const other = store.frontier()
      await other.open(SPEC, 0)
      await frontier.retire('a.example', 'never answered', 0)
      const lease = await leaseOne(frontier, { n: 1 })
      expect(await other.lease({ now: 0, hosts: 9, requestsPerHost: 9 })).toEqual({ leases: [], heldElsewhere: 1 })
      await other.probeRetired({ from: 0, now: 5 })
      expect(await other.lease({ now: 5, hosts: 9, requestsPerHost: 9 })).toEqual({ leases: [], heldElsewhere: 1 })

      await frontier.revive('a.example')
      expect(await other.reader.host('a.example')).not.toHaveProperty('retiredFor')
      await frontier.release([{ lease, rest: { readyAt: 0, memory: {} } }])
      const theirs = await leaseOne(other)
      expect(theirs).not.toHaveProperty('retired')
      expect(pathsOf(theirs.requests)).toEqual(['/1', '/2'])
    })

    it('share the hosts once one has none: an equal part of those that are held or due, rounded up', async () => {
      const { store, frontier } = await openedWith(
        make,
        Array.from({ length: 9 }, (_, n) => newRequest(`h${n}.example/`)),
      )
      const other = store.frontier()
      await other.open(SPEC, 0)
      const { leases } = await frontier.lease({ now: 0, hosts: 9, requestsPerHost: 1 })
      expect(frontier.share?.(0)).toBeUndefined()

      await other.lease({ now: 10_000, hosts: 9, requestsPerHost: 1 })
      expect(frontier.share?.(10_000)).toBeUndefined()
      await other.lease({ now: 10_000, hosts: 9, requestsPerHost: 1, idle: true })
      await frontier.renew([], 10_000)
      expect(frontier.share?.(10_000)).toBe(5)
      expect(other.share?.(10_000)).toBeUndefined()
      for (const lease of leases.slice(5)) await frontier.release([{ lease, rest: { readyAt: 10_000, memory: {} } }])
      await frontier.renew([], 10_100)
      expect(frontier.share?.(10_100)).toBe(5)
      expect(frontier.share?.(20_000)).toBeUndefined()
      expect((await other.lease({ now: 10_100, hosts: 9, requestsPerHost: 1, idle: true })).leases).toHaveLength(4)
    })

    it('decide nothing about a host that another has taken over meanwhile', async () => {
      const { store, frontier } = await openedWith(make, [newRequest('a.example/1')])
      const other = store.frontier()
      await other.open(SPEC, 0)
      const stale = await leaseOne(frontier)
      await frontier.release([{ lease: stale, rest: { readyAt: 0, memory: {} } }])
      await leaseOne(other)

      await frontier.retire('a.example', 'never answered', Infinity, stale)
      expect(await other.reader.host('a.example')).not.toHaveProperty('retiredFor')
      await other.retire('a.example', 'never answered', Infinity)
      await frontier.revive('a.example', stale)
      expect(await other.reader.host('a.example')).toMatchObject({ retiredFor: 'never answered' })
    })

    it('cannot commit for each other', async () => {
      const { store, frontier } = await openedWith(make, [newRequest('a.example/1')])
      const other = store.frontier()
      await other.open(SPEC, 0)
      const lease = await leaseOne(frontier)
      expect(await other.commit([turnOf(lease, lease.requests[0])])).toMatchObject([{ status: 'fenced' }])
      expect(await other.renew([lease], 0)).toEqual([{ held: false, waiting: 0 }])
      await other.release([{ lease, rest: { readyAt: 0, memory: {} } }])
      expect(await frontier.renew([lease], 0)).toEqual([{ held: true, waiting: 0 }])
    })

    it('each hand their crawl memory to the next', async () => {
      const { store, frontier } = await openedWith(make, [newRequest('a.example/1'), newRequest('b.example/1')])
      const other = store.frontier()
      await other.open(SPEC, 0)
      for (const [process, memory] of [
        [frontier, '1'],
        [other, '2'],
      ] as const) {
        const lease = await leaseOne(process)
        await process.commit([turnOf(lease, undefined, { crawlMemory: { budget: memory } })])
        await process.close()
      }
      const { crawlMemories } = await store.frontier().open(SPEC, 0)
      expect(crawlMemories).toEqual([{ budget: '1' }, { budget: '2' }])
    })
  })
}
