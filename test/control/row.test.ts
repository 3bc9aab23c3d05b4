// How figures become a row of bench:control.
import { describe, expect, it } from 'vitest'
import { rowOf } from '../../bench/control/row.ts'

describe('a row', () => {
  it('is judged by its worst seed, unless it says otherwise', () => {
    expect(rowOf('refused', [3, 1, 2], { atMost: 2 })).toMatchObject({ median: 2, worst: 3, bar: 'worst ≤ 2', holds: false })
    expect(rowOf('used', [97, 95, 98], { atLeast: 96, judged: 'median' })).toMatchObject({
      worst: 95,
      bar: 'median ≥ 96',
      holds: true,
    })
  })

  it('is judged before it is rounded', () => {
    expect(rowOf('refused', [0.30001], { atMost: 0.3 })).toMatchObject({ worst: 0.3, holds: false })
  })

  it('without a bar holds, and says so', () => {
    expect(rowOf('refused', [3])).toMatchObject({ bar: '–', holds: true, isAim: false })
  })

  it('does not hold when a seed has no figure, or there is none at all', () => {
    expect(rowOf('used', [97, Number.NaN, 98], { atLeast: 96, judged: 'median' }).holds).toBe(false)
    expect(rowOf('used', [], { atLeast: 96 }).holds).toBe(false)
  })
})
