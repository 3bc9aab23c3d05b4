// A frontier for one page that knows what is remembered of hosts from the pages before: their pace, their robots.txt, their breaker.
//
// Each page gets a frontier of its own, so that the same URL can be asked for again; memory is handed on from one to the next.
import { memoryFrontier } from 'avocet'
import type { Frontier, MemoryParts } from '@avocet/core/store'

/** Crawl memory that a page needs: the cookies of named sessions. What else a crawl knows is of its own requests. */
const OF_SESSIONS = 'cookies'

/** What is known of hosts before the first page. */
export interface Recalled {
  host(hostKey: string): Promise<MemoryParts>
  /** Of each process that ever wrote it. */
  crawl(): Promise<readonly MemoryParts[]>
}

/** What is remembered of hosts and sessions. */
export interface HostMemories {
  /** Of sessions. */
  crawl(): Promise<readonly MemoryParts[]>
  /** Of a host; empty when it was never met. */
  of(hostKey: string): Promise<MemoryParts>
  /** Keeps what `frontier` knows of its hosts. */
  keep(frontier: Frontier): Promise<void>
}

/** Nothing at first but what `recalled` knows: the store of a crawl. */
export function hostMemories(recalled?: Partial<Recalled>): HostMemories {
  const kept = new Map<string, MemoryParts>()
  let sessions: readonly MemoryParts[] | undefined
  return {
    async crawl() {
      sessions ??= ofSessions((await recalled?.crawl?.()) ?? [])
      return sessions
    },
    async of(hostKey) {
      const known = kept.get(hostKey) ?? (await recalled?.host?.(hostKey)) ?? {}
      kept.set(hostKey, known)
      return known
    },
    async keep({ reader }) {
      for (const { hostKey, memory } of await reader.hosts({})) kept.set(hostKey, { ...kept.get(hostKey), ...memory })
      const now = ofSessions((await reader.info()).memories)
      if (now.length > 0) sessions = now
    },
  }
}

function ofSessions(parts: readonly MemoryParts[]): readonly MemoryParts[] {
  return parts.flatMap(({ [OF_SESSIONS]: cookies }) => (cookies === undefined ? [] : [{ [OF_SESSIONS]: cookies }]))
}

/** A frontier in RAM that hands out hosts with what `memories` says of them. */
export function frontierWith(memories: HostMemories): Frontier {
  const frontier = memoryFrontier()
  return {
    ...frontier,
    async open(...given) {
      return { ...(await frontier.open(...given)), crawlMemories: await memories.crawl() }
    },
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
