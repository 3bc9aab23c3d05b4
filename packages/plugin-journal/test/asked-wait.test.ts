// Retry-After: what counts as too early, and what does not.
import { describe, expect, it } from 'vitest'
import { heardWait, startedBeside, type Waits } from '../src/laws/starts-and-ends.ts'

const T = Date.UTC(2026, 0, 1)

/** A host that asked at T to be left alone for ten seconds. */
function asked(): Waits {
  const waits = heardWait(undefined, { 'retry-after': '10' }, T)
  if (waits === undefined) throw new Error('not heard')
  return waits
}

describe('Retry-After', () => {
  it('is remembered with its longest', () => {
    expect(asked()).toEqual({ asked: 1, longestMs: 10_000, from: T, until: T + 10_000, early: 0 })
    expect(heardWait(asked(), { 'retry-after': '3' }, T + 60_000)).toEqual({
      asked: 2,
      longestMs: 10_000,
      from: T + 60_000,
      until: T + 63_000,
      early: 0,
    })
  })

  it('asked again while it still holds begins where it began', () => {
    expect(heardWait(asked(), { 'retry-after': '20' }, T + 4_000)).toMatchObject({ from: T, until: T + 24_000 })
    expect(heardWait(asked(), { 'retry-after': '1' }, T + 4_000)).toMatchObject({ from: T, until: T + 10_000 })
  })

  it.each([
    ['before the answer came', -1, 0],
    ['as it came', 0, 0],
    ['a moment after', 1, 1],
    ['a second before its end', 9_000, 1],
    ['at its end', 10_000, 0],
    ['after it', 15_000, 0],
  ])('is broken by a start in between only: %s', (_when, ms, early) => {
    expect(startedBeside(asked(), T + ms).early).toBe(early)
  })

  it('as a date counts from the date of the same answer', () => {
    const theirs = { date: 'Thu, 01 Jan 2026 05:00:00 GMT', 'retry-after': 'Thu, 01 Jan 2026 05:00:30 GMT' }

    expect(heardWait(undefined, theirs, T)).toMatchObject({ longestMs: 30_000, until: T + 30_000 })
  })

  it('that is none, or cannot be read, changes nothing', () => {
    expect(heardWait(undefined, {}, T)).toBeUndefined()
    expect(heardWait(asked(), { 'retry-after': 'soon' }, T)).toEqual(asked())
  })
})
