// A store as exports use it beside a crawl: with the crawl's patience, so that a lock or a full disk costs an output time only.
import type { Crawl, Frontier } from '@avocet/core'
import type { ExportSource } from './export-source.ts'

/** `frontier`, whose calls wait with `crawl` while the store cannot be used. */
export function patientSource(
  { reader, exportMark, markExport }: Pick<Frontier, 'reader' | 'exportMark' | 'markExport'>,
  crawl: Pick<Crawl, 'withStore'>,
): ExportSource {
  return {
    reader: { items: (query) => crawl.withStore('items', () => reader.items(query)) },
    exportMark: (target) => crawl.withStore('mark of an output', () => exportMark(target)),
    markExport: (target, mark) => crawl.withStore('mark of an output', () => markExport(target, mark)),
  }
}
