// A frontier for one page that knows what is remembered of hosts from the pages before: their pace, their robots.txt, their breaker.
//
// Each page gets a frontier of its own, so that the same URL can be asked for again; memory is handed on from one to the next.
import { memoryFrontier } from '@avocet/core'
import type { Frontier, MemoryParts } from '@avocet/core/store'

/** What is remembered of hosts. */
export interface HostMemories {
  /** Of a host; empty when it was never met. */
  of(hostKey: string): Promise<MemoryParts>
  /** Keeps what `frontier` knows of its hosts. */
  keep(frontier: Frontier): Promise<void>
}

/** Nothing at first but what `recall` knows of a host: the store of a crawl. */
export function hostMemories(recall: (hostKey: string) => Promise<MemoryParts> = async () => ({})): HostMemories {
  const kept = new Map<string, MemoryParts>()
  return {
    async of(hostKey) {
      const known = kept.get(hostKey) ?? (await recall(hostKey))
      kept.set(hostKey, known)
      return known
    },
    async keep({ reader }) {
      for (const { hostKey, memory } of await reader.hosts({ limit: 1_000 }))
        kept.set(hostKey, { ...kept.get(hostKey), ...memory })
    },
  }
}

/** A frontier in RAM that hands out hosts with what `memories` says of them. */
export function frontierWith(memories: HostMemories): Frontier {
  const frontier = memoryFrontier()
  return {
    ...frontier,
    async lease(want) {
      const found = await frontier.lease(want)
      const leases = found.leases.map(async (lease) => ({
        ...lease,
        memory: { ...(await memories.of(lease.hostKey)), ...lease.memory },
      }))
      return { ...found, leases: await Promise.all(leases) }
    },
  }
}
