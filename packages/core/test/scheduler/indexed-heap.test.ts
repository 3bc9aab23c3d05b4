// The heap of hosts: always the smallest first, whatever is taken out of its middle.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { IndexedHeap, type HeapEntry } from '../../src/values/indexed-heap.ts'

interface Entry extends HeapEntry {
  heapOrder: number
}

const entry = (heapKey: number, heapOrder: number): Entry => ({ heapKey, heapOrder, heapIndex: -1 })

describe('indexed heap', () => {
  it('gives entries by key, and equal keys by order', () => {
    const heap = new IndexedHeap<Entry>()
    for (const [key, order] of [
      [5, 1],
      [3, 2],
      [5, 0],
      [4, 3],
    ] as const)
      heap.push(entry(key, order))

    const taken = Array.from({ length: 4 }, () => heap.pop()).map((one) => [one?.heapKey, one?.heapOrder])

    expect(taken).toEqual([
      [3, 2],
      [4, 3],
      [5, 0],
      [5, 1],
    ])
    expect(heap.pop()).toBeUndefined()
  })

  it('lets what fills a gap rise as well as sink', () => {
    const heap = new IndexedHeap<Entry>()
    // The last, 3, comes to stand where 30 was, below 10 and 20: there it would come after both.
    const entries = [0, 10, 1, 20, 21, 50, 2, 30, 31, 32, 33, 70, 80, 90, 3].map((key) => entry(key, key))
    for (const one of entries) heap.push(one)

    const thirty = entries.find(({ heapKey }) => heapKey === 30)
    if (thirty) heap.remove(thirty)

    const sorted = [0, 1, 2, 3, 10, 20, 21, 31, 32, 33, 50, 70, 80, 90]
    expect(sorted.map(() => heap.pop()?.heapKey)).toEqual(sorted)
  })

  it.each([
    ['up, past all that are smaller', 40, 5, [5, 10, 20, 30, 50, 60, 70]],
    ['down, past all that are larger', 10, 65, [20, 30, 40, 50, 60, 65, 70]],
    ['to where it is', 30, 30, [10, 20, 30, 40, 50, 60, 70]],
  ])('moves an entry %s', (_where, from, to, order) => {
    const heap = new IndexedHeap<Entry>()
    const entries = [10, 20, 30, 40, 50, 60, 70].map((key) => entry(key, key))
    for (const one of entries) heap.push(one)

    const moved = entries.find(({ heapKey }) => heapKey === from)
    if (moved) heap.move(moved, to)

    expect(order.map(() => heap.pop()?.heapKey)).toEqual(order)
  })

  it('stays in order under any sequence of pushes, pops, and moves and removals in the middle', () => {
    const steps = fc.array(
      fc.oneof(
        fc.nat(50).map((key) => ({ push: key })),
        fc.constant({ pop: true }),
        fc.nat(20).map((at) => ({ remove: at })),
        fc.tuple(fc.nat(20), fc.nat(50)).map(([at, key]) => ({ move: at, key })),
      ),
      { maxLength: 100 },
    )
    fc.assert(
      fc.property(steps, (sequence) => {
        const heap = new IndexedHeap<Entry>()
        const inside: Entry[] = []
        for (const [order, step] of sequence.entries()) {
          if ('push' in step) {
            const one = entry(step.push, order)
            inside.push(one)
            heap.push(one)
          } else if ('pop' in step) {
            inside.sort((a, b) => a.heapKey - b.heapKey || a.heapOrder - b.heapOrder)
            expect(heap.pop()).toBe(inside.shift())
          } else if ('move' in step) {
            const one = inside[step.move % Math.max(1, inside.length)]
            if (one) heap.move(one, step.key)
          } else if (inside.length > 0) {
            const [one] = inside.splice(step.remove % inside.length, 1)
            if (one) heap.remove(one)
            expect(one?.heapIndex).toBe(-1)
          }
          expect(heap.size).toBe(inside.length)
        }
      }),
    )
  })
})
