// A process that others took for dead, because they cannot see it and it was silent for a minute, and that goes on.
import { join } from 'node:path'
import { sqlite } from '@avocet/plugin-sqlite'
import { VirtualClock } from '@avocet/simulator'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { leaseOne, newRequest, SPEC, unitOf } from '../../testkit/src/contracts/frontier/story.ts'
import { temporaryFolder } from './stores.ts'
import type { Frontier, HostLease } from '@avocet/core/store'

const MINUTE = 60_000

/** A process in another container, as far as its row says, that holds a.example; another that took it for dead; b.example is free. */
async function buried(): Promise<{ path: string; slow: Frontier; other: Frontier; lease: HostLease; clock: VirtualClock }> {
  const folder = temporaryFolder()
  const path = join(folder.path, 'store.db')
  const clock = new VirtualClock()
  const [slow, other] = [sqlite(path, { clock }), sqlite(path, { clock })]
  onTestFinished(async () => {
    await other.close()
    folder.dispose()
  })
  await slow.open(SPEC, 0)
  await slow.add([newRequest('a.example/1')])
  await other.open(SPEC, 0)
  elsewhere(path)
  const lease = await leaseOne(slow)
  await clock.advance(MINUTE + 1)
  const taken = await leaseOne(other, { now: MINUTE + 1 })
  expect(taken).toMatchObject({ hostKey: 'a.example', takenOver: true })
  await other.release([{ lease: taken, rest: { readyAt: 0, memory: {} } }])
  await other.add([newRequest('b.example/1')])
  return { path, slow, other, lease, clock }
}

/** Puts the first process into a container of its own. */
function elsewhere(path: string): void {
  const db = new Database(path)
  db.exec("UPDATE process SET namespace = 'pid:[elsewhere]' WHERE id = (SELECT min(id) FROM process)")
  db.close()
}

describe('a process that was taken for dead and goes on', () => {
  it('has lost what it held', async () => {
    const { slow, lease } = await buried()
    expect(await slow.renew([lease], 2 * MINUTE)).toEqual([{ held: false, waiting: 0 }])
    expect(await slow.commit([unitOf(lease, lease.requests[0])])).toMatchObject([{ status: 'fenced' }])
    await slow.close()
  })

  it('lives again from its next beat, and what it leases is its own', async () => {
    const { path, slow, other } = await buried()
    await slow.renew([], 2 * MINUTE)
    elsewhere(path)
    const again = await slow.lease({ now: 2 * MINUTE, hosts: 9, requestsPerHost: 9 })
    expect(again.leases).toHaveLength(2)
    expect(await other.lease({ now: 2 * MINUTE + 1, hosts: 9, requestsPerHost: 9 })).toEqual({ leases: [], heldElsewhere: 2 })
    expect(await slow.commit(again.leases.map((one) => unitOf(one, one.requests[0])))).toMatchObject([
      { status: 'committed' },
      { status: 'committed' },
    ])
    await slow.close()
  })

  it('leaves no host behind that nobody ever leases again when it dies at last', async () => {
    const { path, slow, other, clock } = await buried()
    const again = await slow.lease({ now: 2 * MINUTE, hosts: 9, requestsPerHost: 9 })
    expect(again.leases).toHaveLength(2)
    elsewhere(path)
    await clock.advance(7 * MINUTE)

    const late = await other.lease({ now: 9 * MINUTE, hosts: 9, requestsPerHost: 9 })
    expect(late.leases.map(({ hostKey }) => hostKey).sort()).toEqual(['a.example', 'b.example'])
    await slow.close()
  })

  it('as any owner that is no process, keeps no host from those that live', async () => {
    const { path, slow, other } = await buried()
    const db = new Database(path)
    db.exec("UPDATE host SET owner = 999, due_at = NULL WHERE key = 'a.example'")
    db.close()
    const { leases } = await other.lease({ now: 2 * MINUTE, hosts: 9, requestsPerHost: 9 })
    expect(leases.map(({ hostKey }) => hostKey)).toContain('a.example')
    await slow.close()
  })
})
