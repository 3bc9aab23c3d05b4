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

    it('tell each other what they write of their crawl memory when they are asked for news, also with nothing to lease', async () => {
      const { store, frontier } = await openedWith(make, [newRequest('a.example/1')])
      const other = store.frontier()
      await other.open(SPEC, 0)
      expect(await frontier.news?.()).toEqual([])

      await other.note({ core: '[1,{"a":1}]' })
      await other.close()

      expect(await frontier.news?.()).toEqual([{ core: '[1,{"a":1}]' }])
      expect(await frontier.news?.()).toEqual([])
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
      expect(await other.reader.crawlMemories()).toEqual([{ rate: '[1,{"a":2}]', '#history': '"three"' }])
      await other.close()
      await frontier.close()
    })
  })
}
