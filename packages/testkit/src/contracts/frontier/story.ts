// Short words for the contract's tests: a request of a path, a unit of an outcome, a frontier that is closed when the test ends.
import { hash } from 'node:crypto'
import {
  failure,
  type CrawlInfo,
  type CrawlSpec,
  type Fingerprint,
  type Frontier,
  type Leased,
  type NewRequest,
  type Outcome,
  type CommitUnit,
  type HostLease,
  type HostRecord,
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

/** Requests of `a.example/1` and so on. */
export function newRequests(count: number): NewRequest[] {
  return Array.from({ length: count }, (_, n) => newRequest(`a.example/${n + 1}`))
}

/** A unit that says what became of `request`. */
export function unitOf(lease: HostLease, request: Leased | undefined, more: Partial<CommitUnit> = {}): CommitUnit {
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

/** A store with an open frontier that holds `requests`, and a lease of the host that is due first. */
export async function leasedOne(
  make: () => FrontierStore,
  requests: readonly NewRequest[],
): Promise<Awaited<ReturnType<typeof openedWith>> & { lease: HostLease }> {
  const opened = await openedWith(make, requests)
  return { ...opened, lease: await leaseOne(opened.frontier) }
}

/** Paths of requests, for reading in an assertion. */
export function pathsOf(requests: readonly { readonly url: string }[]): string[] {
  return requests.map(({ url }) => new URL(url).pathname)
}

// A store in which requests have failed, and what is asked of some of them.

const URLS = ['a.example/1', 'a.example/2', 'a.example/3', 'b.example/4', 'b.example/5', 'b.example/6']
const fetched = { at: 40, status: 503, durationMs: 9, wireBytes: 12 }

/** What is asked, and the paths that are meant. */
export const SOME_OF_FAILED: readonly (readonly [string, object, readonly string[]])[] = [
  ['everything', {}, ['/1', '/2', '/3', '/4']],
  ['one host', { hostKey: 'b.example' }, ['/4']],
  ['a host that was never met', { hostKey: 'c.example' }, []],
  ['several reasons', { reasons: ['http-404', 'reset', 'never-seen'] }, ['/2', '/3']],
  ['no reason', { reasons: [] }, []],
  ['requests by id, of which one is done and one unknown', { ids: [1, 5, 99] }, ['/1']],
  ['what all conditions name', { hostKey: 'a.example', reasons: ['reset', 'poison'], ids: [1, 2, 3, 4] }, ['/3']],
  ['the oldest, when there are more than it may be', { limit: 2 }, ['/1', '/2']],
]

/** The outcome of a request that failed for `reason`. */
export function failedFor(reason: string): Outcome & { kind: 'failed' } {
  return { kind: 'failed', reason, fetched, failure: failure('AVO_RESET', 'reset') }
}

/** /1 to /4 failed, each for another reason, the last of another host; /5 is done; of six, /6 failed and is due again later. */
export async function afterFailures(make: () => FrontierStore, count = 5): Promise<{ store: FrontierStore; frontier: Frontier }> {
  const { store, frontier } = await openedWith(
    make,
    URLS.slice(0, count).map((url) => newRequest(url)),
  )
  const outcomes: Readonly<Record<string, Outcome>> = {
    '/1': failedFor('http-503'),
    '/2': failedFor('http-404'),
    '/3': failedFor('reset'),
    '/4': failedFor('poison'),
    '/5': DONE,
    '/6': { ...failedFor('reset'), again: { at: 9_000, skipped: 0 } },
  }
  const { leases } = await frontier.lease({ now: 0, hosts: 9, requestsPerHost: 9 })
  for (const lease of leases) {
    const units = lease.requests.map((request) => {
      const outcome = outcomes[new URL(request.url).pathname]
      return unitOf(lease, request, outcome && { outcome })
    })
    await frontier.commit(units)
    await frontier.release([{ lease, rest: { readyAt: 0, memory: {} } }])
  }
  return { store, frontier }
}

/** What a store says of a host. */
export async function hostOf({ reader }: Frontier, hostKey: string): Promise<HostRecord | undefined> {
  return (await reader.hosts({ hostKey }))[0]
}
