// The virtual time of hosts when they were given back: leased again, they continue from there, as if they had never left.
//
// Without it a host of slow pages would be served first in each of its leases, and one of quick pages would lose what it is behind: with more
// hosts than the window holds, fairness would hold among those in RAM only. A host that is not remembered joins at the present.

const MAX_HOSTS = 10_000
/** Slot-milliseconds that a host may be behind: enough to catch up after its time in the frontier, too little to hold a slot for long. */
const MOST_BEHIND_MS = 10_000

/** Virtual times of hosts that are not held. */
export class Standings {
  readonly #virtualTimes = new Map<string, number>()

  /** Remembers the virtual time of a host that is given back. */
  leave(hostKey: string, virtualTime: number): void {
    this.#virtualTimes.set(hostKey, virtualTime)
    if (this.#virtualTimes.size > MAX_HOSTS) this.#forget()
  }

  /** The virtual time of a host that is leased at the virtual time `present`. */
  enter(hostKey: string, present: number): number {
    const virtualTime = this.#virtualTimes.get(hostKey)
    this.#virtualTimes.delete(hostKey)
    return virtualTime === undefined ? present : Math.max(virtualTime, present - MOST_BEHIND_MS)
  }

  /** Forgets the half that left first. */
  #forget(): void {
    for (const hostKey of this.#virtualTimes.keys()) {
      if (this.#virtualTimes.size <= MAX_HOSTS / 2) return
      this.#virtualTimes.delete(hostKey)
    }
  }
}
