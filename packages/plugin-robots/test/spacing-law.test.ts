// How far apart starts are, as the host sees them.
import { describe, expect, it } from 'vitest'
import { bookStart, returnStart, nextStartAt, sent, type Spacing } from '../src/robots-memory.ts'

const fresh = (): Spacing => ({ lastStartAt: 0, beforeAt: 0, bookedAt: 0 })

describe('spacing', () => {
  it('is nothing before the first start', () => {
    expect(nextStartAt(fresh(), 0, 2_000)).toBe(0)
  })

  it('counts from the last booking', () => {
    const spacing = fresh()
    bookStart(spacing, 10_000)

    expect(nextStartAt(spacing, 10_000, 2_000)).toBe(12_000)
  })

  it('counts from when it was sent, where that was later', () => {
    const spacing = fresh()
    bookStart(spacing, 10_000)
    sent(spacing, 11_500)

    expect(nextStartAt(spacing, 10_000, 2_000)).toBe(13_500)
  })

  it('gives a booking back exactly', () => {
    const spacing = fresh()
    bookStart(spacing, 10_000)
    bookStart(spacing, 12_000)
    returnStart(spacing, 12_000)

    expect(nextStartAt(spacing, 12_000, 2_000)).toBe(12_000)
  })

  it('gives nothing back of bookings that it does not know', () => {
    const spacing = fresh()
    bookStart(spacing, 10_000)
    returnStart(spacing, 9_000)

    expect(nextStartAt(spacing, 10_000, 2_000)).toBe(12_000)
  })

  it("takes the host's word where that knows of a later booking", () => {
    const spacing = fresh()
    bookStart(spacing, 10_000)

    expect(nextStartAt(spacing, 15_000, 2_000)).toBe(17_000)
  })
})
