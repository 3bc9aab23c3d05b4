// Bytes of a URL on the server's disk, after a crawl of 100,000 that were found page by page and are all settled, once the server has tidied up.
import { range } from '../frontier-urls.ts'
import { startedServer } from './bench-server.ts'
import { openedFrontier } from './page-turns.ts'

const URLS = 100_000
/** A real crawl takes an hour for as many pages as this one for half a minute: the server tidies up as often a page, or nearly. */
const TIDYING = { autovacuum_naptime: '1s' }
const GROUP = 64
const LINKS_A_PAGE = 4

/** All tables of the crawl with their indexes, and those of the history, over the URLs. */
export async function bytesAUrl(): Promise<{ readonly all: number; readonly history: number }> {
  const server = await startedServer(TIDYING)
  try {
    const frontier = await openedFrontier(server.url)
    await frontier.add(range(0, 2 * GROUP))
    for (let found = 2 * GROUP; ;) {
      const { leases } = await frontier.lease({ now: Date.now(), hosts: GROUP, requestsPerHost: 1 })
      if (leases.length === 0) break
      const turns = leases.flatMap((lease) => {
        const [request] = lease.requests
        if (request === undefined) return []
        const links = range(found, Math.min(LINKS_A_PAGE, URLS - found))
        found += links.length
        const outcome = { kind: 'done', fetched: { at: Date.now(), status: 200, durationMs: 180, wireBytes: 37_000 } } as const
        const anchored = links.map((link) => ({ ...link, parentId: request.id, anchorText: 'Read more about this', depth: 1 }))
        return [{ lease, requestId: request.id, outcome, links: anchored, items: [], memory: { core: '{"seq":12345}' } }]
      })
      await frontier.commit(turns)
      await frontier.release(leases.map((lease) => ({ lease, rest: { readyAt: Date.now(), memory: {} } })))
    }
    const { known, waiting } = await frontier.reader.counts()
    if (known !== URLS || waiting !== 0)
      throw new Error(`expected ${String(URLS)} settled URLs, got ${String(known)}, of which ${String(waiting)} wait`)
    await frontier.close()
    const bytes = await server.tableBytes()
    const all = [...bytes.values()].reduce((sum, each) => sum + each, 0)
    return { all: all / URLS, history: (bytes.get('attempt') ?? 0) / URLS }
  } finally {
    await server.stop()
  }
}
