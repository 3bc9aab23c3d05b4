// What this process knows of its hosts, for the page of its crawl: asked when somebody looks, and of the hosts that are shown.
import type { Explanation, HostStatus } from '@avocet/core/tools'
import { foundRpsOf } from '../load/policies.ts'
import type { CrawlWatcher } from '../view/crawl-watcher.ts'
import type { FoundByPolicies, LiveCloseUp, LiveHosts, LiveRow } from '../view/live-hosts.ts'
import type { ExchangeRing } from './exchange-ring.ts'

/** Where it is known. */
interface Parts {
  readonly watcher: Pick<CrawlWatcher, 'closeUp' | 'parkedHolds'>
  readonly exchanges: ExchangeRing
  /** Hosts at work. */
  readonly statuses: () => readonly HostStatus[]
}

/** Last exchanges of a host that are shown. */
export const SHOWN_EXCHANGES = 25

/** The hosts of one process. `now`: epoch ms. */
export class OwnHosts {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** All of them. */
  all(now: number): LiveHosts {
    return { atWork: this.#parts.statuses(), parked: this.#parts.watcher.parkedHolds(now) }
  }

  /** The rows of some, in order; null where nothing is known. */
  rows(hostKeys: readonly string[], now: number): readonly (LiveRow | null)[] {
    const statuses = new Map(this.#parts.statuses().map((status) => [status.hostKey, status]))
    return hostKeys.map((hostKey) => {
      const { slices, explained } = this.#parts.watcher.closeUp(hostKey, now)
      const recent = slices.flatMap(({ good, bad }) => [good, bad])
      if (explained === undefined) return recent.some((count) => count > 0) ? { recent } : null
      return { found: foundByPolicies(explained.values, statuses.get(hostKey)?.proven === true), recent }
    })
  }

  /** One of them. */
  host(hostKey: string, now: number): LiveCloseUp {
    const { watcher, exchanges } = this.#parts
    const { explained } = watcher.closeUp(hostKey, now)
    return {
      ...(explained && { explained }),
      exchanges: exchanges.lines(hostKey, SHOWN_EXCHANGES),
      stretches: exchanges.stretches(hostKey),
    }
  }
}

/** What policies have found, from what they know. The rate of a host that has not proven itself is only where it begins. */
export function foundByPolicies(values: Explanation['values'], isProven: boolean): FoundByPolicies {
  const found = isProven ? foundRpsOf(values) : undefined
  const state = Object.values(values)
    .map((known) => known['state'])
    .find((each) => typeof each === 'string')
  return { foundRps: found === undefined ? null : Number(found.toPrecision(3)), breaker: state ?? null }
}
