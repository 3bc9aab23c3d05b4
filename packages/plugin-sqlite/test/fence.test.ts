// A host belongs to one process and one lease: whoever lost it writes nothing more of it, and reads nothing.
import { join } from 'node:path'
import type { Frontier, HostLease } from '@avocet/core/store'
import { sqlite } from '@avocet/plugin-sqlite'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { leaseOne, newRequest, SPEC, unitOf } from '../../testkit/src/contracts/frontier/story.ts'
import { temporaryFolder } from './stores.ts'

interface Held {
  readonly path: string
  readonly one: Frontier
  readonly two: Frontier
  readonly lease: HostLease
}

/** Two processes on one store, of which the first holds its only host, with two of its three requests handed out. */
async function held(): Promise<Held> {
  const folder = temporaryFolder()
  const path = join(folder.path, 'store.db')
  const [one, two] = [sqlite(path), sqlite(path)]
  onTestFinished(async () => {
    await one.close()
    await two.close()
    folder.dispose()
  })
  await one.open(SPEC, 0)
  await two.open(SPEC, 0)
  await one.add([1, 2, 3].map((n) => newRequest(`a.example/${n}`)))
  return { path, one, two, lease: await leaseOne(one, { n: 2 }) }
}

/** What somebody else writes, or finds, behind the backs of both. */
function behind(path: string, change: string): void {
  const db = new Database(path)
  db.exec(change)
  db.close()
}

function rowOf(path: string): unknown {
  const db = new Database(path, { readonly: true })
  const row = db.prepare('SELECT owner, epoch, ready, delayed, done, retired_for, ready_at FROM host').get()
  db.close()
  return row
}

const LOST = [
  ['another process holds it', 'UPDATE host SET owner = (SELECT max(id) FROM process)'],
  ['it is held under a later lease', 'UPDATE host SET epoch = epoch + 1'],
] as const

describe.each(LOST)('whoever lost a host, for %s,', (_what, change) => {
  it.each<[string, (from: Held) => Promise<unknown>, object | undefined]>([
    ['commits nothing', ({ one, lease }) => one.commit([unitOf(lease, lease.requests[0])]), [{ status: 'fenced' }]],
    ['hears of it at the next beat', ({ one, lease }) => one.renew([lease], 10), [{ held: false, waiting: 0 }]],
    ['gets nothing more of it', ({ one, lease }) => one.refill(lease, 9, 10), { requests: [] }],
    ['does not give it back', async ({ one, lease }) => one.release([{ lease, rest: { readyAt: 50, memory: {} } }]), undefined],
    ['does not give it up', async ({ one, lease }) => one.retire('a.example', 'silent', 99, lease), undefined],
  ])('%s', async (_does, does, answer) => {
    const from = await held()
    behind(from.path, change)
    const before = rowOf(from.path)

    const got = await does(from)

    if (answer === undefined) expect(got).toBeUndefined()
    else expect(got).toMatchObject(answer)
    expect(rowOf(from.path)).toEqual(before)
  })

  it('forgets it, and may lease it again', async () => {
    const { path, one, lease } = await held()
    behind(path, change)
    await one.renew([lease], 10)
    behind(path, 'UPDATE host SET owner = NULL, due_at = 0')

    const again = await leaseOne(one, { now: 10 })

    expect(again.requests).toHaveLength(3)
    expect(await one.commit([unitOf(again, again.requests[0])])).toMatchObject([{ status: 'committed' }])
  })
})

describe('a lease', () => {
  it('is of one process at a time, and of a later epoch each time', async () => {
    const { one, two, lease } = await held()
    expect((await two.lease({ now: 10, hosts: 9, requestsPerHost: 9 })).leases).toEqual([])

    await one.release([{ lease, rest: { readyAt: 0, memory: {} } }])
    const later = await leaseOne(two, { now: 10 })

    expect(later.epoch).toBeGreaterThan(lease.epoch)
    expect(await one.commit([unitOf(lease, lease.requests[0])])).toMatchObject([{ status: 'fenced' }])
    expect(await two.commit([unitOf({ ...later, epoch: lease.epoch }, later.requests[0])])).toMatchObject([{ status: 'fenced' }])
  })

  it('of a host whose owner is no process says that it was taken over, once', async () => {
    const { path, two } = await held()
    behind(path, 'UPDATE host SET owner = 999, due_at = NULL')

    const taken = await leaseOne(two, { now: 10 })
    expect(taken.takenOver).toBe(true)
    await two.release([{ lease: taken, rest: { readyAt: 0, memory: {} } }])
    expect(await leaseOne(two, { now: 10 })).not.toHaveProperty('takenOver')
  })

  it('ends with the moment, the memory and the standing that its holder gave it back with', async () => {
    const { one, two, lease } = await held()
    await one.release([{ lease, rest: { readyAt: 5_000.4, memory: { core: '{"seq":3}' }, onProbation: true } }])

    expect((await two.lease({ now: 5_000, hosts: 9, requestsPerHost: 9 })).leases).toEqual([])
    const none = await two.lease({ now: 5_001, hosts: 9, requestsPerHost: 9, onProbation: 0 })
    expect(none).toMatchObject({ leases: [], leftOnProbation: true })
    expect(await leaseOne(two, { now: 5_001 })).toMatchObject({ memory: { core: '{"seq":3}' } })
  })

  it('says what waits and is not handed out, and hands nothing out twice', async () => {
    const { one, lease } = await held()
    expect(lease.waiting).toBe(1)
    expect(await one.renew([lease], 10)).toEqual([{ held: true, waiting: 1 }])

    const { requests } = await one.refill(lease, 9, 10)
    expect(requests.map(({ url }) => url)).toEqual(['https://a.example/3'])
    expect(await one.refill(lease, 9, 10)).toEqual({ requests: [] })
    const again = await one.refill(lease, 9, 10, [lease.requests[0]?.id ?? 0])
    expect(again.requests.map(({ url }) => url)).toEqual(['https://a.example/1'])
  })

  it('of a host that is given up hands out nothing more', async () => {
    const { one, lease } = await held()
    await one.retire('a.example', 'silent', 99, lease)

    expect(await one.refill(lease, 9, 10)).toEqual({ requests: [] })
  })
})

describe('a commit', () => {
  it('is written once, by whatever process it is repeated', async () => {
    const { one, lease } = await held()
    const unit = unitOf(lease, lease.requests[0], { items: [{ json: '1' }, { json: '2' }], links: [newRequest('b.example/1')] })

    expect(await one.commit([unit])).toMatchObject([{ status: 'committed', added: 1, known: 0 }])
    expect(await one.commit([unit])).toMatchObject([{ status: 'committed', added: 0, known: 1 }])
    expect((await one.reader.items({ afterSeq: 0, limit: 9 })).map(({ json }) => json)).toEqual(['1', '2'])
    expect(await one.reader.counts()).toMatchObject({ known: 4, done: 1, items: 2 })
  })

  it('of what was not handed out is refused, and writes nothing', async () => {
    const { path, one, lease } = await held()
    const [request] = lease.requests
    const before = rowOf(path)

    expect(await one.commit([unitOf(lease, request && { ...request, id: 3 })])).toMatchObject([{ status: 'rejected' }])
    expect(rowOf(path)).toEqual(before)
  })

  it('that puts a page back keeps it until its moment, in the order of its priority', async () => {
    const { one, lease } = await held()
    const retry = { kind: 'retry', at: 5_000.4, counted: true, reason: 'http-503' } as const
    await one.commit([unitOf(lease, lease.requests[0], { outcome: retry })])

    expect((await one.refill(lease, 9, 5_000)).requests.map(({ id }) => id)).toEqual([3])
    expect((await one.refill(lease, 9, 5_001)).requests).toMatchObject([{ id: 1, attempts: 1, freeAttempts: 0 }])
  })

  it('adds a link once that two units of a group found', async () => {
    const { one, lease } = await held()
    const units = lease.requests.map((request) => unitOf(lease, request, { links: [newRequest('b.example/1')] }))

    expect(await one.commit(units)).toMatchObject([
      { added: 1, known: 0 },
      { added: 0, known: 1 },
    ])
  })

  it('keeps the memory of the host and of the crawl', async () => {
    const { one, two, lease } = await held()
    await one.commit([unitOf(lease, lease.requests[0], { memory: { core: '1', retry: '2' } })])
    await one.commit([unitOf(lease, lease.requests[1], { memory: { core: '3' }, crawlMemory: { budget: '4' } })])
    await one.release([{ lease, rest: { readyAt: 0, memory: {} } }])

    expect((await leaseOne(two, { now: 10 })).memory).toEqual({ core: '3', retry: '2' })
  })
})
