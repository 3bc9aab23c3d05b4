// A time in which failures of one kind are ours: from the verdict until something works, or until it was probed for long enough in vain.
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

const FIRST_REST_MS = 1_000
const LONGEST_REST_MS = 60_000
/** The oldest are forgotten beyond this. */
const MAX_HOSTS = 1_000

/** A row of excuses of one host. */
interface Row {
  times: number
  /** Epoch ms of the first. */
  readonly since: number
}

/**
 * How often in a row each host was excused: its failure not counted, because it may be ours. Bounded, so that no excuse lasts for ever. An answer of the
 * host ends the row. While it lasts the host rests after each excuse, 1 s doubling to 60 s, and everybody else goes on.
 */
export class Excuses {
  readonly #rows = new Map<string, Row>()

  /** Excuses of this host in a row, and since when; `now` when there is none. */
  of(hostKey: string, now: number): { readonly times: number; readonly since: number } {
    return this.#rows.get(hostKey) ?? { times: 0, since: now }
  }

  /** Excuses the host once more; returns until when (epoch ms) it rests. */
  give(hostKey: string, now: number): number {
    const row = this.#rows.get(hostKey) ?? { times: 0, since: now }
    row.times++
    this.#rows.set(hostKey, row)
    const oldest = this.#rows.size > MAX_HOSTS ? this.#rows.keys().next().value : undefined
    if (oldest !== undefined) this.#rows.delete(oldest)
    return now + Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** (row.times - 1))
  }

  /** The host answered. */
  end(hostKey: string): void {
    if (this.#rows.size > 0) this.#rows.delete(hostKey)
  }
}
