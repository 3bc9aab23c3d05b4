// A crawl with something of everything that a store can hold, all that a reader says of one, and how one goes on: a copy cannot be told from its original.
import { hash } from 'node:crypto'
import {
  type CommitUnit,
  type CrawlSpec,
  type Fingerprint,
  type Frontier,
  type FrontierReader,
  type HostLease,
  type Leased,
  type NewRequest,
} from '@avocet/core/store'

/** What it is opened with. */
export const SPEC: CrawlSpec = { name: 'teas', hostKeying: 'host' }

const FAILURE = {
  phase: 'handler',
  code: 'AVO_HANDLER_THREW',
  blame: 'user',
  message: 'no price',
  sent: true,
  wireBytes: 99,
  handlerError: { code: 'AVO_HANDLER_THREW', message: 'Error: no price', place: '/shop.ts:3:1' },
} as const

/** A request of `host/path`. */
export function newRequest(place: string, more: Partial<NewRequest> = {}): NewRequest {
  const url = `https://${place}`
  const fingerprint = hash('sha1', url, 'buffer').subarray(0, 16).toString('latin1') as Fingerprint
  return { fingerprint, hostKey: new URL(url).host, url, handler: 'start', depth: 0, priority: 0, ...more }
}

function unitOf(lease: HostLease, request: Leased | undefined, more: Partial<CommitUnit> = {}): CommitUnit {
  const { hostKey, epoch } = lease
  const about = request && { requestId: request.id, outcome: { kind: 'done', fetched: { ...FETCHED, status: 200 } } as const }
  return { lease: { hostKey, epoch }, links: [], items: [], ...about, ...more }
}

/** All that it says. */
export async function readAll(reader: FrontierReader): Promise<object> {
  const limit = 100
  const { memories } = await reader.info()
  const sinks = await reader.sinks()
  return {
    counts: await reader.counts(),
    hosts: await reader.hosts({ limit }),
    requests: await reader.requests({ limit }),
    failures: await reader.failures(),
    problems: await reader.problems(),
    rejects: await reader.rejects({ limit }),
    items: await reader.items({ limit }),
    itemsOfRequest: await reader.itemsOfRequest({ requestId: 1, limit }),
    records: await reader.items({ recordsOf: 'files/file' }),
    sinks,
    memories,
    orders: await reader.orders(0),
  }
}

/** Leases all that is due at `now`, has the first page of each host done, and gives the hosts back. */
export async function turnAt(frontier: Frontier, now: number): Promise<object> {
  // What others wrote since it was opened: for the process that loaded it, that is what it has loaded.
  const { leases, crawlMemories: _written, ...more } = await frontier.lease({ now, hosts: 10, requestsPerHost: 2 })
  const done = await frontier.commit(leases.flatMap((lease) => (lease.requests[0] ? [unitOf(lease, lease.requests[0])] : [])))
  await frontier.release(leases.map((lease) => ({ lease, rest: { readyAt: now + 500, memory: {} } })))
  return { leases, more, done }
}

/** Something of everything that a store can hold. */
export async function everything(frontier: Frontier): Promise<void> {
  await frontier.add([
    newRequest('a.example/', { priority: 2, anchorText: 'home', dataJson: '{"a":1}' }),
    newRequest('a.example/form', { method: 'POST', body: 'q=1', headersJson: '{"x-a":"1"}', identity: '["k"]', hops: 1 }),
    newRequest('a.example/later', { notBefore: 8_000, redirectedFrom: 'https://a.example/late' }),
    ...['b.example/', 'b.example/1', 'b.example/2', 'c.example/', 'd.example/', 'd.example/1'].map((place) => newRequest(place)),
    newRequest('e.example/', { again: 10 }),
  ])
  await turnsOfA(await leaseOf(frontier, 'a.example'), frontier)
  await turnsOfB(await leaseOf(frontier, 'b.example'), frontier)
  const c = await leaseOf(frontier, 'c.example')
  await frontier.commit([
    unitOf(c, c.requests[0], { outcome: { kind: 'moved', target: 'https://a.example/', fetched: FETCHED } }),
  ])
  await frontier.retire('c.example', 'host-dead', 7_000, c)
  await frontier.retire('d.example', 'host-dead', Infinity)
  await frontier.note({ scope: '["b"]', clock: '{"at":1}' })
  await frontier.order(['{"kind":"pause"}', '{"kind":"resume"}'], { now: 1_800_000_000_000, drop: [] })
  await frontier.rejects.setAside([{ source: 'files', requestId: 1, visit: 0, ordinal: 0, reason: 'too long', at: 70 }])
  await frontier.sinks.keep({
    name: '../items.jsonl',
    written: 2,
    mark: { itemSeq: 2, state: { bytes: 9, start: { itemSeq: 0, bytes: 0 } } },
  })
  await frontier.sinks.keep({
    name: '~shop',
    written: 1,
    trouble: { since: 60, error: 'refused' },
    suspects: [{ seq: 1, failures: 2 }],
  })
  await frontier.release([{ lease: c, rest: { readyAt: 90, memory: { core: '[1,{}]' } } }])
}

const FETCHED = { at: 100, status: 301, durationMs: 5, wireBytes: 99 }

async function leaseOf(frontier: Frontier, hostKey: string): Promise<HostLease> {
  for (;;) {
    const [lease] = (await frontier.lease({ now: 50, hosts: 1, requestsPerHost: 10 })).leases
    if (lease === undefined) throw new Error(`expected ${hostKey} to be due`)
    if (lease.hostKey === hostKey) return lease
    await frontier.release([{ lease, rest: { readyAt: 50, memory: {}, onProbation: true } }])
  }
}

async function turnsOfA(a: HostLease, frontier: Frontier): Promise<void> {
  const [home, form] = a.requests
  await frontier.commit([
    unitOf(a, home, {
      outcome: { kind: 'done', fetched: FETCHED, again: { at: 9_000, skipped: 1, etag: '"x"', bodyHash: 'ff' } },
      links: [
        newRequest('f.example/', { parentId: home?.id ?? 0, depth: 1 }),
        newRequest('a.example/next', { parentId: home?.id ?? 0 }),
      ],
      items: [{ json: '{"n":1}' }, { json: '{"n":2}', ordinal: 3 }],
      records: [{ json: '{"file":"a"}' }],
      rejects: [{ json: '{"n":"?"}', ordinal: 1, reason: 'n: expected number', at: 60 }],
      memory: { core: '[1,{"a":"é\\u0000"}]', pace: '{"rate":1.5}' },
      crawlMemory: { scope: '["a"]' },
    }),
    unitOf(a, form, {
      outcome: { kind: 'retry', at: 8_500, counted: true, reason: 'http-503', fetched: { ...FETCHED, status: 503 } },
    }),
  ])
  await frontier.release([{ lease: a, rest: { readyAt: 4_000, memory: { pace: '{"rate":2}' } } }])
}

async function turnsOfB(b: HostLease, frontier: Frontier): Promise<void> {
  const [broken, missing, gone] = b.requests
  const again = { at: 9_500, skipped: 0, missing: { visits: 2, since: 300 } }
  await frontier.commit([
    unitOf(b, broken, {
      outcome: { kind: 'failed', reason: 'handler-threw', failure: FAILURE, fetched: { ...FETCHED, status: 200 } },
    }),
    unitOf(b, missing, { outcome: { kind: 'failed', reason: 'http-404', fetched: { ...FETCHED, status: 404 }, again } }),
    unitOf(b, gone, { outcome: { kind: 'failed', reason: 'http-410', fetched: { ...FETCHED, status: 410 }, gone: true } }),
  ])
  await frontier.release([{ lease: b, rest: { readyAt: 90, memory: {} } }])
}
