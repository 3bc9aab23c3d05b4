// Contract: what processes on one store hear of each other's crawl memory.
import { describe, expect, it } from 'vitest'
import type { FrontierStore } from './frontier-store.ts'
import { leaseOne, newRequest, openedWith, SPEC } from './story.ts'

/** What holds when one of two frontiers of one store writes crawl memory. */
export function toldMemoryContract(make: () => FrontierStore): void {
  describe('two processes and their crawl memory', () => {
    it('tell each other what they write of their crawl memory, with the next lease, once', async () => {
      const { store, frontier } = await openedWith(make, [
        newRequest('a.example/1'),
        newRequest('b.example/1'),
        newRequest('c.example/1'),
      ])
      const other = store.frontier()
      await other.open(SPEC, 0)
      const lease = await leaseOne(other)
      await other.commit([{ lease, links: [], items: [], crawlMemory: { core: '[1,{"a":1}]', rate: '[1,{}]' } }])
      await other.note({ core: '[1,{"a":2}]' })

      const first = await frontier.lease({ now: 0, hosts: 1, requestsPerHost: 1 })
      const second = await frontier.lease({ now: 0, hosts: 1, requestsPerHost: 1 })

      expect(first.leases).toHaveLength(1)
      expect(first.crawlMemories).toEqual([{ core: '[1,{"a":2}]', rate: '[1,{}]' }])
      expect(second.leases).toHaveLength(1)
      expect(second).not.toHaveProperty('crawlMemories')
      await other.note({ core: '[1,{"a":3}]' })
      expect(await frontier.leaseHost({ hostKey: 'x.example', url: 'https://x.example/' }, 0)).toMatchObject({
        crawlMemories: [{ core: '[1,{"a":3}]' }],
      })
      await other.close()
      await frontier.close()
    })
  })
}
