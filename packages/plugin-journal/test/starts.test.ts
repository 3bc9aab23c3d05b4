// Most starts in any second and minute, and the smallest gap, against counting every window by hand.
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addStart, type Starts } from '../src/laws/starts-and-ends.ts'

/** What was told of `starts` in this order, joined. */
function told(inOrder: readonly number[]): { inSecond: number; inMinute: number; gapMs: number } {
  const starts: Starts = []
  const known = { inSecond: 0, inMinute: 0, gapMs: Infinity }
  for (const at of inOrder) {
    const { inSecond, inMinute, gapMs = Infinity } = addStart(starts, at)
    known.inSecond = Math.max(known.inSecond, inSecond)
    known.inMinute = Math.max(known.inMinute, inMinute)
    known.gapMs = Math.min(known.gapMs, gapMs)
  }
  return known
}

/** Every window begins at a start. */
function mostIn(starts: readonly number[], lengthMs: number): number {
  return Math.max(...starts.map((first) => starts.filter((at) => at >= first && at < first + lengthMs).length))
}

describe('starts', () => {
  it('lie in one second when they are less than 1,000 ms apart', () => {
    expect(told([0, 999, 1_000])).toEqual({ inSecond: 2, inMinute: 3, gapMs: 1 })
    expect(told([0, 1_000, 2_000])).toEqual({ inSecond: 1, inMinute: 3, gapMs: 1_000 })
    expect(told([0, 60_000])).toMatchObject({ inMinute: 1 })
  })

  it('count where they belong when a slow exchange tells of its start late', () => {
    expect(told([10_000, 10_400, 10_200])).toEqual({ inSecond: 3, inMinute: 3, gapMs: 200 })
    expect(told([0, 500, 1_400, 900])).toMatchObject({ inSecond: 3 })
  })

  it('show no gap when there is but one', () => {
    expect(addStart([], 5).gapMs).toBeUndefined()
  })

  it('are counted as by hand, in any order', () => {
    const times = fc.array(fc.integer({ min: 0, max: 100_000 }), { minLength: 2, maxLength: 60 })
    fc.assert(
      fc.property(times, (inOrder) => {
        const sorted = inOrder.toSorted((a, b) => a - b)
        const gaps = sorted.slice(1).map((at, n) => at - (sorted[n] ?? 0))
        expect(told(inOrder)).toEqual({
          inSecond: mostIn(sorted, 1_000),
          inMinute: mostIn(sorted, 60_000),
          gapMs: Math.min(...gaps),
        })
      }),
    )
  })

  it('are forgotten when no window can hold them any more', () => {
    const starts: Starts = []
    for (let second = 0; second < 3_600; second++) addStart(starts, second * 1_000)

    expect(starts.length).toBeLessThanOrEqual(241)
    expect(addStart(starts, 3_600_000)).toMatchObject({ inSecond: 1, inMinute: 60 })
  })
})
