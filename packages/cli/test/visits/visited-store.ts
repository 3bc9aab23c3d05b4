// A store in RAM with a page that was visited again and again, an hour apart.
import { memoryFrontier } from 'avocet'
import { fingerprintOf, type Frontier, type HostLease, type Outcome } from '@avocet/core/store'

const HOUR_MS = 3_600_000

/** The page. */
export const PAGE_URL = 'https://shop.example/tea'

/** What a visit brought: items, or an outcome of its own without any. */
export type Brought = readonly unknown[] | Outcome

/** A store in which the page was visited so often: the first time at 0 o'clock of 1970, the others an hour apart. */
export async function visitedStore(visits: readonly Brought[], url: string = PAGE_URL): Promise<Frontier> {
  const frontier = memoryFrontier()
  await frontier.open({ name: 'test', hostKeying: 'host' }, 0)
  const hostKey = new URL(url).host
  const fingerprint = fingerprintOf({ method: 'GET', canonicalUrl: url, handler: 'product' })
  await frontier.add([{ fingerprint, hostKey, url, handler: 'product', depth: 0, priority: 0 }])
  const [lease] = (await frontier.lease({ now: 0, hosts: 1, requestsPerHost: 0 })).leases
  if (lease === undefined) throw new Error('expected a host to lease, got none')
  for (const [round, brought] of visits.entries()) await visit(frontier, lease, { round, brought })
  await frontier.release([{ lease, rest: { readyAt: 0, memory: {} } }])
  return frontier
}

async function visit(
  frontier: Frontier,
  lease: HostLease,
  { round, brought }: { readonly round: number; readonly brought: Brought },
): Promise<void> {
  const at = round * HOUR_MS
  const [request] = (await frontier.refill(lease, 1, at)).requests
  if (request === undefined) throw new Error(`expected a visit that is due at ${at}, got none`)
  const again = { at: at + HOUR_MS, skipped: 0 }
  const done: Outcome = { kind: 'done', fetched: { at, status: 200, durationMs: 50, wireBytes: 4_096 }, again }
  const outcome = 'kind' in brought ? { again, ...brought } : done
  const items = 'kind' in brought ? [] : brought.map((item) => ({ json: JSON.stringify(item) }))
  const [result] = await frontier.commit([{ lease, requestId: request.id, outcome, links: [], items }])
  if (result?.status !== 'committed') throw new Error(`expected a commit, got ${result?.error}`)
}
