// Contract: several processes on one store.
import { describe, expect, it } from 'vitest'
import type { FrontierStore } from './frontier-store.ts'
import { SPEC, leaseOne, newRequest, newRequests, openedWith, pathsOf, unitOf } from './story.ts'

/** What holds when two frontiers have one store open. */
export function sharedContract(make: () => FrontierStore): void {
  describe('two processes', () => {
    it('never hold one host at once', async () => {
      const { store, frontier } = await openedWith(
        make,
        Array.from({ length: 20 }, (_, n) => newRequest(`h${n}.example/`)),
      )
      const other = store.frontier()
      await frontier.order(['{"kind":"stop"}'], { now: 5, drop: [] })
      expect(await other.open(SPEC, 0)).toMatchObject({ resumed: true, known: 20, orderedAt: 5 })
      const mine = await frontier.lease({ now: 0, hosts: 8, requestsPerHost: 1 })
      const theirs = await other.lease({ now: 0, hosts: 99, requestsPerHost: 1 })
      const keys = [...mine.leases, ...theirs.leases].map(({ hostKey }) => hostKey)
      expect(new Set(keys).size).toBe(20)
      expect(theirs.heldElsewhere).toBe(8)
      expect(await frontier.lease({ now: 0, hosts: 9, requestsPerHost: 1 })).toEqual({ leases: [], heldElsewhere: 12 })
      await other.close()
      expect((await frontier.lease({ now: 0, hosts: 99, requestsPerHost: 1 })).leases).toHaveLength(12)
    })

    it('know what the other has found, and see that something changed', async () => {
      const { store, frontier } = await openedWith(make, [newRequest('a.example/1'), newRequest('b.example/1')])
      const other = store.frontier()
      await other.open(SPEC, 0)
      const mine = await leaseOne(frontier)
      const theirs = await leaseOne(other)
      frontier.sharing?.changedElsewhere()
      expect(frontier.sharing?.changedElsewhere()).toBe(false)
      await other.commit([
        unitOf(theirs, theirs.requests[0], { links: [newRequest(`${mine.hostKey}/2`), newRequest('c.example/1')] }),
      ])
      // What is asked at once is as of the last answer, where the store is far away.
      await frontier.renew([], 0)
      expect(frontier.sharing?.changedElsewhere()).toBe(true)
      expect(frontier.sharing?.changedElsewhere()).toBe(false)

      expect(await frontier.renew([mine], 0)).toEqual([{ held: true, waiting: 1 }])
      expect(pathsOf((await frontier.refill(mine, 9, 0)).requests)).toEqual(['/2'])
      const again = unitOf(mine, mine.requests[0], { links: [newRequest('c.example/1'), newRequest('c.example/2')] })
      expect(await frontier.commit([again])).toMatchObject([{ status: 'committed', added: 1, known: 1 }])
      expect(await other.reader.counts()).toMatchObject({ known: 5, done: 2, waiting: 3 })
      expect(await frontier.reader.info()).toMatchObject({ liveProcesses: 2 })
      await other.close()
      expect(await frontier.reader.info()).toMatchObject({ liveProcesses: 1 })
    })

    it('cannot commit for each other', async () => {
      const { store, frontier } = await openedWith(make, newRequests(1))
      const other = store.frontier()
      await other.open(SPEC, 0)
      const lease = await leaseOne(frontier)
      expect(await other.commit([unitOf(lease, lease.requests[0])])).toMatchObject([{ status: 'fenced' }])
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
        await process.commit([unitOf(lease, undefined, { crawlMemory: { budget: memory } })])
        await process.close()
      }
      const { crawlMemories } = await store.frontier().open(SPEC, 0)
      expect(crawlMemories).toEqual([{ budget: '1' }, { budget: '2' }])
    })
  })
}
