// `avocet host list`: the hosts of a crawl that operators have paused or limited, and whether the crawl itself is paused.
import { controlsIn, isUntilResumed, type Controls } from '@avocet/core/tools'
import { writeDocument } from '../output/machines.ts'
import { print } from '../output/people.ts'
import type { Place } from '../place.ts'
import { withReader } from '../store/open-store.ts'
import { commandName } from '../text/command-line.ts'
import { printable } from '../text/printable.ts'
import { formatDuration } from '../text/quantity.ts'
import { limitsInWords } from './order-in-words.ts'

/** What was typed. */
export interface HostListWish {
  readonly store?: string
  readonly json: boolean
}

/** Prints them, ordered by name; with `json` one document. Throws AVO_FRONTIER_…, AVO_USAGE. */
export function hostList({ store, json }: HostListWish, place: Place): Promise<void> {
  const { stdout, clock } = place
  return withReader(place, store, async (reader) => {
    const controls = controlsIn(await reader.crawlMemories())
    const hosts = hostsOf(controls, clock.now())
    const isPaused = controls.paused?.value === true
    if (json) return writeDocument(stdout, { schema: 1, paused: isPaused, hosts, orders: controls.listed })
    const paused = isPaused ? [`the crawl is paused; ${commandName()} resume continues it`] : []
    const lines = hosts.map(({ hostKey, ...host }) => `${printable(hostKey)}: ${hostInWords(host, clock.now())}`)
    await print(stdout, [...paused, ...(lines.length === 0 ? ['no host is paused or limited'] : lines)])
  })
}

/** What holds for a host. */
interface HostOrders {
  readonly hostKey: string
  /** Epoch ms; null: until it is resumed. Absent: it is not paused. */
  readonly pausedUntil?: number | null
  readonly limits?: Readonly<Record<string, number>>
}

function hostsOf({ hosts }: Controls, now: number): readonly HostOrders[] {
  return Object.entries(hosts)
    .map(([hostKey, { pausedUntil, limits }]): HostOrders => {
      const until = pausedUntil?.value ?? 0
      const isLimited = limits !== undefined && Object.keys(limits.value).length > 0
      return {
        hostKey,
        ...(until > now && { pausedUntil: isUntilResumed(until) ? null : until }),
        ...(isLimited && { limits: { ...limits.value } }),
      }
    })
    .filter(({ pausedUntil, limits }) => pausedUntil !== undefined || limits !== undefined)
    .toSorted((a, b) => (a.hostKey < b.hostKey ? -1 : 1))
}

function hostInWords({ pausedUntil, limits }: Omit<HostOrders, 'hostKey'>, now: number): string {
  const words = [
    ...(pausedUntil === null ? ['paused until it is resumed'] : []),
    ...(typeof pausedUntil === 'number' ? [`paused for ${formatDuration(pausedUntil - now)}`] : []),
    ...(limits === undefined ? [] : [limitsInWords(limits)]),
  ]
  return words.join('; ')
}
