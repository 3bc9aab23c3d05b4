// Contract: pages of which links wait for a budget, in trouble: what befalls them later does not lose those links.
import { failure, type Again, type Cut, type Frontier, type Leased, type Outcome, type HostLease } from '@avocet/core/store'
import { describe, expect, it } from 'vitest'
import type { FrontierStore } from './frontier-store.ts'
import { openedWith, leaseOne, newRequest, SPEC, turnOf } from './story.ts'

const fetched = { at: 40, status: 200, durationMs: 9, wireBytes: 12 }
const CUT: Cut = { budget: { kind: 'new-urls' }, of: 1_000, left: 950 }
const URL = 'https://a.example/1'

/** What is promised of links that wait. */
export function waitingLinksContract(make: () => FrontierStore): void {
  describe('links that wait, of a page that is visited again and is in trouble', () => troubles(make))
  describe('links that wait, of a page that kills its process when it is read again', () => poison(make))
}

/** The process dies with the page in hand; the next one opens. */
async function killed(store: FrontierStore, frontier: Frontier): Promise<{ frontier: Frontier; quarantined: number }> {
  const { requests } = await leaseOne(frontier, { now: 100 })
  await frontier.inProgress(requests.map(({ id }) => id))
  await store.crash?.()
  const next = store.frontier()
  const { quarantined } = await next.open(SPEC, 0)
  return { frontier: next, quarantined }
}

/** A page that is done, of which links wait, and that is to be read again for them. */
async function reread(make: () => FrontierStore, again?: Again): Promise<{ store: FrontierStore; frontier: Frontier }> {
  const { store, frontier } = await openedWith(make, [newRequest('a.example/1')])
  const lease = await leaseOne(frontier)
  await frontier.commit([
    turnOf(lease, lease.requests[0], { outcome: { kind: 'done', fetched, cut: CUT, ...(again && { again }) } }),
  ])
  await frontier.release([{ lease, rest: { readyAt: 0, memory: {} } }])
  await frontier.reopen({ cut: true, limit: 9 })
  return { store, frontier }
}

function poison(make: () => FrontierStore): void {
  it('leaves it done after three dead runs, with its links, and says that it is quarantined', async () => {
    let { store, frontier } = await reread(make)
    const quarantined: number[] = []
    for (let dead = 0; dead < 3; dead++) {
      const next = await killed(store, frontier)
      frontier = next.frontier
      quarantined.push(next.quarantined)
    }

    expect(quarantined).toEqual([0, 0, 1])
    expect(await frontier.reader.counts()).toMatchObject({ known: 1, waiting: 0, done: 1, failed: 0 })
    expect(await frontier.reader.host('a.example')).toMatchObject({ waiting: 0, done: 1, failed: 0 })
    expect(await frontier.reader.failures()).toEqual([])
    expect((await frontier.lease({ now: 100, hosts: 9, requestsPerHost: 9 })).leases).toEqual([])
    const record = { url: URL, state: 'done', cut: CUT, quarantined: true }
    expect(await frontier.reader.requests({ cut: true, limit: 9 })).toMatchObject([record])
    expect(await frontier.reader.history(URL)).toMatchObject([record])
  })

  it('keeps the moment of its next visit', async () => {
    let { store, frontier } = await reread(make, { at: 9_000, skipped: 0 })
    for (let dead = 0; dead < 3; dead++) frontier = (await killed(store, frontier)).frontier

    expect(await frontier.reader.counts()).toMatchObject({ done: 1, waiting: 0, again: 1 })
    expect(await frontier.reader.host('a.example')).toMatchObject({ done: 1, waiting: 0, again: 1 })
    expect(await frontier.reader.history(URL)).toMatchObject([{ state: 'done', cut: CUT, notBefore: 9_000, visits: 1 }])
    const lease = await leaseOne(frontier, { now: 9_000 })
    expect(lease.requests).toMatchObject([{ earlier: { visits: 1, dueAt: 9_000 } }])
    expect(lease.requests[0]).not.toHaveProperty('cut')
  })

  it('begins anew in the next run that finds the store alone', async () => {
    let { store, frontier } = await reread(make)
    for (let dead = 0; dead < 3; dead++) frontier = (await killed(store, frontier)).frontier
    await frontier.close()
    frontier = store.frontier()
    await frontier.open(SPEC, 0)

    expect((await frontier.reader.requests({ cut: true, limit: 9 }))[0]).not.toHaveProperty('quarantined')
    expect(await frontier.reopen({ cut: true, limit: 9 })).toBe(1)
    const quarantined: number[] = []
    for (let dead = 0; dead < 3; dead++) {
      const next = await killed(store, frontier)
      frontier = next.frontier
      quarantined.push(next.quarantined)
    }
    expect(quarantined).toEqual([0, 0, 1])
    expect(await frontier.reader.counts()).toMatchObject({ done: 1, waiting: 0, failed: 0 })
  })

  it('is requested once more where somebody opens it all the same', async () => {
    let { store, frontier } = await reread(make)
    for (let dead = 0; dead < 3; dead++) frontier = (await killed(store, frontier)).frontier
    expect(await frontier.reopen({ cut: true, limit: 9 })).toBe(1)

    expect((await frontier.reader.history(URL))[0]).not.toHaveProperty('quarantined')
    const lease = await leaseOne(frontier, { now: 100 })
    expect(lease.requests).toMatchObject([{ cut: CUT }])
    await frontier.commit([turnOf(lease, lease.requests[0])])
    const [record] = await frontier.reader.history(URL)
    expect(record).toMatchObject({ state: 'done' })
    expect(record).not.toHaveProperty('cut')
  })
}

const AGAIN: Again = { at: 100, skipped: 0 }
const FAILED: Outcome & { kind: 'failed' } = {
  kind: 'failed',
  reason: 'http-500',
  fetched,
  failure: failure('AVO_RESET', 'reset'),
}
const MOVED: Outcome & { kind: 'moved' } = { kind: 'moved', target: 'https://a.example/login?to=%7B1%7D&a={2}', fetched }

/** A page of which links wait, handed out for its second visit. */
async function visitedAgain(
  make: () => FrontierStore,
): Promise<{ frontier: Frontier; lease: HostLease; page: Leased | undefined }> {
  const { frontier } = await openedWith(make, [newRequest('a.example/1')])
  const lease = await leaseOne(frontier)
  await frontier.commit([turnOf(lease, lease.requests[0], { outcome: { kind: 'done', fetched, cut: CUT, again: AGAIN } })])
  const { requests } = await frontier.refill(lease, 9, 100)
  return { frontier, lease, page: requests[0] }
}

/** What is listed of it. */
async function listed(frontier: Frontier): Promise<object | undefined> {
  const lists = await Promise.all([
    frontier.reader.history(URL),
    frontier.reader.requests({ cut: true, limit: 9 }),
    frontier.reader.requests({ cut: { kind: 'new-urls' }, hostKey: 'a.example', limit: 9 }),
  ])
  for (const list of lists) expect(list).toEqual(lists[0])
  expect(await frontier.reader.requests({ cut: { kind: 'new-hosts', site: 'other.example' }, limit: 9 })).toEqual([])
  return lists[0][0]
}

function troubles(make: () => FrontierStore): void {
  it.each([
    ['failed', FAILED, { state: 'failed', reason: 'http-500', blame: 'host' }],
    ['moved', MOVED, { state: 'moved', target: 'https://a.example/login?to=%7B1%7D&a={2}' }],
  ])('keeps them when it has %s, be it visited once more or not', async (_what, outcome, record) => {
    const { frontier, lease, page } = await visitedAgain(make)
    await frontier.commit([turnOf(lease, page, { outcome: { ...outcome, again: { at: 200, skipped: 0 } } })])
    expect(await listed(frontier)).toMatchObject({ ...record, cut: CUT, notBefore: 200 })

    const { requests } = await frontier.refill(lease, 9, 200)
    expect(requests).toMatchObject([{ earlier: { visits: 2 } }])
    expect(requests[0]).not.toHaveProperty('cut')
    await frontier.commit([turnOf(lease, requests[0], { outcome })])
    const last = await listed(frontier)
    expect(last).toMatchObject({ ...record, cut: CUT })
    expect(last).not.toHaveProperty('notBefore')
    expect(await frontier.reader.requests({ state: outcome.kind, limit: 9 })).toEqual([last])
    expect(await frontier.reader.failures()).toEqual(outcome === FAILED ? [{ reason: 'http-500', count: 1 }] : [])
  })

  it('keeps them from trouble of one kind to trouble of another, and forgets that kind', async () => {
    const { frontier, lease, page } = await visitedAgain(make)
    await frontier.commit([turnOf(lease, page, { outcome: { ...FAILED, again: AGAIN } })])
    for (const outcome of [MOVED, FAILED, FAILED, MOVED]) {
      const { requests } = await frontier.refill(lease, 9, 100)
      await frontier.commit([
        turnOf(lease, requests[0], { outcome: { kind: 'retry', at: 0, counted: true, reason: 'http-429', fetched } }),
      ])
      const retried = await frontier.refill(lease, 9, 100)
      await frontier.commit([turnOf(lease, retried.requests[0], { outcome: { ...outcome, again: AGAIN } })])
    }

    const record = await listed(frontier)
    expect(record).toMatchObject({ state: 'moved', target: MOVED.target, cut: CUT })
    expect(record).not.toHaveProperty('reason')
    expect(await frontier.reader.counts()).toMatchObject({ known: 1, moved: 1, failed: 0, again: 1 })
    expect(await frontier.reader.failures()).toEqual([])
  })

  it.each([
    ['its own', { budget: { kind: 'several' }, of: 1_000, left: 940 } as const],
    ['none', undefined],
  ])('goes by what the page says when it is there again: %s', async (_what, cut) => {
    const { frontier, lease, page } = await visitedAgain(make)
    await frontier.commit([turnOf(lease, page, { outcome: { ...FAILED, again: AGAIN } })])
    const { requests } = await frontier.refill(lease, 9, 100)
    await frontier.commit([turnOf(lease, requests[0], { outcome: { kind: 'done', fetched, ...(cut && { cut }) } })])

    const list = await frontier.reader.requests({ cut: true, limit: 9 })
    expect(list.map((record) => record.cut)).toEqual(cut === undefined ? [] : [cut])
    expect(await frontier.reader.failures()).toEqual([])
  })

  it('keeps them when it is tried again as a failed request, is put back, and fails anew', async () => {
    const { frontier, lease, page } = await visitedAgain(make)
    await frontier.commit([turnOf(lease, page, { outcome: FAILED })])
    expect(await frontier.reopen({ reasons: ['http-500'], limit: 9 })).toBe(1)
    expect(await frontier.reader.history(URL)).toMatchObject([{ state: 'waiting', reason: 'http-500', cut: CUT }])
    expect(await frontier.reader.requests({ cut: true, limit: 9 })).toEqual([])
    const { requests } = await frontier.refill(lease, 9, 100)
    expect(requests[0]).not.toHaveProperty('cut')
    await frontier.commit([
      turnOf(lease, requests[0], { outcome: { kind: 'retry', at: 0, counted: true, reason: 'http-429', fetched } }),
    ])
    const again = await frontier.refill(lease, 9, 100)
    expect(again.requests[0]).not.toHaveProperty('cut')
    await frontier.commit([turnOf(lease, again.requests[0], { outcome: FAILED })])

    expect(await listed(frontier)).toMatchObject({ state: 'failed', reason: 'http-500', cut: CUT })
    expect(await frontier.reader.failures()).toEqual([{ reason: 'http-500', count: 1 }])
  })

  it.each([
    ['failed', FAILED],
    ['moved', MOVED],
  ])('has it wait for a visit, not to be read again, when it has %s and is reopened for its links', async (_what, outcome) => {
    const { frontier, lease, page } = await visitedAgain(make)
    await frontier.commit([turnOf(lease, page, { outcome: { ...outcome, again: AGAIN } })])
    expect(await frontier.reopen({ cut: [{ kind: 'new-hosts', site: 'other.example' }], limit: 9 })).toBe(0)
    expect(await frontier.reopen({ cut: [{ kind: 'several' }, { kind: 'new-urls' }], ids: [1], limit: 9 })).toBe(1)
    expect(await frontier.reopen({ cut: true, limit: 9 })).toBe(0)

    const counts = await frontier.reader.counts()
    expect(counts).toMatchObject({ waiting: 1, done: 0, moved: 0, failed: 0 })
    expect(counts).not.toHaveProperty('again')
    expect(await frontier.reader.host('a.example')).toMatchObject({ waiting: 1, moved: 0, failed: 0 })
    expect(await frontier.reader.failures()).toEqual([])
    const [waits] = await frontier.reader.history(URL)
    expect(waits).toMatchObject({ state: 'waiting', cut: CUT })
    expect(waits).not.toHaveProperty('target')
    const { requests } = await frontier.refill(lease, 9, 0)
    expect(requests).toMatchObject([{ earlier: { visits: 2 } }])
    expect(requests[0]).not.toHaveProperty('cut')
    await frontier.commit([turnOf(lease, requests[0], { outcome })])
    expect(await listed(frontier)).toMatchObject({ state: outcome.kind, cut: CUT })
    expect(await frontier.reader.counts()).toMatchObject({ waiting: 0, [outcome.kind]: 1 })
  })

  it('keeps them when it kills its process in a visit', async () => {
    const { store, frontier: first } = await openedWith(make, [newRequest('a.example/1')])
    let frontier = first
    const lease = await leaseOne(frontier)
    await frontier.commit([turnOf(lease, lease.requests[0], { outcome: { kind: 'done', fetched, cut: CUT, again: AGAIN } })])
    await frontier.release([{ lease, rest: { readyAt: 0, memory: {} } }])
    for (let dead = 0; dead < 3; dead++) frontier = (await killed(store, frontier)).frontier

    const record = await listed(frontier)
    expect(record).toMatchObject({ state: 'failed', reason: 'poison', cut: CUT })
    expect(record).not.toHaveProperty('quarantined')
  })
}
