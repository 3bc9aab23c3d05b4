// How many hosts a process holds.
import { describe, expect, it } from 'vitest'
import { shareAt, wantedOnProbation, windowSize } from '../../src/scheduler/leasing.ts'

describe('the window', () => {
  it.each([
    { slots: 1, usual: 16, most: 20 },
    { slots: 2, usual: 16, most: 20 },
    { slots: 3, usual: 21, most: 26 },
    { slots: 100, usual: 700, most: 875 },
  ])('of $slots slots has $usual hosts, and $most for a moment', ({ slots, usual, most }) => {
    expect(windowSize(slots)).toEqual({ usual, most })
  })

  it('has twice as many hosts on probation ready as there are slots, at least four, and gets them in handfuls', () => {
    expect([0, 3, 15, 16, 20].map((ready) => wantedOnProbation(10, ready))).toEqual([20, 17, 5, 0, 0])
    expect([0, 3, 4].map((ready) => wantedOnProbation(1, ready))).toEqual([4, 1, 0])
  })
})

describe('the share of a process', () => {
  it('is what the store says, and everything where it says nothing or cannot tell', () => {
    const broken = (): number => {
      throw new Error('the store is away')
    }

    const saying = (share: (now: number) => number | undefined): Parameters<typeof shareAt>[0] => ({
      sharing: { news: async () => [], changedElsewhere: () => false, share },
    })

    expect(
      shareAt(
        saying((now) => now / 1_000),
        5_000,
      ),
    ).toBe(5)
    expect([saying(() => undefined), {}, saying(broken)].map((store) => shareAt(store, 0))).toEqual([
      Infinity,
      Infinity,
      Infinity,
    ])
  })
})
