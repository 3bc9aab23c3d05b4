// The cap on look-ups that are under way at once.
import { describe, expect, it } from 'vitest'
import { Turnstile } from '../src/turnstile.ts'

describe('a turnstile', () => {
  it('lets as many in as there is room for, and the others in their order, each once', () => {
    const turnstile = new Turnstile(2)
    const entered: number[] = []
    const leaves: (() => void)[] = []
    for (const n of [1, 2, 3, 4, 5]) {
      turnstile.enter((leave) => {
        entered.push(n)
        leaves.push(leave)
      })
    }

    expect(entered).toEqual([1, 2])
    leaves[1]?.()
    expect(entered).toEqual([1, 2, 3])
    leaves[0]?.()
    leaves[2]?.()
    expect(entered).toEqual([1, 2, 3, 4, 5])
  })
})
