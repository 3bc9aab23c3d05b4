// Buckets: no count is ever lost, however coarse they become, and there are never too many.
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addedLatency, answersIn, latencyBucket, withinMs } from '../src/laws/latency.ts'
import {
  withClosedBucket,
  coarser,
  EMPTY_TIMELINE,
  bucketLatency,
  note,
  openedAt,
  placeOf,
  type Bucket,
  type EndedExchange,
  type Timeline,
} from '../src/laws/timeline.ts'

function bucketOf(place: number, ...ends: readonly EndedExchange[]): Bucket {
  const bucket = openedAt(place)
  for (const end of ends) note(bucket, end)
  return bucket
}

const quick: EndedExchange = { kind: 'answered', wireBytes: 100, firstByteMs: 4 }
const slow: EndedExchange = { kind: 'answered', wireBytes: 50, firstByteMs: 8 }
const refused: EndedExchange = { kind: 'refused', wireBytes: 0, firstByteMs: 4 }
const failed: EndedExchange = { kind: 'failed', wireBytes: 7 }

/** All counts of a timeline: requests, refusals, failures, bytes, answers. */
function sum({ buckets }: Timeline): number[] {
  const fields = [1, 2, 3, 4].map((field) => buckets.reduce((total, bucket) => total + (bucket[field] ?? 0), 0))
  return [...fields, buckets.reduce((total, bucket) => total + answersIn(bucketLatency(bucket)), 0)]
}

describe('a bucket', () => {
  it('counts what ended in it, and how long answers took', () => {
    expect(bucketOf(3, quick, slow, refused, failed)).toEqual([3, 4, 1, 1, 157, 0, 2, 0, 1])
    expect(bucketOf(3, slow, quick)).toEqual([3, 2, 0, 0, 150, 0, 1, 0, 1])
    expect(bucketOf(3, failed)).toEqual([3, 1, 0, 1, 7])
  })

  it('begins at a multiple of its width', () => {
    expect([placeOf(9_999, 5_000), placeOf(10_000, 5_000)]).toEqual([1, 2])
  })
})

describe('a timeline', () => {
  it('joins neighbours when it becomes coarser, and leaves gaps alone', () => {
    const timeline = { widthMs: 5_000, buckets: [bucketOf(10, quick), bucketOf(11, slow, failed), bucketOf(13, refused)] }

    expect(coarser(timeline)).toEqual({
      widthMs: 10_000,
      buckets: [
        [5, 3, 0, 1, 157, 0, 1, 0, 1],
        [6, 1, 1, 0, 0, 0, 1],
      ],
    })
  })

  it('holds a host that is asked once an hour for a month', () => {
    let timeline = EMPTY_TIMELINE
    for (let hour = 0; hour < 720; hour++)
      timeline = withClosedBucket(timeline, bucketOf(placeOf(hour * 3_600_000, timeline.widthMs), quick))

    expect(timeline.buckets.length).toBeLessThanOrEqual(96)
    expect(timeline.widthMs).toBe(40_960_000)
    expect(sum(timeline)).toEqual([720, 0, 0, 72_000, 720])
    expect(JSON.stringify(timeline).length).toBeLessThan(4_096)
  })

  it('loses no count, is in order, and is never too long', () => {
    const end = fc.constantFrom(quick, slow, refused, failed)
    const steps = fc.array(fc.record({ waitMs: fc.integer({ min: 1, max: 400_000 }), end }), { minLength: 1, maxLength: 300 })
    fc.assert(
      fc.property(steps, (happened) => {
        let now = 0
        let timeline = EMPTY_TIMELINE
        for (const { waitMs, end: one } of happened) {
          now += waitMs
          timeline = withClosedBucket(timeline, bucketOf(placeOf(now, timeline.widthMs), one))
        }
        const places = timeline.buckets.map(([place = 0]) => place)
        expect(places).toEqual([...new Set(places)].toSorted((a, b) => a - b))
        expect(timeline.buckets.length).toBeLessThanOrEqual(96)
        expect(sum(timeline)).toEqual(sum({ widthMs: 5_000, buckets: [bucketOf(0, ...happened.map((step) => step.end))] }))
      }),
    )
  })
})

describe('latency', () => {
  it('is rounded up to its bucket, which is at most √2 too long', () => {
    const ms = fc.double({ min: 4.01, max: 131_000, noNaN: true })
    fc.assert(
      fc.property(ms, (took) => {
        const edge = 4 * Math.SQRT2 ** latencyBucket(took)
        expect(edge).toBeGreaterThanOrEqual(took * 0.999_999)
        expect(edge).toBeLessThan(took * 1.415)
      }),
    )
  })

  it('tells within which time a share of the answers began', () => {
    expect([withinMs([0, 90, 0, 10], 0.5), withinMs([0, 90, 0, 10], 0.9), withinMs([0, 90, 0, 10], 0.91)]).toEqual([4, 4, 8])
    expect(withinMs([], 0.5)).toBeUndefined()
  })

  it('adds up', () => {
    expect(addedLatency([2, 1], [0, 5, 1])).toEqual([0, 5, 1, 1])
    expect(addedLatency([], [3, 1])).toEqual([3, 1])
  })
})
