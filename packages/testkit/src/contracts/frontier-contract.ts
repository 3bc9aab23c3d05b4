// The frontier contract defines the port. The stores in memory, on SQLite and on PostgreSQL pass it, and so must every other one.
//
// A store is a factory of frontiers on one place. Each frontier acts as a process of its own; where nothing outlives the process
// (`crash` absent), a run that dies is one that is opened again without having been closed.
import type { Frontier } from '@avocet/core/store'
import { describe, expect, it } from 'vitest'
import { againContract } from './frontier/again-contract.ts'
import { commitContract } from './frontier/commit-contract.ts'
import { crashContract } from './frontier/crash-contract.ts'
import { dropContract, reopenContract } from './frontier/failed-contract.ts'
import type { FrontierStore } from './frontier/frontier-store.ts'
import { leaseContract } from './frontier/lease-contract.ts'
import { offerContract } from './frontier/offer-contract.ts'
import { probeContract } from './frontier/probe-contract.ts'
import { pruneContract } from './frontier/prune-contract.ts'
import { readerContract } from './frontier/reader-contract.ts'
import { recordsContract } from './frontier/records-contract.ts'
import { rejectsContract } from './frontier/rejects-contract.ts'
import { sharedContract } from './frontier/shared-contract.ts'
import { watchContract } from './frontier/watch-contract.ts'
import { leaseOne, newRequest, openedWith, pathsOf, SPEC, unitOf } from './frontier/story.ts'
import { ordersContract } from './frontier/orders-contract.ts'

/** Options of `frontierContract`. */
export interface FrontierContractOptions {
  /** Whether several frontiers may be open at once, like several processes. */
  readonly shared: boolean
}

const FETCHED = { at: 1_000, status: 200, durationMs: 50, wireBytes: 4_096 }

/**
 * Declares the tests that every frontier must pass. Needs vitest.
 *
 * @example
 * ```ts
 * frontierContract('memory', () => {
 *   const frontier = memoryFrontier()
 *   return { frontier: () => frontier, dispose: () => frontier.close() }
 * }, { shared: false })
 * ```
 */
export function frontierContract(name: string, make: () => FrontierStore, options: FrontierContractOptions): void {
  describe(`frontier ${name}`, () => {
    offerContract(make)
    leaseContract(make)
    probeContract(make)
    turnsContract(make)
    commitContract(make)
    reopenContract(make)
    dropContract(make)
    againContract(make)
    askContract(make)
    crashContract(make)
    readerContract(make)
    ordersContract(make, options)
    rejectsContract(make)
    recordsContract(make)
    watchContract(make)
    pruneContract(make)
    if (options.shared) sharedContract(make)
    if (options.shared) toldMemoryContract(make)
  })
}

/** What a request promises that asks for a visit in each run (`NewRequest.again`), or if its page was modified since (`modifiedAt`). */
function askContract(make: () => FrontierStore): void {
  describe('asked for again', () => {
    it('a page of an earlier run is due at once, once, and its items are of another visit', async () => {
      const frontier = await secondRun(make)
      expect(await ask(frontier)).toEqual({ added: 0, known: 1 })
      await ask(frontier)
      expect(await frontier.reader.counts()).toMatchObject({ known: 1, waiting: 0, again: 1 })

      const lease = await leaseOne(frontier, { now: 5_000 })
      expect(lease.requests).toMatchObject([{ attempts: 0, again: 5_000, earlier: { visits: 1, dueAt: 5_000, skipped: 0 } }])
      await frontier.commit([unitOf(lease, lease.requests[0], { items: [{ json: '"second"' }] })])
      expect(await frontier.reader.items({ afterSeq: 0, limit: 9 })).toMatchObject([{ json: '"second"', visit: 1 }])
      expect(await frontier.reader.counts()).not.toHaveProperty('again')
    })

    it('a page that this run has visited stays as it is, so a page that asks for itself is visited once', async () => {
      const frontier = await secondRun(make)
      await ask(frontier)
      const lease = await leaseOne(frontier, { now: 5_000 })
      const links = [newRequest('a.example/1', { again: 5_000 })]
      expect(await frontier.commit([unitOf(lease, lease.requests[0], { links })])).toMatchObject([
        { status: 'committed', gained: [] },
      ])
      await ask(frontier)
      expect((await frontier.refill(lease, 9, 9_000)).requests).toEqual([])
    })

    it('a page is due if it was fetched before the moment at which it was modified, and otherwise left alone', async () => {
      const frontier = await secondRun(make)
      await ask(frontier, 999)
      await ask(frontier, 1_000)
      expect((await frontier.lease({ now: 5_000, hosts: 9, requestsPerHost: 9 })).leases).toEqual([])

      await ask(frontier, 1_001)
      const lease = await leaseOne(frontier, { now: 5_000 })
      expect(pathsOf(lease.requests)).toEqual(['/1'])
    })

    it('a page that is new is visited like the others: nobody asked for it', async () => {
      const { frontier } = await openedWith(make, [newRequest('a.example/1', { again: 500, modifiedAt: 400 })])
      const { requests } = await leaseOne(frontier, { now: 5_000 })

      expect(requests.map((request) => [request.again, request.modifiedAt])).toEqual([[undefined, undefined]])
    })

    it('links say how many known pages they had visited again', async () => {
      const frontier = await secondRun(make)
      await frontier.add([newRequest('a.example/list')])
      const lease = await leaseOne(frontier, { now: 5_000 })
      const asked = (modifiedAt: number): ReturnType<Frontier['commit']> =>
        frontier.commit([{ ...unitOf(lease, undefined), links: [newRequest('a.example/1', { again: 5_000, modifiedAt })] }])

      expect((await asked(1_000))[0]).toMatchObject({ status: 'committed', added: 0, known: 1 })
      expect((await asked(1_000))[0]?.asked ?? 0).toBe(0)
      expect((await asked(1_001))[0]).toMatchObject({ asked: 1 })
    })
  })
}

/** The second run of a store in which the first one fetched /1 at 1,000. */
async function secondRun(make: () => FrontierStore): Promise<Frontier> {
  const { store, frontier } = await openedWith(make, [newRequest('a.example/1')])
  const lease = await leaseOne(frontier)
  await frontier.commit([unitOf(lease, lease.requests[0], { outcome: { kind: 'done', fetched: FETCHED } })])
  await frontier.release([{ lease, rest: { readyAt: 0, memory: {} } }])
  await frontier.close()
  const next = store.frontier()
  await next.open(SPEC, 2_000)
  return next
}

function ask(frontier: Frontier, modifiedAt?: number): ReturnType<Frontier['add']> {
  return frontier.add([newRequest('a.example/1', { again: 5_000, ...(modifiedAt !== undefined && { modifiedAt }) })])
}

/** What `lease` promises about the order of hosts. */
function turnsContract(make: () => FrontierStore): void {
  describe('turns', () => {
    it('hands out hosts in turns: the one of the best priority, then the one that is due longest', async () => {
      const { frontier } = await openedWith(
        make,
        ['a', 'b', 'c', 'd', 'e', 'f'].map((host, n) => newRequest(`${host}.example/`, { priority: n })),
      )
      const { leases } = await frontier.lease({ now: 0, hosts: 6, requestsPerHost: 1 })
      for (const [n, lease] of [...leases].sort((x, y) => (x.hostKey < y.hostKey ? -1 : 1)).entries())
        await frontier.release([{ lease, rest: { readyAt: 10 * n, memory: {} } }])

      const keys: string[] = []
      for (const hosts of [2, 1, 1, 9]) {
        const leased = await frontier.lease({ now: 100, hosts, requestsPerHost: 1 })
        keys.push(...leased.leases.map(({ hostKey }) => hostKey.slice(0, 1)))
      }
      expect(keys).toEqual(['f', 'a', 'e', 'b', 'd', 'c'])
    })

    it('goes by the priority of the best request that a host has now, also of one that is added later', async () => {
      const { frontier } = await openedWith(make, [
        newRequest('a.example/1', { priority: 1 }),
        newRequest('b.example/1'),
        newRequest('c.example/1', { priority: 9, notBefore: 500 }),
        newRequest('c.example/2'),
      ])
      await frontier.add([newRequest('b.example/2', { priority: 5 })])
      expect((await leaseOne(frontier)).hostKey).toBe('b.example')
    })

    it('hands out no more hosts on probation than are wanted, and says that it left some', async () => {
      const { frontier } = await openedWith(
        make,
        ['a', 'b', 'c', 'd', 'e'].map((host) => newRequest(`${host}.example/`, { priority: host === 'e' ? 0 : 1 })),
      )
      const { leases } = await frontier.lease({ now: 0, hosts: 5, requestsPerHost: 1 })
      for (const lease of leases)
        await frontier.release([{ lease, rest: { readyAt: 0, memory: {}, onProbation: lease.hostKey < 'd' } }])
      await frontier.add([newRequest('new.example/')])

      const first = await frontier.lease({ now: 1, hosts: 9, requestsPerHost: 1, onProbation: 1 })
      expect(first.leases.map(({ hostKey }) => hostKey).sort()).toEqual(['a.example', 'd.example', 'e.example'])
      expect(first.leftOnProbation).toBe(true)
      expect(await frontier.lease({ now: 1, hosts: 9, requestsPerHost: 1, onProbation: 0 })).toMatchObject({
        leases: [],
        leftOnProbation: true,
      })
      const rest = await frontier.lease({ now: 1, hosts: 9, requestsPerHost: 1, onProbation: 3 })
      expect(rest.leases.map(({ hostKey }) => hostKey).sort()).toEqual(['b.example', 'c.example', 'new.example'])
      expect(rest).not.toHaveProperty('leftOnProbation')
    })
  })
}

// Contract: what processes on one store hear of each other's crawl memory.

/** What holds when one of two frontiers of one store writes crawl memory. */
function toldMemoryContract(make: () => FrontierStore): void {
  describe('two processes and their crawl memory', () => {
    it('tell each other what they write of their crawl memory, with the next lease, once', async () => {
      const { store, frontier } = await openedWith(make, [
        newRequest('a.example/1'),
        newRequest('b.example/1'),
        newRequest('c.example/1'),
      ])
      const other = store.frontier()
      await other.open(SPEC, 0)
      const lease = await leaseOne(other)
      await other.commit([{ lease, links: [], items: [], crawlMemory: { core: '[1,{"a":1}]', rate: '[1,{}]' } }])
      await other.note({ core: '[1,{"a":2}]' })

      const first = await frontier.lease({ now: 0, hosts: 1, requestsPerHost: 1 })
      const second = await frontier.lease({ now: 0, hosts: 1, requestsPerHost: 1 })

      expect(first.leases).toHaveLength(1)
      expect(first.crawlMemories).toEqual([{ core: '[1,{"a":2}]', rate: '[1,{}]' }])
      expect(second.leases).toHaveLength(1)
      expect(second).not.toHaveProperty('crawlMemories')
      await other.close()
      await frontier.close()
    })
  })
}
