// Contract: requests that are asked for only if they were fetched before their page was modified (`NewRequest.modifiedAt`).
import type { Frontier } from '@avocet/core/store'
import { describe, expect, it } from 'vitest'
import type { FrontierStore } from './frontier-store.ts'
import { leaseOne, newRequest, openedWith, pathsOf, SPEC, turnOf } from './story.ts'

const FETCHED = { at: 1_000, status: 200, durationMs: 50, wireBytes: 4_096 }

/** What `modifiedAt` promises. */
export function modifiedContract(make: () => FrontierStore): void {
  describe('modified since', () => {
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
        frontier.commit([{ ...turnOf(lease, undefined), links: [newRequest('a.example/1', { again: 5_000, modifiedAt })] }])

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
  await frontier.commit([turnOf(lease, lease.requests[0], { outcome: { kind: 'done', fetched: FETCHED } })])
  await frontier.release([{ lease, rest: { readyAt: 0, memory: {} } }])
  await frontier.close()
  const next = store.frontier()
  await next.open(SPEC, 2_000)
  return next
}

function ask(frontier: Frontier, modifiedAt: number): ReturnType<Frontier['add']> {
  return frontier.add([newRequest('a.example/1', { again: 5_000, modifiedAt })])
}
