// What a crawl did to each host of a bench, counted at its hooks.
import type { Crawl, Exchange } from '@avocet/core'
import type { Kind } from './hostile-world.ts'

/** Of one host. */
export interface HostCount {
  readonly kind: Kind
  readonly requests: number
  readonly refusals: number
  readonly pages: number
}

/** Counts for one crawl. `kinds` by host key. */
export class HostTally {
  readonly #counts: Map<string, { kind: Kind; requests: number; refusals: number; pages: number }>

  #isOver = false

  constructor(kinds: ReadonlyMap<string, Kind>) {
    this.#counts = new Map([...kinds].map(([key, kind]) => [key, { kind, requests: 0, refusals: 0, pages: 0 }]))
  }

  /** Taps `run`, which decides as if nobody looked. */
  follow(run: Crawl): void {
    const add = ({ host }: Exchange, what: 'requests' | 'refusals', n: number): void => {
      const count = this.#counts.get(host.key)
      if (count && !this.#isOver) count[what] += n
    }
    run.hooks.onAdmit.tap('bench', (exchange) => add(exchange, 'requests', 1))
    run.hooks.onUnsent.tap('bench', (exchange) => add(exchange, 'requests', -1))
    run.hooks.onResponse.tap('bench', ({ exchange, response }) => {
      if (response.status === 429 || response.status === 503) add(exchange, 'refusals', 1)
    })
    run.hooks.onSettled.tap('bench', ({ request, outcome }) => {
      const count = this.#counts.get(request.hostKey)
      if (count && outcome.kind === 'done') count.pages++
    })
  }

  /** What is let go of at the end was sent all the same. */
  end(): void {
    this.#isOver = true
  }

  /** Every host, those that were never asked as well. */
  get hosts(): readonly HostCount[] {
    return [...this.#counts.values()]
  }
}
