// Contract: what a process that dies leaves behind.
import type { CrawlInfo, Frontier } from '@avocet/core/store'
import { describe, expect, it } from 'vitest'
import type { FrontierStore } from './frontier-store.ts'
import { SPEC, leaseOne, leasedOne, newRequest, newRequests, openedWith, pathsOf, unitOf } from './story.ts'

/** What the next run finds after a kill -9, and after a clean end. */
export function crashContract(make: () => FrontierStore): void {
  describe('crash', () => crashes(make))
  describe('poison pages', () => poison(make))
  describe('crawl memory', () => crawlMemory(make))
  describe('sinks', () => sinkRecords(make))
  describe('notes', () => notes(make))
}

/** The process dies; the next one opens. */
async function nextRun(store: FrontierStore): Promise<{ frontier: Frontier; info: CrawlInfo }> {
  await store.crash?.()
  const frontier = store.frontier()
  return { frontier, info: await frontier.open(SPEC, 0) }
}

function crashes(make: () => FrontierStore): void {
  it('loses nothing that was committed, and gives hosts back at once', async () => {
    const { store, frontier, lease } = await leasedOne(make, newRequests(3))
    const memory = { core: '{"seq":1}' }
    await frontier.commit([
      unitOf(lease, lease.requests[0], { items: [{ json: '1' }], memory, links: [newRequest('b.example/1')] }),
    ])

    const { frontier: next, info } = await nextRun(store)
    expect(info).toMatchObject({ resumed: true, known: 4, waiting: 3, settled: 1, items: 1, quarantined: 0 })
    const { leases } = await next.lease({ now: 0, hosts: 9, requestsPerHost: 9 })
    const again = leases.find(({ hostKey }) => hostKey === 'a.example')
    expect(again).toMatchObject({ takenOver: true, memory })
    expect(again?.epoch).toBeGreaterThan(lease.epoch)
    expect(pathsOf(again?.requests ?? [])).toEqual(['/2', '/3'])
    expect(leases.find(({ hostKey }) => hostKey === 'b.example')).not.toHaveProperty('takenOver')
    expect(await next.add([newRequest('b.example/1')])).toEqual({ added: 0, known: 1 })
  })

  it('says of a host that was taken over that it was, once', async () => {
    const { store, frontier } = await openedWith(make, newRequests(1))
    await leaseOne(frontier)
    const { frontier: next } = await nextRun(store)
    const lease = await leaseOne(next)
    expect(lease.takenOver).toBe(true)
    await next.release([{ lease, rest: { readyAt: 0, memory: {} } }])
    expect(await leaseOne(next)).not.toHaveProperty('takenOver')
  })

  it('gives hosts back without a word when it was closed', async () => {
    const { store, frontier } = await openedWith(make, newRequests(1))
    await leaseOne(frontier)
    await frontier.close()
    const { frontier: next } = await nextRun(store)
    expect(await leaseOne(next)).not.toHaveProperty('takenOver')
  })

  it('keeps delayed, retired and half-walked hosts as they were', async () => {
    const { store, frontier } = await openedWith(make, [...newRequests(4), newRequest('b.example/1')])
    await frontier.retire('b.example', 'closed', Infinity)
    const lease = await leaseOne(frontier)
    const [one, , three] = lease.requests
    await frontier.commit([
      unitOf(lease, one, { outcome: { kind: 'retry', at: 900, counted: true, reason: 'reset' } }),
      unitOf(lease, three),
    ])
    const { frontier: next } = await nextRun(store)
    const again = await leaseOne(next)
    expect(pathsOf(again.requests)).toEqual(['/2', '/4'])
    expect(again).toMatchObject({ waiting: 1, nextDelayedAt: 900 })
    expect(await next.reader.counts()).toMatchObject({ waiting: 4, retired: 1 })
  })
}

function poison(make: () => FrontierStore): void {
  it('are settled as failed when they were in progress in three dead runs', async () => {
    const run = await openedWith(make, [newRequest('a.example/poison'), newRequest('a.example/good')])
    const { store } = run
    let { frontier } = run
    const quarantined: number[] = []
    for (let dead = 0; dead < 3; dead++) {
      const lease = await leaseOne(frontier, { n: 1 })
      expect(pathsOf(lease.requests)).toEqual(['/poison'])
      await frontier.inProgress([lease.requests[0]?.id ?? 0])
      const next = await nextRun(store)
      frontier = next.frontier
      quarantined.push(next.info.quarantined)
    }
    expect(quarantined).toEqual([0, 0, 1])
    expect(pathsOf((await leaseOne(frontier)).requests)).toEqual(['/good'])
    expect(await frontier.reader.failures()).toEqual([{ reason: 'poison', count: 1 }])
    expect(await frontier.reader.counts()).toMatchObject({ known: 2, waiting: 1, failed: 1 })
    expect(await frontier.reader.requests({ state: 'failed', limit: 9 })).toMatchObject([{ reason: 'poison', blame: 'url' }])
  })

  it('are not the pages in progress beside one that kills the process: after two deaths each is handed out as suspected, to be handled alone', async () => {
    const run = await openedWith(make, [newRequest('a.example/poison'), newRequest('a.example/good')])
    const { store } = run
    let { frontier } = run
    const suspected: unknown[] = []
    for (let dead = 0; dead < 5; dead++) {
      const { requests } = await leaseOne(frontier)
      suspected.push(requests.map((request) => request.suspected))
      await frontier.inProgress(requests.map(({ id }) => id))
      const next = await nextRun(store)
      frontier = next.frontier
      expect(next.info).toMatchObject({ waiting: 2, quarantined: 0 })
    }
    expect(suspected).toEqual([
      [undefined, undefined],
      [undefined, undefined],
      [true, true],
      [true, true],
      [true, true],
    ])

    const lease = await leaseOne(frontier)
    const [poisonous, good] = lease.requests
    await frontier.commit([unitOf(lease, good)])
    await frontier.inProgress([poisonous?.id ?? 0])
    const { frontier: last, info } = await nextRun(store)
    expect(info).toMatchObject({ waiting: 0, quarantined: 1 })
    expect(await last.reader.counts()).toMatchObject({ known: 2, done: 1, failed: 1 })
  })
}

function crawlMemory(make: () => FrontierStore): void {
  it('is handed out on open, and replaced by what is written over it', async () => {
    const { store, frontier, lease } = await leasedOne(make, newRequests(1))
    await frontier.commit([unitOf(lease, undefined, { crawlMemory: { budget: '1', prior: '1' } })])

    const second = await nextRun(store)
    expect(second.info.crawlMemories).toEqual([{ budget: '1', prior: '1' }])
    const taken = await leaseOne(second.frontier)
    await second.frontier.commit([unitOf(taken, undefined, { crawlMemory: { budget: '2' } })])
    await second.frontier.close()

    const third = await nextRun(store)
    const merged = Object.assign({}, ...third.info.crawlMemories) as object
    expect(merged).toEqual({ budget: '2', prior: '1' })
    expect(third.info.crawlMemories.filter((memory) => 'budget' in memory)).toHaveLength(1)
  })
}

function notes(make: () => FrontierStore): void {
  it('are crawl memory that was written outside of a unit', async () => {
    const { store, frontier } = await openedWith(make)
    await frontier.note({ wish: '1', other: '1' })
    await frontier.note({ wish: '2' })
    expect((await frontier.reader.info()).memories).toEqual([{ wish: '2', other: '1' }])
    const { info, frontier: next } = await nextRun(store)
    expect(Object.assign({}, ...info.crawlMemories) as object).toEqual({ wish: '2', other: '1' })
    expect((await next.reader.info()).memories).toEqual(info.crawlMemories)
  })
}

function sinkRecords(make: () => FrontierStore): void {
  it('are kept by name, and survive', async () => {
    const { store, frontier } = await openedWith(make)
    expect(await frontier.sinks.get('items.jsonl')).toBeUndefined()
    const record = { name: 'items.jsonl', written: 3, mark: { itemSeq: 3, state: { bytes: 120 } } }
    const later = { name: 'items.jsonl', written: 5, mark: { itemSeq: 5, state: { bytes: 4_000_000_000 } } }
    const other = {
      name: 'other',
      written: 0,
      trouble: { since: 9, error: 'down' },
      suspects: [{ seq: 1, failures: 2 }],
      search: { limit: 2, seq: 2, times: 1 },
    }
    for (const each of [record, other, later]) expect(await frontier.sinks.keep(each)).toBe(true)
    const { frontier: next } = await nextRun(store)
    expect(await next.sinks.get('items.jsonl')).toEqual(later)
    expect(await next.sinks.get('other')).toEqual(other)
  })

  it('say how many items are behind them', async () => {
    const { frontier, lease } = await leasedOne(make, [newRequest('a.test/1')])
    const items = [1, 2, 3].map((n) => ({ json: `${n}` }))
    await frontier.commit([unitOf(lease, lease.requests[0], { items })])
    const [, second] = await frontier.reader.items({ afterSeq: 0, limit: 3 })
    await frontier.sinks.keep({ name: 'b', written: 2, mark: { itemSeq: second?.seq ?? 0 } })
    await frontier.sinks.keep({ name: 'a', written: 0 })

    const sinks = await frontier.reader.sinks()
    expect(sinks.map(({ name, behind }) => [name, behind])).toEqual([
      ['a', 3],
      ['b', 1],
    ])
  })

  it('belong to one process, and to the next one once that is gone', async () => {
    const { store, frontier } = await openedWith(make)
    expect(await frontier.sinks.claim('out')).toBe(true)
    expect(await frontier.sinks.claim('out')).toBe(true)
    const { frontier: next } = await nextRun(store)
    expect(await next.sinks.claim('out')).toBe(true)
    expect(await next.sinks.get('out')).toBeUndefined()
  })
}
