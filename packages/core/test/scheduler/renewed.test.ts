// What a heartbeat says of a host that is held: how many of its requests wait in the store, unless this process knows better.
import { describe, expect, it } from 'vitest'
import { freshCoreMemory } from '../../src/hosts/core-memory.ts'
import { LiveHost } from '../../src/hosts/live-host.ts'
import type { Run } from '../../src/run/run.ts'
import { renewed } from '../../src/scheduler/renewed.ts'

/** A host that has `waiting` in the store as far as this process knows. */
function host(waiting: number): LiveHost {
  return new LiveHost(
    { hostKey: 'h', epoch: 1, memory: {}, requests: [], waiting },
    { order: 0, core: freshCoreMemory(), options: {}, memory: [], virtualTime: 0, leasedAt: 0 },
  )
}

/** One beat, which the store answers with `waiting`; `meanwhile` happens between its answer and its arrival. */
async function beat(held: LiveHost, waiting: number, meanwhile: (held: LiveHost) => void = () => {}): Promise<LiveHost> {
  const frontier = {
    async renew() {
      meanwhile(held)
      return [{ held: true, waiting }]
    },
  }
  const run = { settings: { frontier, clock: { now: () => 0 } }, calls: { make: (_name: string, call: () => unknown) => call() } }
  expect(await renewed([held], run as unknown as Pick<Run, 'settings' | 'calls'>)).toEqual([])
  return held
}

describe('a beat', () => {
  it('says what other processes have added', async () => {
    expect(await beat(host(3), 7)).toMatchObject({ storeWaiting: 7, storeDue: true })
  })

  it('sets right what was counted too high', async () => {
    expect(await beat(host(9), 4)).toMatchObject({ storeWaiting: 4 })
  })

  it('that a refill has overtaken does not count again what that has taken', async () => {
    const held = await beat(host(13), 13, (each) => each.refilled(4, { isAll: true, nextDelayedAt: 5_000 }))

    expect(held.storeWaiting).toBe(9)
  })

  it('that a commit has overtaken does not count again what that has put back', async () => {
    const held = await beat(host(12), 13, (each) => each.retryAt(5_000))

    expect(held.storeWaiting).toBe(13)
  })

  it('counts no request of which the commit is not answered', async () => {
    const held = host(12)
    held.unsettled = 1

    expect((await beat(held, 13)).storeWaiting).toBe(12)
  })

  it('says that there is something for a host that has nothing left, whatever came in between', async () => {
    const held = host(0)
    held.unsettled = 5

    expect(await beat(held, 2, (each) => each.gained(0))).toMatchObject({ storeWaiting: 1, storeDue: true })
  })
})
