// `avocet host list`: the hosts of a crawl that operators have paused or limited, and whether the crawl itself is paused.
import { Orders } from '@avocet/core/tools'
import { writeDocument } from '../output/machines.ts'
import { print } from '../output/people.ts'
import type { Place } from '../place.ts'
import { withReader } from '../store/open-store.ts'
import { orderedHosts, type OrderedHost } from '../store/ordered-hosts.ts'
import { commandName } from '../text/command-line.ts'
import { printable } from '../text/printable.ts'
import { formatDuration } from '../text/quantity.ts'
import { limitsInWords } from '../text/order-in-words.ts'

/** What was typed. */
export interface HostListWish {
  readonly store?: string
  readonly json: boolean
}

/** Prints them, ordered by name; with `json` one document. Throws AVO_FRONTIER_…, AVO_USAGE. */
export function hostList({ store, json }: HostListWish, place: Place): Promise<void> {
  const { stdout, clock } = place
  return withReader(place, store, async (reader) => {
    const orders = await Orders.of(reader)
    const hosts = orderedHosts(orders, clock.now())
    const { isPaused } = orders
    if (json) return writeDocument(stdout, { schema: 1, paused: isPaused, hosts, orders: orders.listed })
    const paused = isPaused ? [`the crawl is paused; ${commandName()} resume continues it`] : []
    const lines = hosts.map(({ hostKey, ...host }) => `${printable(hostKey)}: ${hostInWords(host, clock.now())}`)
    await print(stdout, [...paused, ...(lines.length === 0 ? ['no host is paused or limited'] : lines)])
  })
}

function hostInWords({ pausedUntil, limits }: Omit<OrderedHost, 'hostKey'>, now: number): string {
  const words = [
    ...(pausedUntil === null ? ['paused until it is resumed'] : []),
    ...(typeof pausedUntil === 'number' ? [`paused for ${formatDuration(pausedUntil - now)}`] : []),
    ...(limits === undefined ? [] : [limitsInWords(limits)]),
  ]
  return words.join('; ')
}
