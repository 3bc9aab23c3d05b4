// Who goes next, asked of the scheduler alone.
import type { Fingerprint, Leased } from '@avocet/core/store'
import { describe, expect, it } from 'vitest'
import { freshCoreMemory } from '../../src/hosts/core-memory.ts'
import { LiveHost } from '../../src/hosts/live-host.ts'
import { Scheduler } from '../../src/scheduler/scheduler.ts'
import { Slots } from '../../src/scheduler/slots.ts'

const REQUEST: Leased = {
  id: 1,
  fingerprint: '1' as Fingerprint,
  hostKey: 'h',
  url: 'http://h/',
  handler: 'start',
  depth: 0,
  priority: 0,
  attempts: 0,
  freeAttempts: 0,
}

function host(key: string, { virtualTime, proven }: { virtualTime: number; proven: boolean }): LiveHost {
  const made = new LiveHost(
    { hostKey: key, epoch: 1, memory: {}, requests: [], waiting: 0 },
    { order: 0, core: { ...freshCoreMemory(), proven }, options: {}, memory: [], virtualTime, leasedAt: 0 },
  )
  made.queue.add({ ...REQUEST, hostKey: key }, 0)
  return made
}

/** The hosts in the order in which they get the one slot. */
function served(hosts: readonly LiveHost[]): string[] {
  const order: string[] = []
  const slots = new Slots(1)
  const scheduler = new Scheduler(slots, {
    admission: { ask: () => ({ readyAt: 0, atMost: 1, pacedRps: Infinity, hold: undefined, required: undefined }) },
    retirements: { retire() {} },
  })
  for (const one of hosts) scheduler.place(one, 0)
  for (let next = scheduler.next(0); next !== undefined; next = scheduler.next(0)) {
    if (next.kind !== 'later') order.push(next.host.key)
    scheduler.place(next.host, 0)
  }
  return order
}

describe('the scheduler', () => {
  it('gives a slot to the ready host that used the least slot time', () => {
    const hosts = [
      host('b', { virtualTime: 20, proven: true }),
      host('a', { virtualTime: 10, proven: true }),
      host('c', { virtualTime: 30, proven: true }),
    ]

    expect(served(hosts)).toEqual(['a', 'b', 'c'])
  })

  it('begins nothing at a host of which a document waits to be read', () => {
    const hosts = [host('unread', { virtualTime: 0, proven: true }), host('other', { virtualTime: 10, proven: true })]
    for (const one of hosts) if (one.key === 'unread') one.requiring = true

    expect(served(hosts)).toEqual(['other'])
  })

  it('treats hosts on probation by the same measure while their share lasts, and after a proven host at a tie', () => {
    const hosts = [
      host('new', { virtualTime: 20, proven: false }),
      host('old', { virtualTime: 10, proven: true }),
      host('tie', { virtualTime: 20, proven: true }),
    ]

    expect(served(hosts)).toEqual(['old', 'tie', 'new'])
  })

  it('lets a host on probation that used less go before a proven one', () => {
    expect(served([host('old', { virtualTime: 20, proven: true }), host('new', { virtualTime: 10, proven: false })])).toEqual([
      'new',
      'old',
    ])
  })

  it('asks nobody about what plugins do not see, until the moment that they named', () => {
    let asked = 0
    const scheduler = new Scheduler(new Slots(0), {
      admission: {
        ask: () => ({ readyAt: 1_000, atMost: 0, pacedRps: Infinity, hold: undefined, required: undefined, n: asked++ }),
      },
      retirements: { retire() {} },
    })
    const one = host('a', { virtualTime: 0, proven: true })

    scheduler.place(one, 0)
    scheduler.placeAgain(one, 0)
    expect([asked, scheduler.nextReadyAt]).toEqual([1, 1_000])

    scheduler.placeAgain(one, 1_000)
    expect(asked).toBe(2)
  })
})
