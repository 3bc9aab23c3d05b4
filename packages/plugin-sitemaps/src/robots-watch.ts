// When the robots.txt of a host is read for its sitemaps: once in each run, at its interval, and again after a failure, less and less often. Pure.

/** First wait after a failure, which doubles up to a day. */
const RETRY_MS = 600_000
const DAY_MS = 86_400_000

/** What is remembered of a host. */
export interface WatchMemory {
  /** Epoch ms at which its robots.txt was last read, or failed to come; 0: never. */
  readAt: number
  /** Epoch ms at which it is to be read again in the same run; absent: not. */
  nextAt?: number | undefined
  /** In a row. */
  failures: number
}

/** Whether it is to be read at `now`, in a run that began at `openedAt`. */
export function isDue(
  { readAt, nextAt = Infinity }: WatchMemory,
  { now, openedAt }: { readonly now: number; readonly openedAt: number },
): boolean {
  return readAt < openedAt || now >= nextAt
}

/** It was read. */
export function wasRead(memory: WatchMemory, now: number, everyMs: number | undefined): void {
  memory.readAt = now
  memory.failures = 0
  memory.nextAt = everyMs === undefined ? undefined : now + everyMs
}

/** It could not be had: its host may be in trouble, and is not asked at once. */
export function hasFailed(memory: WatchMemory, now: number): void {
  memory.readAt = now
  memory.nextAt = now + Math.min(DAY_MS, RETRY_MS * 2 ** Math.min(memory.failures, 20))
  memory.failures++
}
