// Contract: commits. All of a unit or nothing, each on its own, once.
import { failure, type CommitUnit } from '@avocet/core/store'
import { describe, expect, it } from 'vitest'
import type { FrontierStore } from './frontier-store.ts'
import { DONE, hostOf, leasedOne, leaseOne, newRequest, newRequests, openedWith, pathsOf, unitOf } from './story.ts'

/** What `commit` promises. */
export function commitContract(make: () => FrontierStore): void {
  describe('commit', () => wholeUnits(make))
  describe('retry', () => retries(make))
  describe('fence', () => fencing(make))
  describe('bad units', () => badUnits(make))
  describe('repeated commits', () => repeats(make))
}

function wholeUnits(make: () => FrontierStore): void {
  it('settles the request with its links, items and memory', async () => {
    const { frontier, lease } = await leasedOne(make, newRequests(1))
    const links = [
      newRequest('a.example/1'),
      newRequest('a.example/2', { priority: 3 }),
      newRequest('b.example/1'),
      newRequest('a.example/3'),
    ]
    const unit = unitOf(lease, lease.requests[0], {
      links,
      items: [{ json: '{"n":1}' }, { json: '{"n":2}' }],
      memory: { core: '7' },
    })

    const [result] = await frontier.commit([unit])
    expect(result).toMatchObject({ status: 'committed', added: 3, known: 1 })
    expect(result?.gained).toEqual([
      { hostKey: 'a.example', count: 2, topPriority: 3 },
      { hostKey: 'b.example', count: 1, topPriority: 0 },
    ])
    expect(await frontier.reader.counts()).toMatchObject({
      known: 4,
      waiting: 3,
      done: 1,
      moved: 0,
      failed: 0,
      items: 2,
      hosts: 2,
    })
    expect(await hostOf(frontier, 'a.example')).toMatchObject({ waiting: 2, done: 1, memory: { core: '7' }, held: true })
    expect(pathsOf((await frontier.refill(lease, 9, 0)).requests)).toEqual(['/2', '/3'])
  })

  it('counts a link of two units of a group once', async () => {
    const { frontier, lease } = await leasedOne(make, newRequests(2))
    const units = lease.requests.map((request) => unitOf(lease, request, { links: [newRequest('a.example/new')] }))
    expect(await frontier.commit(units)).toMatchObject([
      { added: 1, known: 0 },
      { added: 0, known: 1 },
    ])
    expect(await frontier.reader.counts()).toMatchObject({ known: 3 })
  })

  it('takes units that carry memory only, and the last memory of a part wins', async () => {
    const { frontier, lease } = await leasedOne(make, newRequests(1))
    const memories = [{ robots: '1', '#robots': 'text' }, { robots: '2' }]
    await frontier.commit(memories.map((memory) => unitOf(lease, undefined, { memory })))
    expect((await hostOf(frontier, 'a.example'))?.memory).toEqual({ robots: '2', '#robots': 'text' })
  })

  it('settles moved and failed requests with their reasons', async () => {
    const { frontier, lease } = await leasedOne(make, newRequests(4))
    const [one, two, three] = lease.requests
    await frontier.commit([
      unitOf(lease, one, {
        outcome: { kind: 'moved', target: 'https://a.example/9', fetched: { at: 5, status: 301, durationMs: 1, wireBytes: 0 } },
      }),
      unitOf(lease, two, { outcome: { kind: 'failed', reason: 'http-404' } }),
      unitOf(lease, three, { outcome: { kind: 'failed', reason: 'reset', failure: failure('AVO_RESET', 'reset') } }),
    ])
    expect(await frontier.reader.counts()).toMatchObject({ known: 4, waiting: 1, moved: 1, failed: 2 })
    const records = await frontier.reader.requests({ limit: 3 })
    expect(records).toMatchObject([
      { state: 'moved', target: 'https://a.example/9', status: 301, attempts: 1 },
      { state: 'failed', reason: 'http-404', attempts: 0 },
      { state: 'failed', reason: 'reset', blame: 'host' },
    ])
    expect(records[1]).not.toHaveProperty('fetchedAt')
  })

  it('holds a group of units of several hosts', async () => {
    const { frontier } = await openedWith(
      make,
      ['a', 'b', 'c'].flatMap((host) => [1, 2].map((n) => newRequest(`${host}.example/${n}`))),
    )
    const { leases } = await frontier.lease({ now: 0, hosts: 3, requestsPerHost: 2 })
    const units = leases.flatMap((lease) => lease.requests.map((request) => unitOf(lease, request, { items: [{ json: '0' }] })))
    const results = await frontier.commit(units)
    expect(results.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 'committed'))
    expect(await frontier.reader.counts()).toMatchObject({ known: 6, waiting: 0, done: 6, items: 6 })
  })
}

function retries(make: () => FrontierStore): void {
  const fetched = { at: 40, status: 503, durationMs: 9, wireBytes: 12 }

  it('waits until its moment, and blocks nothing meanwhile', async () => {
    const { frontier } = await openedWith(make, [newRequest('a.example/1', { priority: 9 }), newRequest('a.example/2')])
    const lease = await leaseOne(frontier, { n: 1 })
    await frontier.commit([
      unitOf(lease, lease.requests[0], { outcome: { kind: 'retry', at: 700, counted: true, reason: 'http-503', fetched } }),
    ])
    expect(await frontier.reader.counts()).toMatchObject({ waiting: 2, done: 0, failed: 0 })
    expect(await frontier.refill(lease, 9, 699)).toMatchObject({ requests: [{ url: 'https://a.example/2' }], nextDelayedAt: 700 })
    expect(await frontier.refill(lease, 9, 700)).toMatchObject({
      requests: [{ url: 'https://a.example/1', attempts: 1, freeAttempts: 0 }],
    })
  })

  it('counts attempts and free attempts apart, over visits', async () => {
    const { frontier } = await openedWith(make, newRequests(1))
    for (const counted of [true, false, true]) {
      const lease = await leaseOne(frontier, { now: 10 })
      await frontier.commit([
        unitOf(lease, lease.requests[0], { outcome: { kind: 'retry', at: 10, counted, reason: 'reset', fetched } }),
      ])
      await frontier.release([{ lease, rest: { readyAt: 0, memory: {} } }])
    }
    const lease = await leaseOne(frontier, { now: 10 })
    expect(lease.requests).toMatchObject([{ attempts: 2, freeAttempts: 1 }])
    expect(await hostOf(frontier, 'a.example')).toMatchObject({ retried: 3, waiting: 1 })
    await frontier.commit([unitOf(lease, lease.requests[0])])
    expect(await frontier.reader.counts()).toMatchObject({ known: 1, waiting: 0, done: 1 })
    expect((await frontier.reader.requests({ limit: 1 }))[0]).toMatchObject({
      state: 'done',
      attempts: 3,
      freeAttempts: 1,
      status: 200,
    })
  })

  it('may be put back again and again within one visit', async () => {
    const { frontier, lease } = await leasedOne(make, newRequests(2))
    let [request] = lease.requests
    for (const at of [10, 20, 30]) {
      await frontier.commit([unitOf(lease, request, { outcome: { kind: 'retry', at, counted: true, reason: 'reset' } })])
      const { requests } = await frontier.refill(lease, 9, at)
      expect(pathsOf(requests)).toEqual(['/1'])
      request = requests[0]
    }
    expect(request?.attempts).toBe(3)
  })
}

function fencing(make: () => FrontierStore): void {
  it('writes nothing of a unit under an old epoch', async () => {
    const { frontier } = await openedWith(make, newRequests(1))
    const old = await leaseOne(frontier)
    await frontier.release([{ lease: old, rest: { readyAt: 0, memory: {} } }])
    await leaseOne(frontier)
    const unit = unitOf(old, old.requests[0], {
      links: [newRequest('b.example/1')],
      items: [{ json: '1' }],
      memory: { core: '1' },
    })
    expect(await frontier.commit([unit])).toEqual([{ status: 'fenced', gained: [], added: 0, known: 0 }])
    expect(await frontier.reader.counts()).toMatchObject({ known: 1, waiting: 1, items: 0, hosts: 1 })
    expect((await hostOf(frontier, 'a.example'))?.memory).toEqual({})
  })

  it('fences a host that was given back, or never leased', async () => {
    const { frontier, lease } = await leasedOne(make, newRequests(1))
    await frontier.release([{ lease, rest: { readyAt: 0, memory: {} } }])
    const units = [unitOf(lease, lease.requests[0]), { ...unitOf(lease, undefined), lease: { hostKey: 'x.example', epoch: 1 } }]
    expect(await frontier.commit(units)).toMatchObject([{ status: 'fenced' }, { status: 'fenced' }])
  })
}

function badUnits(make: () => FrontierStore): void {
  it.each<[string, (good: CommitUnit) => object]>([
    ['a link with a broken fingerprint', () => ({ links: [newRequest('b.example/1', { fingerprint: 'short' as never })] })],
    ['a link with a priority that is no integer', () => ({ links: [newRequest('b.example/1', { priority: 0.5 })] })],
    ['a link that is no URL', () => ({ links: [newRequest('b.example/1', { url: 'mailto:a@b.example' })] })],
    ['a link with text where a number belongs', () => ({ links: [newRequest('b.example/1', { depth: '1' as never })] })],
    ['a request that was never handed out', () => ({ requestId: 4 })],
    ['a request that does not exist', () => ({ requestId: 999 })],
    ['a retry at no time', () => ({ outcome: { kind: 'retry', at: NaN, counted: true, reason: 'reset' } })],
    [
      'history that is no number',
      () => ({ outcome: { ...DONE, fetched: { at: NaN, status: 200, durationMs: 1, wireBytes: 1 } } }),
    ],
  ])('rejects %s alone, with all of its unit', async (_name, flaw) => {
    const { frontier } = await openedWith(make, newRequests(4))
    const lease = await leaseOne(frontier, { n: 3 })
    const units = lease.requests.map((request, n) => {
      return unitOf(lease, request, {
        links: [newRequest(`b.example/${n}0`)],
        items: [{ json: '1' }],
        memory: { [`part${n}`]: '1' },
      })
    })
    const [first, second, third] = units
    if (first === undefined || second === undefined || third === undefined) throw new Error('expected three units')

    const results = await frontier.commit([first, Object.assign({}, second, flaw(second)), third])
    expect(results.map(({ status }) => status)).toEqual(['committed', 'rejected', 'committed'])
    expect(results[1]?.error).toMatch(/expected/)
    expect(await frontier.reader.counts()).toMatchObject({ known: 6, waiting: 4, done: 2, items: 2 })
    expect(Object.keys((await hostOf(frontier, 'a.example'))?.memory ?? {})).toEqual(['part0', 'part2'])

    expect(await frontier.commit([second])).toMatchObject([{ status: 'committed', added: 1 }])
  })
}

function repeats(make: () => FrontierStore): void {
  it('change nothing, whatever the outcome was', async () => {
    const { frontier, lease } = await leasedOne(make, newRequests(3))
    const [one, two, three] = lease.requests
    const more = { links: [newRequest('b.example/1')], items: [{ json: '1' }, { json: '2' }] }
    const units = [
      unitOf(lease, one, more),
      unitOf(lease, two, { ...more, outcome: { kind: 'failed', reason: 'http-410' } }),
      unitOf(lease, three, { ...more, outcome: { kind: 'retry', at: 50, counted: true, reason: 'reset' } }),
    ]
    await frontier.commit(units)
    const before = [await frontier.reader.counts(), await frontier.reader.hosts({ limit: 9 }), await frontier.reader.failures()]

    const results = await frontier.commit([...units, ...units])
    expect(results.map(({ status, added }) => [status, added])).toEqual(Array.from({ length: 6 }, () => ['committed', 0]))
    expect([await frontier.reader.counts(), await frontier.reader.hosts({ limit: 9 }), await frontier.reader.failures()]).toEqual(
      before,
    )
    expect((await frontier.refill(lease, 9, 50)).requests).toMatchObject([{ id: three?.id, attempts: 1 }])
  })

  it('are harmless within one group', async () => {
    const { frontier, lease } = await leasedOne(make, newRequests(1))
    const unit = unitOf(lease, lease.requests[0], { items: [{ json: '1' }] })
    expect(await frontier.commit([unit, unit])).toMatchObject([{ status: 'committed' }, { status: 'committed' }])
    expect(await frontier.reader.counts()).toMatchObject({ done: 1, waiting: 0, items: 1 })
  })

  it('keep items once by request and ordinal, also of an attempt that was put back', async () => {
    const { frontier, lease } = await leasedOne(make, newRequests(1))
    const [request] = lease.requests
    await frontier.commit([
      unitOf(lease, request, { items: [{ json: '"a"' }], outcome: { kind: 'retry', at: 0, counted: true, reason: 'reset' } }),
    ])
    await frontier.refill(lease, 1, 1)
    await frontier.commit([unitOf(lease, request, { items: [{ json: '"b"' }, { json: '"c"' }] })])
    expect(await frontier.reader.items({ afterSeq: 0, limit: 9 })).toMatchObject([
      { ordinal: 0, json: '"a"' },
      { ordinal: 1, json: '"c"' },
    ])
  })
}
