// The contract of what copies whole stores: `dump` of a reader, and `load` of a frontier. A copy cannot be told from the store that it is of.
import type { DumpRecord, Frontier, HostLease } from '@avocet/core/store'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { FrontierStore } from './frontier/frontier-store.ts'
import { leaseOne, newRequest, SPEC, turnOf } from './frontier/story.ts'

const TYPES = ['store', 'handler-error', 'host', 'memory', 'request', 'item', 'record', 'reject', 'sink', 'end']

const FAILURE = {
  phase: 'handler',
  code: 'AVO_HANDLER_THREW',
  blame: 'user',
  message: 'no price',
  sent: true,
  wireBytes: 99,
  handlerError: { code: 'AVO_HANDLER_THREW', message: 'Error: no price', place: '/shop.ts:3:1' },
} as const

/**
 * Declares the tests that stores must pass that can be copied. Needs vitest.
 *
 * @example
 * ```ts
 * dumpContract('memory', () => {
 *   const frontier = memoryFrontier()
 *   return { frontier: () => frontier, dispose: () => frontier.close() }
 * })
 * ```
 */
export function dumpContract(name: string, make: () => FrontierStore): void {
  describe(`dump of ${name}`, () => {
    it('of an empty store makes one that has no crawl in it', async () => {
      const { frontier, records } = await copyOf(make, async () => undefined)

      expect(records.map(({ type }) => type)).toEqual(['store', 'end'])
      expect(await frontier.reader.counts()).toMatchObject({ known: 0, hosts: 0, items: 0 })
    })

    it('makes a store that gives the same dump', async () => {
      const { frontier, records } = await copyOf(make, story)

      expect([...new Set(records.map(({ type }) => type))]).toEqual(TYPES)
      expect(await recordsOf(frontier)).toEqual(records)
    })

    it('makes a store that says the same of everything', async () => {
      const { frontier, original } = await copyOf(make, story)

      expect(await readAll(frontier)).toEqual(await readAll(original))
    })

    it('makes a store that goes on in the same way', async () => {
      const { frontier, original } = await copyOf(make, story)

      for (const now of [6_000, 9_000, 20_000]) expect(await turnAt(frontier, now)).toEqual(await turnAt(original, now))
      expect(await readAll(frontier)).toEqual(await readAll(original))
    })

    it('makes a store that knows all of its URLs', async () => {
      const { frontier, original } = await copyOf(make, story)
      const all = await original.reader.requests({ limit: 100 })

      const again = all.map(({ url, handler }) => newRequest(url.slice('https://'.length), { handler }))
      expect(await frontier.add([...again, newRequest('new.example/')])).toEqual({ added: 1, known: all.length })
    })

    it('is refused by a store that has a crawl', async () => {
      const { records } = await copyOf(make, story)
      const other = await opened(make)
      await other.add([newRequest('other.example/')])

      await expect(load(other, records)).rejects.toMatchObject({ code: 'AVO_FRONTIER_UNUSABLE' })
    })

    it.each([
      ['lacks its end', (records: readonly DumpRecord[]) => records.slice(0, -1)],
      ['lacks an item', (records: readonly DumpRecord[]) => records.filter(({ type }) => type !== 'item')],
      ['begins in the middle', (records: readonly DumpRecord[]) => records.slice(1)],
    ])('that %s is refused', async (_what, cut) => {
      const { records } = await copyOf(make, story)

      await expect(load(await opened(make), cut(records))).rejects.toMatchObject({ code: 'AVO_FRONTIER_CORRUPT' })
    })

    it('leaves a store that was half loaded one that says so when it is opened', async () => {
      const { records } = await copyOf(make, story)
      const store = make()
      onTestFinished(() => store.dispose())
      const half = store.frontier()
      await half.open(SPEC, 0)
      await expect(load(half, records.slice(0, -1))).rejects.toThrow()
      await half.close()

      await expect(store.frontier().open(SPEC, 0)).rejects.toMatchObject({ code: 'AVO_FRONTIER_CORRUPT' })
    })
  })
}

async function opened(make: () => FrontierStore): Promise<Frontier> {
  const store = make()
  onTestFinished(() => store.dispose())
  const frontier = store.frontier()
  await frontier.open(SPEC, 0)
  return frontier
}

/** A store in which `tell` happened, its records at rest, and an open store that was made of them. */
async function copyOf(
  make: () => FrontierStore,
  tell: (frontier: Frontier) => Promise<void>,
): Promise<{ readonly frontier: Frontier; readonly original: Frontier; readonly records: readonly DumpRecord[] }> {
  const store = make()
  onTestFinished(() => store.dispose())
  const first = store.frontier()
  await first.open(SPEC, 0)
  await tell(first)
  await first.close()
  const original = store.frontier()
  await original.open(SPEC, 5_000)
  const records = await recordsOf(original)
  const frontier = await opened(make)
  await load(frontier, records)
  return { frontier, original, records }
}

async function load(frontier: Frontier, records: readonly DumpRecord[]): Promise<void> {
  if (frontier.load === undefined) throw new Error('expected a frontier that can be loaded')
  await frontier.load(
    (async function* () {
      yield* records
    })(),
  )
}

async function recordsOf({ reader }: Frontier): Promise<readonly DumpRecord[]> {
  if (reader.dump === undefined) throw new Error('expected a reader that can dump')
  const records: DumpRecord[] = []
  for await (const record of reader.dump()) records.push(record)
  return records
}

async function readAll({ reader }: Frontier): Promise<object> {
  const limit = 100
  return {
    counts: await reader.counts(),
    hosts: await reader.hosts({ limit }),
    requests: await reader.requests({ limit }),
    probation: await reader.probation({ limit }),
    failures: await reader.failures(),
    handlerErrors: await reader.handlerErrors(),
    rejects: await reader.rejects({ limit }),
    rejectGroups: await reader.rejectGroups(),
    items: await reader.items({ afterSeq: 0, limit }),
    visits: await reader.visits({ requestId: 1, limit, itemsPerVisit: limit, maxBytes: 9_999 }),
    records: await reader.records({ afterSeq: 0, limit }),
    sinks: await reader.sinks(),
    crawlMemories: await reader.crawlMemories(),
  }
}

/** Leases all that is due at `now`, has the first page of each host done, and gives the hosts back. */
async function turnAt(frontier: Frontier, now: number): Promise<object> {
  // What others wrote since it was opened: for the process that loaded it, that is what it has loaded.
  const { leases, crawlMemories: _written, ...more } = await frontier.lease({ now, hosts: 10, requestsPerHost: 2 })
  const done = await frontier.commit(leases.flatMap((lease) => (lease.requests[0] ? [turnOf(lease, lease.requests[0])] : [])))
  await frontier.release(leases.map((lease) => ({ lease, rest: { readyAt: now + 500, memory: {} } })))
  return { leases, more, done }
}

/** Something of everything that a store can hold. */
async function story(frontier: Frontier): Promise<void> {
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
    turnOf(c, c.requests[0], { outcome: { kind: 'moved', target: 'https://a.example/', fetched: FETCHED } }),
  ])
  await frontier.retire('c.example', 'host-dead', 7_000, c)
  await frontier.retire('d.example', 'host-dead', Infinity)
  await frontier.note({ scope: '["b"]', clock: '{"at":1}' })
  await frontier.setAside([{ source: 'files', requestId: 1, visit: 0, ordinal: 0, reason: 'too long', at: 70 }])
  await frontier.retryRejects({ limit: 1 })
  await frontier.keepSink({
    name: '../items.jsonl',
    written: 2,
    mark: { itemSeq: 2, state: { bytes: 9, start: { itemSeq: 0, bytes: 0 } } },
  })
  await frontier.keepSink({
    name: 'shop',
    written: 1,
    trouble: { since: 60, error: 'refused' },
    suspects: [{ seq: 1, failures: 2 }],
  })
  await frontier.release([{ lease: c, rest: { readyAt: 90, memory: { core: '[1,{}]' } } }])
}

const FETCHED = { at: 100, status: 301, durationMs: 5, wireBytes: 99 }

async function leaseOf(frontier: Frontier, hostKey: string): Promise<HostLease> {
  for (;;) {
    const lease = await leaseOne(frontier, { now: 50, n: 10 })
    if (lease.hostKey === hostKey) return lease
    await frontier.release([{ lease, rest: { readyAt: 50, memory: {}, onProbation: true } }])
  }
}

async function turnsOfA(a: HostLease, frontier: Frontier): Promise<void> {
  const [home, form] = a.requests
  await frontier.commit([
    turnOf(a, home, {
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
    turnOf(a, form, {
      outcome: { kind: 'retry', at: 8_500, counted: true, reason: 'http-503', fetched: { ...FETCHED, status: 503 } },
    }),
  ])
  await frontier.release([{ lease: a, rest: { readyAt: 4_000, memory: { pace: '{"rate":2}' } } }])
}

async function turnsOfB(b: HostLease, frontier: Frontier): Promise<void> {
  const [broken, missing, gone] = b.requests
  const again = { at: 9_500, skipped: 0, missing: { visits: 2, since: 300 } }
  await frontier.commit([
    turnOf(b, broken, {
      outcome: { kind: 'failed', reason: 'handler-threw', failure: FAILURE, fetched: { ...FETCHED, status: 200 } },
    }),
    turnOf(b, missing, { outcome: { kind: 'failed', reason: 'http-404', fetched: { ...FETCHED, status: 404 }, again } }),
    turnOf(b, gone, { outcome: { kind: 'failed', reason: 'http-410', fetched: { ...FETCHED, status: 410 }, gone: true } }),
  ])
  await frontier.release([{ lease: b, rest: { readyAt: 90, memory: {} } }])
}
