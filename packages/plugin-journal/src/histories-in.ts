// The histories that processes left in a store, each once.
import { HISTORY_TEXT } from './crawl-recorder.ts'
import { countedSeries, keptHistory } from './laws/kept-history.ts'
import type { SeriesAtRest } from './laws/rate-series.ts'

/** Where processes left them: what `atRest` of @avocet/core/tools reads. */
export interface KeptTexts {
  /** Of each process that left one. */
  texts(name: string): readonly string[]
}

/** None where the journal was not part of the crawl. */
export function historiesIn(crawl: KeptTexts): readonly SeriesAtRest[] {
  return countedSeries(crawl.texts(HISTORY_TEXT).flatMap((text) => keptHistory(text) ?? []))
}
