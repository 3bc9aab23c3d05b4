// A frontier for one page that knows what is remembered of hosts from the pages before: their pace, their robots.txt, their breaker.
//
// Each page gets a frontier of its own, so that the same URL can be asked for again; memory is handed on from one to the next.
import { memoryFrontier, type Frontier, type MemoryParts } from '@avocet/core'

/** What is remembered, by host key. */
export type HostMemories = Map<string, MemoryParts>

/** A frontier in RAM that hands out hosts with what `memories` says of them. */
export function frontierWith(memories: HostMemories): Frontier {
  const frontier = memoryFrontier()
  return {
    ...frontier,
    async lease(want) {
      const found = await frontier.lease(want)
      const visits = found.visits.map((visit) => ({ ...visit, memory: { ...memories.get(visit.hostKey), ...visit.memory } }))
      return { ...found, visits }
    },
  }
}

/** Keeps what `frontier` knows of its hosts. */
export async function carryOver({ reader }: Frontier, memories: HostMemories): Promise<void> {
  for (const { hostKey, memory } of await reader.hosts({ limit: 1_000 }))
    memories.set(hostKey, { ...memories.get(hostKey), ...memory })
}
