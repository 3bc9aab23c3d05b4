// A store as exports use it beside a crawl: with the crawl's patience, so that a lock or a full disk costs an output time only.
//
// A store that was removed ends the crawl, and keeps no mark any more. What it still gives is written to the end all the same: it is nowhere else.
import { AvocetError, type Crawl, type Frontier } from '@avocet/core'
import type { ExportSource } from './export-source.ts'

/** `frontier`, whose calls wait with `crawl` while the store cannot be used. */
export function patientSource(
  { reader, exportMark, markExport }: Pick<Frontier, 'reader' | 'exportMark' | 'markExport'>,
  crawl: Pick<Crawl, 'withStore'>,
): ExportSource {
  return {
    reader: { items: (query) => crawl.withStore('items', () => reader.items(query)) },
    exportMark: (target) => crawl.withStore('mark of an output', () => exportMark(target)),
    markExport: (target, mark) => crawl.withStore('mark of an output', () => markExport(target, mark)).catch(forgiveMissing),
  }
}

function forgiveMissing(error: unknown): void {
  if (!(error instanceof AvocetError) || error.code !== 'AVO_FRONTIER_MISSING') throw error
}
