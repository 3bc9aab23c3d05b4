// The hosts that operators have paused or limited, as a store has it.
import { orderedLimits, type Controls, type OrderedLimits } from '@avocet/core/tools'
import { isUntilResumed } from '@avocet/core/store'

/** What holds for a host. */
export interface OrderedHost {
  readonly hostKey: string
  /** Epoch ms; null: until it is resumed. Absent: it is not paused. */
  readonly pausedUntil?: number | null
  readonly limits?: OrderedLimits
}

/** Those that are paused or limited at `now` (epoch ms), ordered by name. */
export function orderedHosts({ hosts }: Controls, now: number): readonly OrderedHost[] {
  return Object.entries(hosts)
    .map(([hostKey, host]): OrderedHost => {
      const until = host.pausedUntil?.value ?? 0
      const limits = orderedLimits(host)
      return {
        hostKey,
        ...(until > now && { pausedUntil: isUntilResumed(until) ? null : until }),
        ...(Object.keys(limits).length > 0 && { limits }),
      }
    })
    .filter(({ pausedUntil, limits }) => pausedUntil !== undefined || limits !== undefined)
    .toSorted((a, b) => (a.hostKey < b.hostKey ? -1 : 1))
}
