// When items were stored, as far as the history of the crawl tells: stores keep their numbers, and no moments.
import { historiesIn, type KeptTexts } from './crawl-recorder.ts'
import { countedStretches, momentsOfNumbers, type NumberedItems, type StoredWithin } from './laws/item-moments.ts'

/**
 * Of each of `numbers` (`ItemRecord.seq`), between which moments its item was stored, from what processes left in the store
 * (`atRest(reader)`): within ten seconds of the last hour of work, two hours of the last four weeks, a day of the last year. Wider where processes were
 * killed, by what they did not write down. Undefined where the history has no items.
 *
 * @example
 * ```ts
 * const [stored] = itemMoments(await atRest(frontier.reader), { last: 7, since: 0, until: Date.now() }, [7])
 * ```
 */
export function itemMoments(
  crawl: KeptTexts,
  known: NumberedItems,
  numbers: readonly number[],
): readonly (StoredWithin | undefined)[] {
  return momentsOfNumbers(historiesIn(crawl).flatMap(countedStretches), known, numbers)
}
