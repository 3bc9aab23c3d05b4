// A frontier in RAM that items are committed to, as a crawl would.
import { memoryFrontier } from 'avocet'
import type { Fingerprint, Frontier } from '@avocet/core/store'

/** A store and the one thing that these tests do to it. */
export interface ItemStore {
  readonly frontier: Frontier
  /** Commits one page that yielded `items`. */
  commit(...items: readonly unknown[]): Promise<void>
}

export async function itemStore(): Promise<ItemStore> {
  const frontier = memoryFrontier()
  await frontier.open({ name: 'test', hostKeying: 'host' }, 0)
  let pages = 0
  return {
    frontier,
    async commit(...items) {
      pages += 1
      const url = `https://a${pages}.example/`
      const fingerprint = String(pages).padStart(16, '0') as Fingerprint
      await frontier.add([{ fingerprint, hostKey: `a${pages}.example`, url, handler: 'start', depth: 0, priority: 0 }])
      const { leases } = await frontier.lease({ now: 1, hosts: 1, requestsPerHost: 1 })
      const [lease] = leases
      const request = lease?.requests[0]
      if (!lease || !request) throw new Error('nothing to lease')
      const fetched = { at: 1, status: 200, durationMs: 1, wireBytes: 1 }
      const [result] = await frontier.commit([
        {
          lease,
          requestId: request.id,
          outcome: { kind: 'done', fetched },
          links: [],
          items: items.map((item) => ({ json: JSON.stringify(item) })),
        },
      ])
      if (result?.status !== 'committed') throw new Error(`expected a commit, got ${result?.error}`)
      await frontier.release([{ lease, rest: { readyAt: 0, memory: {} } }])
    },
  }
}
