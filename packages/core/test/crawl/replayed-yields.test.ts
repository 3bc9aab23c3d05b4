// The counts of what handlers got, once a replay ran them over kept responses.
import { replayedYields, type StoredYield } from '@avocet/core/store'
import { describe, expect, it } from 'vitest'

type Row = [string, number, number, number, number, number, number, number, number]

const memory = (...yields: Row[]): string => JSON.stringify([1, { seq: 7, yields }])
const stored = (handler: string, counts: Partial<StoredYield> = {}): StoredYield => ({
  handler,
  pages: 0,
  fruitful: 0,
  untouched: 0,
  items: 0,
  ...counts,
})
const rowsOf = (text: string): unknown => (JSON.parse(text) as [number, { readonly yields: unknown }])[1].yields

describe('what handlers got from a host, after a replay', () => {
  it('is that of its pages as they are now, with those that the replay did not settle', () => {
    const before = memory(['product', 90, 30, 0, 2, 30, 60, 0, 40])
    const replayed = memory(['product', 50, 100, 1, 0, 50, 0, 2, 50])

    const now = replayedYields(before, replayed, [stored('product', { pages: 60, fruitful: 55, untouched: 10, items: 105 })])

    expect(JSON.parse(now)).toEqual([1, { seq: 7, yields: [['product', 60, 105, 1, 0, 55, 0, 2, 60]] }])
  })

  it('is nothing of a handler that has no page any more, and as it was of one that the replay did not run', () => {
    const before = memory(['item', 12, 0, 0, 0, 0, 12, 0, 0], ['start', 3, 4, 0, 0, 3, 0, 1, 3])
    const replayed = memory(['offer', 12, 12, 0, 0, 12, 0, 1, 12])
    const counts = [
      stored('offer', { pages: 12, fruitful: 12, items: 12 }),
      stored('start', { pages: 1, untouched: 1, items: 4 }),
    ]

    const now = replayedYields(before, replayed, counts)

    expect(rowsOf(now)).toEqual([
      ['start', 3, 4, 0, 0, 3, 0, 1, 3],
      ['offer', 12, 12, 0, 0, 12, 0, 1, 12],
    ])
  })

  it('has every item of the store, also of handlers that are not counted by name', () => {
    const before = memory(...Array.from({ length: 32 }, (_, at): Row => [`h${at}`, 1, 1, 0, 0, 1, 0, 1, 1]))
    const counts = Array.from({ length: 34 }, (_, at) => stored(`h${at}`, { pages: 1, fruitful: 1, items: 2 }))

    const rows = rowsOf(replayedYields(before, memory(), counts)) as Row[]

    expect(rows).toHaveLength(33)
    expect(rows.reduce((sum, [, , items]) => sum + items, 0)).toBe(68)
  })
})
