import { describe, expect, it } from 'vitest'
import { beginningOf } from '../../src/values/shown.ts'
import { keptReason, rejectGroupOf } from '../../src/ports/reject.ts'

describe('the beginning of a text', () => {
  it.each([
    ['ab', 2, 'ab'],
    ['abc', 2, 'ab'],
    ['a😀c', 2, 'a'],
    ['a😀c', 3, 'a😀'],
    ['a😀', 3, 'a😀'],
    ['', 2, ''],
  ])('of %j in %i code units is %j', (text, most, beginning) => {
    expect(beginningOf(text, most)).toBe(beginning)
  })
})

describe('a reason that is cut', () => {
  it.each([0, 1])('is cut beside an emoji, never in the middle of it (%i before)', (before) => {
    const reason = 'x'.repeat(before) + '😀'.repeat(400)

    expect(keptReason(reason).isWellFormed()).toBe(true)
    expect(keptReason(reason).length).toBeLessThanOrEqual(500)
    expect(rejectGroupOf(reason).isWellFormed()).toBe(true)
  })
})
