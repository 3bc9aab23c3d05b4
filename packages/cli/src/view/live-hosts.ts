// What a process knows of its hosts that no store has, as data: for a page of its own, or for the one that its supervisor serves.

/** Exchanges of a host in one stretch of time. */
export interface HostStretch {
  /** When it begins, epoch ms. */
  readonly at: number
  readonly requests: number
  readonly refusals: number
  /** Ms to the first byte of each answer: one by one, so that those of several processes can be put together. */
  readonly firstByteMs: readonly number[]
}
