// The record of a host in trouble: what trip laws judge by. Pure, small JSON, and absent while a host is well: a healthy host costs no write.
//
// It begins with the first signal that is not well, and is dropped once nothing of it is left in the window. Successes from before are therefore
// not counted against the failures: a ratio speaks of the time since trouble began.
import type { Signal } from './signal.ts'

/** Counts by buckets of 10 s, newest first, and the last 20 answers as bits. */
export interface RecentTrouble {
  /** Failures since the last answer; a 500 counts for half once every second answer is one. */
  readonly inRow: number
  /** Refusals since the last answer that was none, and epoch ms of the first of them. */
  readonly refused: number
  readonly refusedSince: number
  /** Of the last 20 answers those of status 500: bit 0 is the last. */
  readonly errors: number
  /** Number of the newest bucket: epoch ms divided by 10,000. */
  readonly bucket: number
  readonly alive: readonly number[]
  readonly failed: readonly number[]
}

/** Length of a bucket. */
const BUCKET_MS = 10_000
/** A window of 60 s. */
const BUCKETS = 6
/** Half of the last 20. */
const HALF_OF_LAST = 10
const LAST = 2 ** 20 - 1

/** The record after `signal`; undefined = the host is well. */
export function noted(trouble: RecentTrouble | undefined, signal: Signal, now: number): RecentTrouble | undefined {
  if (signal.kind === 'neutral' || (signal.kind === 'alive' && trouble === undefined)) return trouble
  const before = turned(trouble, now)
  const after = added(before, signal, now)
  // A forbidden page is judged by the law, too; what follows it drops the record.
  return signal.kind !== 'blocked' && isOver(after) ? undefined : after
}

/** How many bits are set. */
function bitsIn(mask: number): number {
  let count = 0
  for (let rest = mask; rest > 0; rest >>>= 1) count += rest & 1
  return count
}

/** Share of failures in the window, and how much it rests on. */
export function recentOutcomes({ alive, failed }: RecentTrouble): { readonly outcomes: number; readonly failureRatio: number } {
  const failures = sum(failed)
  const outcomes = failures + sum(alive)
  return { outcomes, failureRatio: outcomes === 0 ? 0 : failures / outcomes }
}

function added(before: RecentTrouble, signal: Signal, now: number): RecentTrouble {
  const { kind } = signal
  if (kind === 'neutral') return before
  if (kind === 'refused')
    return { ...before, refused: before.refused + 1, refusedSince: before.refused === 0 ? now : before.refusedSince }
  if (kind === 'failure' || kind === 'hopeless') return { ...before, inRow: before.inRow + 1, failed: plus(before.failed, 1) }
  const after = answered(before, signal)
  if (kind !== 'error') return { ...after, inRow: 0, alive: plus(before.alive, 1) }
  const weight = bitsIn(after.errors) >= HALF_OF_LAST ? 0.5 : 0
  return { ...after, inRow: before.inRow + weight, failed: plus(before.failed, weight) }
}

function answered(before: RecentTrouble, { kind }: Signal): RecentTrouble {
  return {
    ...before,
    refused: 0,
    refusedSince: 0,
    errors: ((before.errors << 1) & LAST) | (kind === 'error' ? 1 : 0),
  }
}

/** The same with buckets up to `now`. */
function turned(trouble: RecentTrouble | undefined, now: number): RecentTrouble {
  const bucket = Math.floor(now / BUCKET_MS)
  if (trouble === undefined) return { inRow: 0, refused: 0, refusedSince: 0, errors: 0, bucket, alive: [0], failed: [0] }
  const passed = Math.min(BUCKETS, bucket - trouble.bucket)
  // A clock that was ahead, and is right again, is where it was.
  if (passed < 0) return { ...trouble, bucket }
  if (passed === 0) return trouble
  const empty = Array.from({ length: passed }, () => 0)
  const shifted = (counts: readonly number[]): number[] => [...empty, ...counts].slice(0, BUCKETS)
  return { ...trouble, bucket, alive: shifted(trouble.alive), failed: shifted(trouble.failed) }
}

function isOver({ inRow, refused, errors, failed }: RecentTrouble): boolean {
  return inRow === 0 && refused === 0 && errors === 0 && sum(failed) === 0
}

function plus([newest = 0, ...older]: readonly number[], count: number): number[] {
  return [newest + count, ...older]
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0)
}
