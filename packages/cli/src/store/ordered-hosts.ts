// The hosts that operators have paused or limited, as a store has it.
import type { Orders } from '@avocet/core/tools'
import { isUntilResumed } from '@avocet/core/store'

/** What holds for a host. */
export interface OrderedHost {
  readonly hostKey: string
  /** Epoch ms; null: until it is resumed. Absent: it is not paused. */
  readonly pausedUntil?: number | null
  readonly limits?: ReturnType<Orders['ofHost']>['limits']
}

/** Those that are paused or limited at `now` (epoch ms), ordered by name. */
export function orderedHosts(orders: Orders, now: number): readonly OrderedHost[] {
  return [...orders.hosts.keys()]
    .map((hostKey) => ({ hostKey, ...orderedHost(orders, hostKey, now) }))
    .filter(({ pausedUntil, limits }) => pausedUntil !== undefined || limits !== undefined)
    .toSorted((a, b) => (a.hostKey < b.hostKey ? -1 : 1))
}

/** What holds for one of them. */
export function orderedHost(orders: Orders, hostKey: string, now: number): Omit<OrderedHost, 'hostKey'> {
  const { pausedUntil, limits } = orders.ofHost(hostKey)
  return {
    ...(pausedUntil > now && { pausedUntil: isUntilResumed(pausedUntil) ? null : pausedUntil }),
    ...(Object.keys(limits).length > 0 && { limits }),
  }
}
