// The share of slots that unproven and failing hosts may hold.
import { describe, expect, it } from 'vitest'
import { Slots } from '../../src/scheduler/slots.ts'

/** How many slots hosts on probation get. */
function share(total: number, provenReady: boolean): number {
  const slots = new Slots(total)
  while (slots.free > 0 && slots.probationOpen(provenReady)) slots.take(true)
  return slots.used
}

describe('slots', () => {
  it.each([
    { total: 100, provenReady: true, gets: 15 },
    { total: 31, provenReady: true, gets: 5 },
    { total: 16, provenReady: true, gets: 4 },
    { total: 100, provenReady: false, gets: 50 },
    { total: 16, provenReady: false, gets: 8 },
    { total: 4, provenReady: true, gets: 2 },
    { total: 1, provenReady: false, gets: 1 },
  ])(
    'gives hosts on probation $gets of $total slots when a proven host is ready: $provenReady',
    ({ total, provenReady, gets }) => {
      expect(share(total, provenReady)).toBe(gets)
    },
  )

  it('counts a slot as it was taken, even when the host is proven meanwhile', () => {
    const slots = new Slots(2)
    slots.take(true)
    expect(slots.probationOpen(false)).toBe(false)

    slots.give(true)

    expect(slots.free).toBe(2)
    expect(slots.probationOpen(false)).toBe(true)
  })
})
