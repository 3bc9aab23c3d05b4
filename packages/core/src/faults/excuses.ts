// How often in a row each host was excused: its failure not counted, because it may be ours.

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

/** Rows of excuses, which an answer of the host ends. While one lasts the host rests after each, 1 s doubling to 60 s, and everybody else goes on. */
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
