// Processes on one store whose wall clocks differ: who lives and what time it is goes by the clock that they share.
import { join } from 'node:path'
import type { Frontier } from '@avocet/core/store'
import { sqlite } from '@avocet/plugin-sqlite'
import { VirtualClock } from '@avocet/simulator'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { leaseOne, newRequest, SPEC } from '../../testkit/src/contracts/frontier/story.ts'
import { temporaryFolder } from './stores.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const NOW = 1_767_225_600_000

/** Two stores on one file, of one machine; the second is not open yet. */
function two(): { path: string; first: Frontier; second: Frontier; clock: VirtualClock } {
  const folder = temporaryFolder()
  const path = join(folder.path, 'store.db')
  const clock = new VirtualClock()
  const [first, second] = [sqlite(path, { clock }), sqlite(path, { clock })]
  onTestFinished(async () => {
    await first.close()
    await second.close()
    folder.dispose()
  })
  return { path, first, second, clock }
}

/** Puts all processes into a container that the other cannot see into, so that only silence tells. */
function elsewhere(path: string): void {
  const db = new Database(path)
  db.exec("UPDATE process SET namespace = 'pid:[elsewhere]'")
  db.close()
}

describe.each([
  ['2 h behind', -2 * HOUR],
  ['2 h ahead', 2 * HOUR],
])('a process with a clock %s', (_, aheadMs) => {
  it('learns on open how far the time of the store is from its own, and moves no wait', async () => {
    const { first, second } = two()
    await first.open(SPEC, NOW)
    await first.add([newRequest('a.example/1')])
    await first.release([{ lease: await leaseOne(first, { now: NOW }), rest: { readyAt: NOW + MINUTE, memory: {} } }])

    const info = await second.open(SPEC, NOW + aheadMs)

    expect(info.aheadMs).toBe(aheadMs < 0 ? -aheadMs : undefined)
    expect(info).not.toHaveProperty('setBackMs')
    expect(await second.lease({ now: NOW, hosts: 9, requestsPerHost: 9 })).toMatchObject({ nextReadyAt: NOW + MINUTE })
  })

  it('takes no process that it cannot see for dead while that one beats, and takes it for dead when it is silent', async () => {
    const { path, first, second, clock } = two()
    await first.open(SPEC, NOW)
    await first.add([newRequest('a.example/1')])
    await leaseOne(first, { now: NOW })
    await second.open(SPEC, NOW + aheadMs)
    elsewhere(path)

    await clock.advance(MINUTE - 1)
    expect(await second.lease({ now: NOW + aheadMs, hosts: 9, requestsPerHost: 9 })).toMatchObject({
      leases: [],
      heldElsewhere: 1,
    })
    await clock.advance(2)
    expect((await second.lease({ now: NOW + aheadMs, hosts: 9, requestsPerHost: 9 })).leases).toHaveLength(1)
  })
})
