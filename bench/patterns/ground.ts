// What a pattern stands on: a clock, a fetcher, URLs, dice. A promise wrapper over the fetcher, a semaphore, and sleep that is counted.
import { sleepUntil, type Clock, type Fetcher } from '@avocet/core/store'

/** What every pattern gets. */
export interface Ground {
  readonly clock: Clock
  readonly fetcher: Fetcher
  readonly urls: readonly string[]
  /** The next of one seeded row of numbers in [0, 1). */
  chance(): number
  /** Adds up what workers slept while they held a slot. Ms. */
  parkedMs: number
}

/** A pattern of the texts: it is over when it has nothing more to do. */
export type Pattern = (ground: Ground) => Promise<void>

/** How a request ended: a status, or a code. */
export type Got = { readonly status: number; readonly ms: number } | { readonly code: string; readonly ms: number }

/** Whether it ended with a page. */
export function isGood(got: Got): boolean {
  return 'status' in got && got.status >= 200 && got.status < 300
}

/** Fetches within `timeoutMs` in all, as the texts' client does. */
export function get({ clock, fetcher }: Ground, url: string, timeoutMs: number): Promise<Got> {
  const startedAt = clock.now()
  const limits = { connectMs: timeoutMs, firstByteMs: timeoutMs, idleMs: timeoutMs, totalMs: timeoutMs, minBytesPerSecond: 0 }
  return new Promise((resolve) => {
    fetcher.fetch(
      { url, method: 'GET', headers: { 'user-agent': 'pattern' }, limits, privateAllowed: true },
      {
        sent: () => {},
        headers: () => 'read',
        done: ({ status }) => resolve({ status, ms: clock.now() - startedAt }),
        failed: ({ code }) => resolve({ code, ms: clock.now() - startedAt }),
      },
    )
  })
}

/** Sleeps while it holds a worker: what Avocet never does, and what is counted here. */
export async function sleepInSlot(ground: Ground, ms: number): Promise<void> {
  const from = ground.clock.now()
  await sleepUntil(ground.clock, from + ms)
  ground.parkedMs += ground.clock.now() - from
}

/** First come, first served. */
export class Semaphore {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(permits: number) {
    this.#free = permits
  }

  acquire(): Promise<void> {
    if (this.#free > 0) {
      this.#free--
      return Promise.resolve()
    }
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  release(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#free++
    else next()
  }
}

/** `count` workers, each taking what comes next until nothing is left. */
export async function workers(
  count: number,
  next: () => string | undefined,
  work: (url: string) => Promise<void>,
): Promise<void> {
  const worker = async (): Promise<void> => {
    for (let url = next(); url !== undefined; url = next()) await work(url)
  }
  await Promise.all(Array.from({ length: count }, worker))
}

/** The value under `key`, made when it is not there. */
export function perHost<T>(make: () => T): (url: string) => T {
  const values = new Map<string, T>()
  return (url) => {
    const host = new URL(url).host
    const value = values.get(host) ?? make()
    values.set(host, value)
    return value
  }
}
