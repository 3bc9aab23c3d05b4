// Hosts that an operator has paused and no process holds, as their store has them.
import { setImmediate } from 'node:timers/promises'
import type { HostRecord } from '@avocet/core/store'
import { expect, it } from 'vitest'
import { PausedHosts } from '../../src/view/paused-hosts.ts'

const RECORD: HostRecord = {
  ...{ hostKey: 'a.test', waiting: 0, done: 3, moved: 0, failed: 0, retried: 0, readyAt: 0, held: false, memory: {} },
}

it.each([
  ['that has something waiting', { waiting: 2 }, [2]],
  ['with visits to come', { again: 3 }, [3]],
  ['where nothing is left to do', {}, []],
])('one %s', async (_, changes, waiting) => {
  const hosts = new PausedHosts({ host: async () => ({ ...RECORD, ...changes }) })
  const paused = [{ hostKey: 'a.test', until: Infinity }]

  // They are on their way once they were asked for.
  expect(hosts.statuses(paused, 0)).toEqual([])
  await setImmediate()

  expect(hosts.statuses(paused, 0).map((status) => status.waiting)).toEqual(waiting)
})
