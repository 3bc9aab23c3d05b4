// When it is worth asking the frontier for more hosts.
import { describe, expect, it } from 'vitest'
import { LeaseMoments } from '../../src/scheduler/leasing.ts'

const NOTHING = { heldElsewhere: false, now: 1_000 }

describe('a lease', () => {
  it('is made at once at first, and not twice at a time', () => {
    const moments = new LeaseMoments()
    expect(moments.next).toBe(0)

    moments.begin()
    moments.dueBy(0)
    expect(moments.next).toBe(Infinity)
  })

  it('is made again when the frontier has more', () => {
    const moments = new LeaseMoments()
    moments.begin()
    moments.end(5_000, NOTHING)
    expect(moments.next).toBe(5_000)

    moments.begin()
    moments.end(Infinity, NOTHING)
    expect(moments.next).toBe(Infinity)
  })

  it('is made at the first of several moments', () => {
    const moments = new LeaseMoments()
    moments.begin()
    moments.end(5_000, NOTHING)
    moments.dueBy(3_000)
    moments.dueBy(4_000)

    expect(moments.next).toBe(3_000)
  })

  it('is made again after a quarter of a second where other processes hold hosts', () => {
    const moments = new LeaseMoments()
    moments.begin()
    moments.end(5_000, { heldElsewhere: true, now: 1_000 })

    expect(moments.next).toBe(1_250)
  })

  it('waits for a quarter of a second where there is no room, and as long while all slots are busy', () => {
    const moments = new LeaseMoments()
    moments.full(1_000)
    expect(moments.next).toBe(1_250)

    const busy = new LeaseMoments()
    busy.looked(1_000)
    expect([busy.next, busy.nextLook]).toEqual([0, 1_250])
  })
})
