// Short words for the contract's tests: a request of a path, a turn of an outcome, a frontier that is closed when the test ends.
import { hash } from 'node:crypto'
import type {
  CrawlInfo,
  CrawlSpec,
  Fingerprint,
  Frontier,
  Leased,
  NewRequest,
  Outcome,
  CommitUnit,
  HostLease,
} from '@avocet/core/store'
import { onTestFinished } from 'vitest'
import type { FrontierStore } from './frontier-store.ts'

/** What the contract's stores are opened with. */
export const SPEC: CrawlSpec = { name: 'contract', hostKeying: 'host' }

/** An outcome that settles a page. */
export const DONE: Outcome = { kind: 'done', fetched: { at: 1_000, status: 200, durationMs: 50, wireBytes: 4_096 } }

/** A request of `host/path`. */
export function newRequest(place: string, more: Partial<NewRequest> = {}): NewRequest {
  const url = `https://${place}`
  const fingerprint = hash('sha1', url, 'buffer').subarray(0, 16).toString('latin1') as Fingerprint
  return { fingerprint, hostKey: new URL(url).host, url, handler: 'start', depth: 0, priority: 0, ...more }
}

/** A turn that says what became of `request`. */
export function turnOf(lease: HostLease, request: Leased | undefined, more: Partial<CommitUnit> = {}): CommitUnit {
  const about = request === undefined ? {} : { requestId: request.id, outcome: DONE }
  return { lease: { hostKey: lease.hostKey, epoch: lease.epoch }, links: [], items: [], ...about, ...more }
}

/** A store with an open frontier that holds `requests`. */
export async function openedWith(
  make: () => FrontierStore,
  requests: readonly NewRequest[] = [],
): Promise<{ store: FrontierStore; frontier: Frontier; info: CrawlInfo }> {
  const store = make()
  onTestFinished(() => store.dispose())
  const frontier = store.frontier()
  const info = await frontier.open(SPEC, 0)
  if (requests.length > 0) await frontier.add(requests)
  return { store, frontier, info }
}

/** Leases one host: the one that is due first. */
export async function leaseOne(frontier: Frontier, { now = 0, n = 100 }: { now?: number; n?: number } = {}): Promise<HostLease> {
  const { leases } = await frontier.lease({ now, hosts: 1, requestsPerHost: n })
  const [lease] = leases
  if (lease === undefined) throw new Error(`expected a host that is due at ${now}, got none`)
  return lease
}

/** Paths of requests, for reading in an assertion. */
export function pathsOf(requests: readonly { readonly url: string }[]): string[] {
  return requests.map(({ url }) => new URL(url).pathname)
}
