// For how long a process holds what it leased from a store that is on another machine.

/**
 * By what time, and until when, a process holds its hosts, where the store is on another machine: no clock of this one is known there, and a process that
 * cannot reach it may have been buried. All three are synchronous and cheap (≤ 1 µs).
 */
export interface Tenure {
  /** The crawl's time, epoch ms. It stands in the store and never goes back; the crawl's clock follows it. */
  now(): number
  /** The crawl's time, epoch ms, from which on nothing may be sent: until then nobody can have taken the hosts of this process. */
  heldUntil(): number
  /**
   * Rises whenever this process has signed in anew, because it was silent for too long: what it leased in an earlier term is lost.
   * Once `heldUntil` has passed it rises before `heldUntil` does: whoever saw that has dropped all hosts, and nobody would ask for them again.
   */
  term(): number
}
