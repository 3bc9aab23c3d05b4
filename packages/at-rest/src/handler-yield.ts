// What each handler has got from the pages of a host, in all runs, as core counts it with each commit (hosts/handler-yields.ts of core), and whether it works.
import type { MemoryParts } from '@avocet/core/store'
import { coreMemory } from '@avocet/core/tools'

/** Failures that are missed in the visits since the last one: the handler works again. */
const MISSED_FAILURES = 2
/** e^-5 = 0.7 %. */
const MISSED_PAGES = 5

/** What one handler got from the pages of a host, in all runs. */
export interface HandlerYield {
  /** Absent: all handlers beyond the first 32 of this host, together. */
  readonly handler?: string
  /** Pages that it handled, each visit counted; not those that were as they had been (304, or the same body without an item). */
  readonly pages: number
  /** Items that are stored. */
  readonly items: number
  /** Items that `onItem` of a plugin dropped, by returning `null`, or made into what is not JSON. */
  readonly dropped: number
  /** Pages that failed because it yielded what is neither an item of JSON nor a link, or because the schema or `onItem` of a plugin threw or took too long. */
  readonly spoiled: number
  /** Of the pages: those with at least one item, stored or dropped. */
  readonly fruitful: number
  /** How many of the last pages in a row had none. */
  readonly barren: number
  /** Of the pages: those for which it yielded anything, an item or a link. */
  readonly yielding: number
  /** Items that the spider's schema refused. Those that were valid when they were tried again are among them still, and not among the items. */
  readonly rejects: number
  /** Whether it used to get items from the host and gets none any more. */
  readonly driedUp: boolean
  /** Its last visits, at most 16, without those on which a plugin failed. */
  readonly visits: number
  /** How many of these visits failed in it. */
  readonly failing: number
  /** Whether two or more of them failed, and not so many succeeded since that it works again. */
  readonly inTrouble: boolean
  /** When it last handled a page without an error, epoch ms. Absent: never. */
  readonly goodAt?: number
}

/**
 * What each handler got from the pages of a host, in all runs, in the order in which the handlers were first used. The items of all handlers and hosts add
 * up to the items of the store.
 *
 * @param memory Of a `HostRecord`, as a reader gives it.
 * @throws AVO_FRONTIER_CORRUPT.
 * @example
 * ```ts
 * for (const { hostKey, memory } of await memoryFrontier().reader.hosts({ limit: 100 }))
 *   for (const { handler, pages, items } of hostYield(memory)) console.log(hostKey, handler, pages, items)
 * ```
 */
export function hostYield(memory: MemoryParts): readonly HandlerYield[] {
  const { yields = [] } = coreMemory.ofHost(memory)
  return yields.map((row) => {
    const [handler, pages, items, dropped, spoiled, fruitful, barren, , yielding, rejects = 0, visits = '', goodAt] = row
    const counts = { pages, items, dropped, spoiled, fruitful, barren, yielding, rejects }
    const judged = { driedUp: hasDriedUp(counts), ...failuresIn(visits), ...(goodAt && { goodAt }) }
    return { ...(handler !== '' && { handler }), ...counts, ...judged }
  })
}

/**
 * Whether a handler used to get items from a host and gets none any more: so many of its last pages had none that, by its pages before, five with items would
 * have been among them. By chance alone that happens to one handler in 150. One that never had an item has not dried up.
 *
 * @example
 * ```ts
 * hasDriedUp({ pages: 440, fruitful: 400, barren: 40 }) // true
 * ```
 */
export function hasDriedUp({ pages, fruitful, barren }: Pick<HandlerYield, 'pages' | 'fruitful' | 'barren'>): boolean {
  return pages > barren && (barren * fruitful) / (pages - barren) >= MISSED_PAGES
}

/** Two failures or more count until so many visits succeeded that, as often as it failed between the first and the last of them, two more would have failed. */
function failuresIn(visits: string): Pick<HandlerYield, 'visits' | 'failing' | 'inTrouble'> {
  const failing = visits.replaceAll('0', '').length
  const last = visits.lastIndexOf('1')
  const since = visits.length - 1 - last
  return {
    visits: visits.length,
    failing,
    inTrouble: failing > 1 && since * failing < MISSED_FAILURES * (last + 1 - visits.indexOf('1')),
  }
}
