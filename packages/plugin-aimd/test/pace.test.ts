// The pace: even spacing, bursts, what is given back, drains, epochs, holds.
import {
  withBooking,
  drainedAt,
  FRESH_PACE,
  withoutBooking,
  heldUntil,
  isNews,
  paceAt,
  pausedTo,
  refusedAt,
  type HostPace,
} from '@avocet/plugin-aimd'
import { describe, expect, it } from 'vitest'

/** When `n` requests leave that want to go at once from `from` on. */
function departures(pace: HostPace, n: number, { from, rps, burst }: { from: number; rps: number; burst: number }): number[] {
  const at: number[] = []
  let now = from
  for (let i = 0; i < n; i++) {
    now = Math.max(now, paceAt(pace, rps, burst))
    pace = withBooking(pace, { now, rps, burst })
    at.push(now)
  }
  return at
}

describe('pacing', () => {
  it('spaces evenly', () => {
    expect(departures(FRESH_PACE, 4, { from: 1_000, rps: 4, burst: 1 })).toEqual([1_000, 1_250, 1_500, 1_750])
  })

  it('sends a burst after a rest, and then spaces evenly', () => {
    expect(departures(FRESH_PACE, 5, { from: 1_000, rps: 5, burst: 3 })).toEqual([1_000, 1_000, 1_000, 1_200, 1_400])
  })

  it('makes up for a late start of 50 ms, and not for a rest', () => {
    const started = withBooking(FRESH_PACE, { now: 1_000, rps: 1, burst: 1 })

    expect(paceAt(withBooking(started, { now: 2_030, rps: 1, burst: 1 }), 1, 1)).toBe(3_000)
    expect(paceAt(withBooking(started, { now: 2_100, rps: 1, burst: 1 }), 1, 1)).toBe(3_100)
    expect(paceAt(withBooking(started, { now: 2_500, rps: 1, burst: 1 }), 1, 1)).toBe(3_500)
  })

  it('gives the last booking back: the next goes when that one would have gone', () => {
    const two = [1_000, 1_250].reduce((pace, now) => withBooking(pace, { now, rps: 4, burst: 1 }), FRESH_PACE)

    expect(paceAt(two, 4, 1)).toBe(1_500)
    expect(paceAt(withoutBooking(two, 4), 4, 1)).toBe(1_250)
  })
})

describe('a refusal', () => {
  const before = withBooking(FRESH_PACE, { now: 1_000, rps: 10, burst: 10 })

  it('takes the credit of a burst', () => {
    const after = refusedAt(before, { now: 5_000, lastSeq: 7, rps: 10, burst: 10 })

    expect(departures(after, 3, { from: 5_000, rps: 10, burst: 10 })).toEqual([5_100, 5_200, 5_300])
  })

  it('makes old news of all that was booked before', () => {
    const after = refusedAt(before, { now: 5_000, lastSeq: 7 })

    expect([6, 7, 8].map((seq) => isNews(after, seq))).toEqual([false, false, true])
  })

  it('holds the host while anything is in flight, for five seconds at most', () => {
    const after = refusedAt(before, { now: 5_000, lastSeq: 7 })

    expect(heldUntil(after, 2, 5_001)).toBe(10_000)
    expect(heldUntil(after, 0, 5_001)).toBe(0)
    expect(heldUntil(after, 2, 10_000)).toBe(0)
  })

  it('makes up for nothing after a hold', () => {
    const after = refusedAt(withBooking(FRESH_PACE, { now: 1_000, rps: 1, burst: 1 }), { now: 1_500, lastSeq: 1, rps: 1 })

    expect(departures(after, 2, { from: 2_530, rps: 1, burst: 1 })).toEqual([2_530, 3_530])
  })

  it('of several pauses the latest counts, and no burst follows it', () => {
    const paused = pausedTo(pausedTo(before, 60_000), 20_000)
    const drained = drainedAt(paused, 60_000, { rps: 10, burst: 10 })

    expect(paused.pausedUntil).toBe(60_000)
    expect(departures(drained, 3, { from: 60_000, rps: 10, burst: 10 })).toEqual([60_000, 60_100, 60_200])
  })
})
