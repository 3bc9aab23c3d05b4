// In full: several processes on one store.
import type { Outcome } from '@avocet/core/store'
import type { FrontierStore } from '@avocet/testkit/contracts'
import { describe, expect, it } from 'vitest'
import { leaseOne, newRequest, openedWith, pathsOf, SPEC, unitOf } from '../../packages/testkit/src/contracts/frontier/story.ts'

/** What holds when two frontiers have one store open: rounds, failures, probes and shares of both. */
export function severalProcesses(make: () => FrontierStore): void {
  describe('two processes', () => {
    it('are one run: a page that either has visited is not visited again, and what both ask for is visited once', async () => {
      const { store, frontier: before } = await openedWith(make, [newRequest('a.example/1'), newRequest('b.example/1')])
      const { leases } = await before.lease({ now: 0, hosts: 9, requestsPerHost: 9 })
      await before.commit(leases.map((lease) => unitOf(lease, lease.requests[0])))
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
      await other.commit([unitOf(lease, lease.requests[0])])
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
      await frontier.commit([unitOf(lease, one, { outcome: { kind: 'failed', reason: 'http-503' } })])
      frontier.sharing?.changedElsewhere()

      expect(await other.change({ kind: 'reopen', limit: 9 })).toBe(1)
      await frontier.renew([], 0)
      expect(frontier.sharing?.changedElsewhere()).toBe(true)
      expect(await frontier.renew([lease], 0)).toEqual([{ held: true, waiting: 1 }])
      const { requests } = await frontier.refill(lease, 9, 0)
      expect(pathsOf(requests)).toEqual(['/1'])
      expect(await frontier.commit([unitOf(lease, requests[0])])).toMatchObject([{ status: 'committed' }])
      expect(await other.reader.counts()).toMatchObject({ done: 1, failed: 0, waiting: 1 })
    })

    it('may move a visit that the other has under way, or take it away, and what is counted stays right', async () => {
      const { store, frontier } = await openedWith(make, [newRequest('a.example/1')])
      const other = store.frontier()
      await other.open(SPEC, 0)
      const lease = await leaseOne(frontier)
      const fetched = { at: 50, status: 200, durationMs: 5, wireBytes: 9 }
      const until = (at: number): Outcome => ({ kind: 'done', fetched, again: { at, skipped: 0 } })
      await frontier.commit([unitOf(lease, lease.requests[0], { outcome: until(100) })])
      for (const [now, at] of [
        [100, undefined],
        [200, 150],
      ] as const) {
        const { requests } = await frontier.refill(lease, 9, now)
        await other.change({ kind: 'revisit', wanted: [{ id: 1, ...(at !== undefined && { at }) }] })
        await frontier.commit([unitOf(lease, requests[0], { outcome: until(now + 100) })])
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
      await other.change({ kind: 'probe-retired', from: 0, now: 5 })
      expect(await other.lease({ now: 5, hosts: 9, requestsPerHost: 9 })).toEqual({ leases: [], heldElsewhere: 1 })

      await frontier.change({ kind: 'revive', hostKey: 'a.example' })
      expect((await other.reader.hosts({ hostKey: 'a.example' }))[0]).not.toHaveProperty('retiredFor')
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
      expect(frontier.sharing?.share(0)).toBeUndefined()

      await other.lease({ now: 10_000, hosts: 9, requestsPerHost: 1 })
      expect(frontier.sharing?.share(10_000)).toBeUndefined()
      await other.lease({ now: 10_000, hosts: 9, requestsPerHost: 1, idle: true })
      await frontier.renew([], 10_000)
      expect(frontier.sharing?.share(10_000)).toBe(5)
      expect(other.sharing?.share(10_000)).toBeUndefined()
      for (const lease of leases.slice(5)) await frontier.release([{ lease, rest: { readyAt: 10_000, memory: {} } }])
      await frontier.renew([], 10_100)
      expect(frontier.sharing?.share(10_100)).toBe(5)
      expect(frontier.sharing?.share(20_000)).toBeUndefined()
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
      expect((await other.reader.hosts({ hostKey: 'a.example' }))[0]).not.toHaveProperty('retiredFor')
      await other.retire('a.example', 'never answered', Infinity)
      await frontier.change({ kind: 'revive', hostKey: 'a.example', by: stale })
      expect((await other.reader.hosts({ hostKey: 'a.example' }))[0]).toMatchObject({ retiredFor: 'never answered' })
    })
  })
  describe('two processes and their crawl memory', () => {
    it('tell each other what they write of their crawl memory when they are asked for news, also with nothing to lease', async () => {
      const { store, frontier } = await openedWith(make, [newRequest('a.example/1')])
      const other = store.frontier()
      await other.open(SPEC, 0)
      expect(await frontier.sharing?.news()).toEqual([])

      await other.note({ core: '[1,{"a":1}]' })
      await other.close()

      expect(await frontier.sharing?.news()).toEqual([{ core: '[1,{"a":1}]' }])
      expect(await frontier.sharing?.news()).toEqual([])
      expect(await leaseOne(frontier)).not.toHaveProperty('crawlMemories')
      await frontier.close()
    })

    it('are told which crawl memory is of a process that runs; texts that plugins keep beside it are read when a process opens alone', async () => {
      const { store, frontier: gone } = await openedWith(make, [newRequest('a.example/1'), newRequest('b.example/1')])
      await gone.note({ rate: '[1,{"a":1}]', '#history': '"one"' })
      await gone.close()
      const frontier = store.frontier()
      expect(await frontier.open(SPEC, 0)).not.toHaveProperty('running')
      await frontier.note({ rate: '[1,{"a":2}]', '#history': '"two"' })
      const other = store.frontier()

      const { crawlMemories, running } = await other.open(SPEC, 0)
      await frontier.note({ '#history': '"three"' })
      const { crawlMemories: news } = await other.lease({ now: 0, hosts: 1, requestsPerHost: 1 })

      expect(crawlMemories).toEqual([{ rate: '[1,{"a":2}]', '#history': '"two"' }])
      expect(running).toEqual(crawlMemories)
      expect(crawlMemories).toContain(running?.[0])
      expect(news).toBeUndefined()
      expect((await other.reader.info()).memories).toEqual([{ rate: '[1,{"a":2}]', '#history': '"three"' }])
      await other.close()
      await frontier.close()
    })
  })
}
