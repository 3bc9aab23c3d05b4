// The histories that processes left in a store, each once.
import { crawlTextOf, type MemoryParts } from '@avocet/core/store'
import { HISTORY_TEXT } from './crawl-recorder.ts'
import { countedSeries, keptHistory } from './laws/kept-history.ts'
import type { SeriesAtRest } from './laws/rate-series.ts'

/** None where the journal was not part of the crawl. */
export function historiesIn(crawlMemories: readonly MemoryParts[]): readonly SeriesAtRest[] {
  return countedSeries(
    crawlMemories.flatMap((parts) => {
      const kept = keptHistory(crawlTextOf(parts, HISTORY_TEXT) ?? '')
      return kept === undefined ? [] : [kept]
    }),
  )
}
