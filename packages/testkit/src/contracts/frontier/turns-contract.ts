// Contract: which hosts a lease takes first, and how many of those on probation.
import { describe, expect, it } from 'vitest'
import type { FrontierStore } from './frontier-store.ts'
import { openedWith, leaseOne, newRequest } from './story.ts'

/** What `lease` promises about the order of hosts. */
export function turnsContract(make: () => FrontierStore): void {
  describe('turns', () => {
    it('hands out hosts in turns: the one of the best priority, then the one that is due longest', async () => {
      const { frontier } = await openedWith(
        make,
        ['a', 'b', 'c', 'd', 'e', 'f'].map((host, n) => newRequest(`${host}.example/`, { priority: n })),
      )
      const { leases } = await frontier.lease({ now: 0, hosts: 6, requestsPerHost: 1 })
      for (const [n, lease] of [...leases].sort((x, y) => (x.hostKey < y.hostKey ? -1 : 1)).entries())
        await frontier.release([{ lease, rest: { readyAt: 10 * n, memory: {} } }])

      const keys: string[] = []
      for (const hosts of [2, 1, 1, 9]) {
        const leased = await frontier.lease({ now: 100, hosts, requestsPerHost: 1 })
        keys.push(...leased.leases.map(({ hostKey }) => hostKey.slice(0, 1)))
      }
      expect(keys).toEqual(['f', 'a', 'e', 'b', 'd', 'c'])
    })

    it('goes by the priority of the best request that a host has now, also of one that is added later', async () => {
      const { frontier } = await openedWith(make, [
        newRequest('a.example/1', { priority: 1 }),
        newRequest('b.example/1'),
        newRequest('c.example/1', { priority: 9, notBefore: 500 }),
        newRequest('c.example/2'),
      ])
      await frontier.add([newRequest('b.example/2', { priority: 5 })])
      expect((await leaseOne(frontier)).hostKey).toBe('b.example')
    })

    it('hands out no more hosts on probation than are wanted, and says that it left some', async () => {
      const { frontier } = await openedWith(
        make,
        ['a', 'b', 'c', 'd', 'e'].map((host) => newRequest(`${host}.example/`, { priority: host === 'e' ? 0 : 1 })),
      )
      const { leases } = await frontier.lease({ now: 0, hosts: 5, requestsPerHost: 1 })
      for (const lease of leases)
        await frontier.release([{ lease, rest: { readyAt: 0, memory: {}, onProbation: lease.hostKey < 'd' } }])
      await frontier.add([newRequest('new.example/')])

      const first = await frontier.lease({ now: 1, hosts: 9, requestsPerHost: 1, onProbation: 1 })
      expect(first.leases.map(({ hostKey }) => hostKey).sort()).toEqual(['a.example', 'd.example', 'e.example'])
      expect(first.leftOnProbation).toBe(true)
      expect(await frontier.lease({ now: 1, hosts: 9, requestsPerHost: 1, onProbation: 0 })).toMatchObject({
        leases: [],
        leftOnProbation: true,
      })
      const rest = await frontier.lease({ now: 1, hosts: 9, requestsPerHost: 1, onProbation: 3 })
      expect(rest.leases.map(({ hostKey }) => hostKey).sort()).toEqual(['b.example', 'c.example', 'new.example'])
      expect(rest).not.toHaveProperty('leftOnProbation')
    })
  })
}
