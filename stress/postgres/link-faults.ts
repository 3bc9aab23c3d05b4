// What can go wrong between a client and a server, for the proxy that injects it: which fault a request meets is chance with a seed.
import { seeded, type Chance } from '@avocet/simulator'

/**
 * What a request can meet.
 *
 * - `reset`: the connection is cut before anything is passed on. The server knows nothing of the request.
 * - `half-request`: half of the request is passed on, then the connection is cut.
 * - `lost-reply`: the request is passed on and answered, and the connection is cut in place of the reply. The server has done it; the client cannot know.
 * - `half-reply`: half of the first part of the reply is passed on, then the connection is cut.
 * - `stall`: nothing is passed on, in either direction, for `stallMs`; then all of it. A client that has given up meanwhile finds its request done later.
 */
export type LinkFault = 'reset' | 'half-request' | 'lost-reply' | 'half-reply' | 'stall'

/** How often a request meets each fault: 0 (never) to 1 (always). What is absent is 0. */
export type FaultRates = Readonly<Partial<Record<LinkFault, number>>>

/** How many requests met each fault. */
export type FaultCounts = Readonly<Record<LinkFault, number>>

const FAULTS: readonly LinkFault[] = ['reset', 'half-request', 'lost-reply', 'half-reply', 'stall']

/** Which fault the next request meets. */
export class FaultDraw {
  rates: FaultRates = {}
  readonly counts: Record<LinkFault, number> = { reset: 0, 'half-request': 0, 'lost-reply': 0, 'half-reply': 0, stall: 0 }
  readonly #chance: Chance
  readonly #atMost: number
  #certain: { readonly fault: LinkFault; readonly containing: string } | undefined
  #requests = 0
  #injected = 0

  /** `atMost`: faults in all; after them everything is passed on. */
  constructor(seed: string, atMost: number) {
    this.#chance = seeded(seed, 'link-faults')
    this.#atMost = atMost
  }

  /** The next request whose bytes contain the text meets the fault, whatever the rates and the number of faults so far are. */
  next(fault: LinkFault, containing: string): void {
    this.#certain = { fault, containing }
  }

  of(request: Buffer): LinkFault | undefined {
    const fault = this.#certainFor(request) ?? this.#drawn()
    if (fault !== undefined) {
      this.counts[fault]++
      this.#injected++
    }
    return fault
  }

  #certainFor(request: Buffer): LinkFault | undefined {
    const certain = this.#certain
    if (certain === undefined || !request.includes(certain.containing)) return undefined
    this.#certain = undefined
    return certain.fault
  }

  #drawn(): LinkFault | undefined {
    let left = this.#chance(this.#requests++)
    if (this.#injected >= this.#atMost) return undefined
    return FAULTS.find((fault) => {
      left -= this.rates[fault] ?? 0
      return left < 0
    })
  }
}
