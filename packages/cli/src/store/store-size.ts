// How large a store is, by what it holds, and how large it will be in a year.
import { DEFAULTS, type FrontierReader } from '@avocet/core/store'
import { formatBytes } from '@avocet/project/text'

/** Bytes on disk, as its reader tells them. */
type Sizes = Awaited<ReturnType<NonNullable<FrontierReader['sizes']>>>

/** As long as a configuration says nothing else. */
const KEPT_DAYS = DEFAULTS.keep.itemsMs / 86_400_000
const YEAR_DAYS = 365

/** `12 MB: 5 MB pages, 6 MB items, 1 MB memory; 2 MB free`. The store does not know for how long a crawl with sinks keeps items. */
export function sizeRows(sizes: Sizes | undefined, sinks: readonly unknown[]): readonly (readonly [string, string])[] {
  if (sizes === undefined) return []
  const { requests, items, changes, memory, free, daily } = sizes
  const kinds = Object.entries({ pages: requests, items, changes, memory }).filter(([, bytes]) => bytes > 0)
  const parts = kinds.map(([kind, bytes]) => `${formatBytes(bytes)} ${kind}`)
  const size = `${formatBytes(requests + items + changes + memory)}: ${parts.join(', ')}`
  const now = ['size', free > 0 ? `${size}; ${formatBytes(free)} free` : size] as const
  if (daily === undefined) return [now]
  const itemsThen = sinks.length > 0 ? Math.max(items, KEPT_DAYS * daily.items) : items + YEAR_DAYS * daily.items
  const assumed = sinks.length > 0 ? `, if items stay for ${KEPT_DAYS} days (keep.itemsMs)` : ''
  const inAYear = requests + changes + memory + YEAR_DAYS * daily.rest + itemsThen
  return [now, ['', `${formatBytes(inAYear)} in a year at the rate of the last days${assumed}`]]
}
