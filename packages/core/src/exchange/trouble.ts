// A time in which failures of one kind are ours: from the verdict until something works, or until it was felt for long enough in vain.
//
// The end matters: a crawl of dead hosts looks like a dead network, and would be kept alive for ever. After an hour in which the last twenty
// hosts that were asked (or all, if there are fewer) failed alike, failures count as the hosts' again, until something works.

const HOUR_MS = 3_600_000
const ENOUGH_HOSTS = 20

/** Trouble of one kind. */
export class Trouble {
  /** Epoch ms; undefined = there is none. */
  #since: number | undefined
  /** Hosts that failed since, at most twenty. */
  readonly #failed = new Set<string>()
  /** It lasted for too long to be an excuse. */
  isSpent = false

  get isOn(): boolean {
    return this.#since !== undefined && !this.isSpent
  }

  begin(hostKey: string, now: number): void {
    this.#since = now
    this.#failed.add(hostKey)
  }

  /** Whether the failure of one more host is still excused; `hosts`: how many the crawl holds. */
  excuses(hostKey: string, { now, hosts }: { readonly now: number; readonly hosts: number }): boolean {
    if (this.#failed.size < ENOUGH_HOSTS) this.#failed.add(hostKey)
    if (now - (this.#since ?? now) >= HOUR_MS && this.#failed.size >= Math.min(ENOUGH_HOSTS, hosts)) this.isSpent = true
    return !this.isSpent
  }

  /** Something worked. */
  end(): void {
    if (this.#since === undefined) return
    this.#since = undefined
    this.#failed.clear()
    this.isSpent = false
  }
}
