// When it is worth asking the frontier for more hosts. One lease is in progress at a time.

/** How often to look for hosts that other processes gave back. */
const ELSEWHERE_MS = 250
/** How often to look while all slots are busy, or while there is no room. */
const LOOK_MS = 250

/** The moment of the next lease. */
export class LeaseMoments {
  #leasing = false
  /** Epoch ms at which leasing may find something: 0 = now, Infinity = nothing there. */
  #moreAt = 0
  /** Epoch ms before which there is no room. */
  #fullUntil = 0
  #lookAt = 0

  /** Epoch ms; Infinity while a lease is in progress, or nothing is known to come. */
  get next(): number {
    return this.#leasing ? Infinity : Math.max(this.#moreAt, this.#fullUntil)
  }

  /** Epoch ms of the next look while all slots are busy. */
  get nextLook(): number {
    return Math.max(this.#lookAt, this.next)
  }

  /** A host may be due at `at`, or earlier: the earliest moment wins. */
  dueBy(at: number): void {
    this.#moreAt = Math.min(this.#moreAt, at)
  }

  looked(now: number): void {
    this.#lookAt = now + LOOK_MS
  }

  /** Nothing could be leased, for want of room. */
  full(now: number): void {
    this.#fullUntil = now + LOOK_MS
  }

  begin(): void {
    this.#leasing = true
    this.#moreAt = Infinity
  }

  /** A lease has ended: `next` is when the frontier has more. */
  end(next: number, { heldElsewhere, now }: { heldElsewhere: boolean; now: number }): void {
    this.#leasing = false
    this.dueBy(Math.min(next, heldElsewhere ? now + ELSEWHERE_MS : Infinity))
  }
}
