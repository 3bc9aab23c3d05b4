// What a held host says of itself.
import type { Request } from '@avocet/core'
import type { Fingerprint, Leased } from '@avocet/core/store'
import { describe, expect, it } from 'vitest'
import { freshCoreMemory } from '../../src/hosts/core-memory.ts'
import { LiveHost } from '../../src/hosts/live-host.ts'

function request(id: number, notBefore: number): Leased & Request {
  const known = { id, fingerprint: String(id) as Fingerprint, hostKey: 'h', url: `http://h/${id}`, handler: 'start' }
  return {
    ...known,
    method: 'GET',
    headers: {},
    hops: 0,
    depth: 0,
    priority: 0,
    attempts: 0,
    freeAttempts: 0,
    data: undefined,
    notBefore,
  }
}

function host(more: Partial<ReturnType<typeof freshCoreMemory>> = {}, waiting = 0): LiveHost {
  return new LiveHost(
    { hostKey: 'h', epoch: 1, memory: {}, requests: [], waiting },
    { order: 0, core: { ...freshCoreMemory(), ...more }, options: {}, memory: [], virtualTime: 500, leasedAt: 0 },
  )
}

describe('a held host', () => {
  it.each([
    { core: { proven: false }, onProbation: true },
    { core: { proven: true }, onProbation: false },
    { core: { proven: true, consecutiveFailures: 1 }, onProbation: false },
    { core: { proven: true, consecutiveFailures: 2 }, onProbation: true },
  ])('of which $core is known is on probation: $onProbation', ({ core, onProbation }) => {
    expect(host(core).onProbation).toBe(onProbation)
  })

  it.each<[string, (host: LiveHost) => void]>([
    ['a unit that is not committed', (held) => held.unsettled++],
    ['a refill under way', (held) => (held.refilling = true)],
    ['a required document under way', (held) => (held.requiring = true)],
  ])('is idle, and not with %s', (_what, happens) => {
    const held = host()
    expect(held.isIdle).toBe(true)

    happens(held)
    expect(held.isIdle).toBe(false)
  })

  it('is spent when nothing waits, here or in the store', () => {
    expect(host({}, 0).isSpent).toBe(true)
    expect(host({}, 1).isSpent).toBe(false)
  })

  it('is served once it has used slot time', () => {
    const held = host()
    expect(held.isServed).toBe(false)

    held.virtualTime++
    expect(held.isServed).toBe(true)
  })

  it('rests until its first request may go, and plugins let it', () => {
    const held = host()
    held.queue.add(request(1, 9_000), 0)
    held.storeDelayedAt = 7_000
    expect(held.restsUntil).toBe(7_000)

    held.constraint = { readyAt: 8_000, atMost: 1, pacedRps: Infinity, hold: undefined, required: undefined }
    expect(held.restsUntil).toBe(8_000)
  })

  it('counts what goes back to the store, and knows the first moment of it', () => {
    const held = host()
    held.retryAt(5_000)
    held.retryAt(8_000)

    expect([held.waiting, held.storeDelayedAt]).toEqual([2, 5_000])
  })

  it.each<[string, (held: LiveHost) => void, { waiting: number; storeDue: boolean; storeDelayedAt: number }]>([
    ['nothing changed meanwhile', () => undefined, { waiting: 0, storeDue: false, storeDelayedAt: Infinity }],
    ['links came meanwhile', (held) => held.gained(3), { waiting: 3, storeDue: true, storeDelayedAt: Infinity }],
    ['a request went back meanwhile', (held) => held.retryAt(5_000), { waiting: 1, storeDue: true, storeDelayedAt: 5_000 }],
  ])('waits for what a refill of all that is due may not have seen: %s', (_what, meanwhile, expected) => {
    const held = host({}, 2)
    held.refilling = true
    meanwhile(held)
    held.refilling = false
    held.refilled(2, { isAll: true, nextDelayedAt: undefined })

    expect({ waiting: held.waiting, storeDue: held.storeDue, storeDelayedAt: held.storeDelayedAt }).toEqual(expected)
  })

  it('believes a refill that nothing came between, whatever it had counted', () => {
    const held = host({}, 2)
    held.refilling = true
    held.gained(3)
    held.refilling = false
    held.refilled(5, { isAll: true, nextDelayedAt: undefined })
    held.storeWaiting = 4
    held.refilled(1, { isAll: true, nextDelayedAt: undefined })

    expect(held.waiting).toBe(0)
  })
})
