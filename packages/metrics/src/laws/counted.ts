// What was counted since it was last taken: numbers by key, and what happened to hosts.

/** What is counted beside what the status has. Behind the space: the label. */
export type CountKey =
  | 'page'
  | `response ${StatusClass}`
  | `refusal ${number}`
  | `failure ${string}`
  | `latency ${number | 'sum'}`
  | `commit ${number | 'sum'}`

/** Classes of statuses; `other`: what is none. */
export type StatusClass = (typeof STATUS_CLASSES)[number]

/** All of them. */
export const STATUS_CLASSES = ['1xx', '2xx', '3xx', '4xx', '5xx', 'other'] as const

/** The statuses that refuse. */
export const REFUSALS = [429, 503] as const

/** What is counted for each host. */
export interface HostCounts {
  readonly requests: number
  readonly refusals: number
  readonly failures: number
}

/** What was counted of one host. */
export interface HostCounted extends HostCounts {
  /** Empty: of hosts for which there was no room. */
  readonly hostKey: string
}

/** What was counted. */
export interface Counted {
  readonly counts: Readonly<Partial<Record<CountKey, number>>>
  readonly hosts: readonly HostCounted[]
}

/** Hosts that are told apart between two looks; about 100 bytes each. */
const MAX_HOSTS = 50_000

type Mutable<Of> = { -readonly [Key in keyof Of]: Of[Key] }

/** Counts, until it is taken. */
export class CountDelta {
  #counts = new Map<CountKey, number>()
  #hosts = new Map<string, Mutable<HostCounted>>()

  /** Counts one, or as many as `by`. */
  count(key: CountKey, by = 1): void {
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + by)
  }

  /** Counts one for a host. */
  countHost(hostKey: string, what: keyof HostCounts): void {
    this.#noteOf(hostKey)[what]++
  }

  /** What was counted since the last call. */
  take(): Counted {
    const taken = { counts: Object.fromEntries(this.#counts), hosts: [...this.#hosts.values()] }
    this.#counts = new Map()
    this.#hosts = new Map()
    return taken
  }

  #noteOf(hostKey: string): Mutable<HostCounted> {
    const known = this.#hosts.get(hostKey)
    if (known !== undefined) return known
    if (this.#hosts.size >= MAX_HOSTS && hostKey !== '') return this.#noteOf('')
    const note = { hostKey, requests: 0, refusals: 0, failures: 0 }
    this.#hosts.set(hostKey, note)
    return note
  }
}
