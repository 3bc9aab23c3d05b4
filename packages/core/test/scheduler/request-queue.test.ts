// One host's queue in RAM: the best that may go first, and nothing delayed in the way.
import { describe, expect, it } from 'vitest'
import type { Fingerprint, Leased } from '@avocet/core/store'
import { RequestQueue } from '../../src/hosts/request-queue.ts'

const request = (id: number, rest: Partial<Leased> = {}): Leased => ({
  id,
  fingerprint: String(id) as Fingerprint,
  hostKey: 'h',
  url: `http://h/${id}`,
  handler: 'start',
  depth: 0,
  priority: 0,
  attempts: 0,
  freeAttempts: 0,
  ...rest,
})

describe('request queue', () => {
  it('gives the highest priority first, and equal priorities in the order of discovery', () => {
    const queue = new RequestQueue()
    for (const one of [request(3), request(1), request(2, { priority: 5 }), request(4, { priority: -1 })]) queue.add(one, 0)

    expect([1, 2, 3, 4].map(() => queue.take(0)?.id)).toEqual([2, 1, 3, 4])
    expect(queue.take(0)).toBeUndefined()
  })

  it('never lets a delayed request block what is ready', () => {
    const queue = new RequestQueue()
    queue.add(request(1, { notBefore: 1_000, priority: 9 }), 0)
    queue.add(request(2), 0)

    expect(queue.take(0)?.id).toBe(2)
    expect(queue.take(0)).toBeUndefined()
    expect(queue.readyAt()).toBe(1_000)
    expect(queue.take(1_000)?.id).toBe(1)
  })

  it('says when a request can go: now, at a moment, or never', () => {
    const queue = new RequestQueue()
    expect(queue.readyAt()).toBe(Infinity)

    queue.add(request(1, { notBefore: 700 }), 0)
    queue.add(request(2, { notBefore: 500 }), 0)
    expect(queue.readyAt()).toBe(500)

    queue.add(request(3), 0)
    expect(queue.readyAt()).toBe(0)
  })

  it('gives first visits before later ones, and of those the one that is due longest', () => {
    const queue = new RequestQueue()
    queue.add(request(1, { earlier: { visits: 1, dueAt: 200, skipped: 0 } }), 0)
    queue.add(request(2, { earlier: { visits: 1, dueAt: 100, skipped: 0 } }), 0)
    queue.add(request(3), 0)

    expect([1, 2, 3].map(() => queue.take(0)?.id)).toEqual([3, 2, 1])
  })

  it('gives the worst back, and knows the lowest priority that is left', () => {
    const queue = new RequestQueue()
    for (const priority of [3, 1, 2]) queue.add(request(priority, { priority }), 0)

    expect(queue.lowestPriority()).toBe(1)
    expect(queue.takeWorst(2).map(({ id }) => id)).toEqual([1, 2])
    expect(queue.take(0)?.id).toBe(3)
  })
})
