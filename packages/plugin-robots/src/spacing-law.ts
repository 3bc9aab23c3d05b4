// Keeps requests to a host at least its Crawl-delay apart, from start to start, as the host sees them: a pure law over three moments.
//
// A booking counts as a start until it is known better: given back, it never was one; sent later than it was booked (a connection had to be
// made), the start is when it was sent. While a Crawl-delay holds there is one exchange at a time, so there is one booking to give back.
// Before it was known, and when the last holder of the host died, there were bookings that this law does not know: then the numbers of the host's view count.

/** When requests to this host started. Epoch ms; 0 = never. */
export interface Spacing {
  lastStartAt: number
  /** What it was before the last booking. */
  beforeAt: number
  /** The last booking that this law knows, also when it was given back. */
  bookedAt: number
}

/** Earliest next start, where the host was last booked at `hostBookedAt`. */
export function nextStartAt(spacing: Spacing, hostBookedAt: number, delayMs: number): number {
  const last = hostBookedAt > spacing.bookedAt ? hostBookedAt : spacing.lastStartAt
  return last === 0 ? 0 : last + delayMs
}

/** A booking at `at`. */
export function bookStart(spacing: Spacing, at: number): void {
  spacing.beforeAt = spacing.lastStartAt
  spacing.lastStartAt = Math.max(spacing.lastStartAt, at)
  spacing.bookedAt = at
}

/** The booking at `at` was never sent. */
export function returnStart(spacing: Spacing, at: number): void {
  if (spacing.lastStartAt === at) spacing.lastStartAt = spacing.beforeAt
}

/** Its first byte was written at `at`; undefined when it was not. */
export function sent(spacing: Spacing, at: number | undefined): void {
  spacing.lastStartAt = Math.max(spacing.lastStartAt, at ?? 0)
}
