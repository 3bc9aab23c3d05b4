// Which hosts a table shows first, where not all of them fit.
import { byName } from '../text/by-name.ts'
import { isBroken } from './courtesy.ts'
import type { HostReport } from './host-report.ts'

type Weight = (host: HostReport) => number

/** Those that were asked most. */
export function busiest(hosts: readonly HostReport[], top: number): readonly HostReport[] {
  return first(hosts, top, [({ requests }) => requests])
}

/** Those whose slow tenth is slowest. */
export function slowest(hosts: readonly HostReport[], top: number): readonly HostReport[] {
  const answered = hosts.filter(({ firstByte }) => firstByte !== null)
  return first(answered, top, [({ firstByte }) => firstByte?.nineInTenMs ?? 0, ({ firstByte }) => firstByte?.most99Ms ?? 0])
}

/** Those where something was not obeyed, then those that asked for something, then those that were asked most densely. */
export function leastPolite(hosts: readonly HostReport[], top: number): readonly HostReport[] {
  const asked = hosts.filter(({ courtesy, requests }) => courtesy !== null && requests > 0)
  return first(asked, top, [
    ({ courtesy }) => (courtesy !== null && isBroken(courtesy) ? 1 : 0),
    ({ courtesy }) => (courtesy?.crawlDelay ? 1 : 0) + (courtesy?.retryAfter ? 1 : 0),
    ({ courtesy }) => courtesy?.mostInSecond ?? 0,
    ({ courtesy }) => courtesy?.mostInMinute ?? 0,
  ])
}

/** The heaviest by the first weight, of equals by the next; the rest by name. */
function first(hosts: readonly HostReport[], top: number, weights: readonly Weight[]): readonly HostReport[] {
  const order = (a: HostReport, b: HostReport): number => {
    for (const weight of weights) {
      const difference = weight(b) - weight(a)
      if (difference !== 0) return difference
    }
    return byName(a, b)
  }
  return hosts.toSorted(order).slice(0, top)
}
