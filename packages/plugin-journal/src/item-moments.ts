// When items were stored, as far as the history of the crawl tells: stores keep their numbers, and no moments.
import type { MemoryParts } from '@avocet/core/store'
import { historiesIn } from './histories-in.ts'
import { countedStretches, momentsOfNumbers, type NumberedItems, type StoredWithin } from './laws/item-moments.ts'

/**
 * Of each of `numbers` (`ItemRecord.seq`), between which moments its item was stored, from the memories that processes left in the store
 * (`reader.crawlMemories()`): within ten seconds of the last hour of work, two hours of the last four weeks, a day of the last year. Wider where processes were
 * killed, by what they did not write down. Undefined where the history has no items.
 *
 * @example
 * ```ts
 * itemMoments([], { last: 7, since: 0, until: 1_000 }, [7]) // [undefined]
 * ```
 */
export function itemMoments(
  crawlMemories: readonly MemoryParts[],
  known: NumberedItems,
  numbers: readonly number[],
): readonly (StoredWithin | undefined)[] {
  return momentsOfNumbers(historiesIn(crawlMemories).flatMap(countedStretches), known, numbers)
}
