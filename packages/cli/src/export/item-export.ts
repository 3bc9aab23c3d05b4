// What exports are made of: a target of items (a file or standard output), and the source that it reads them from.
import { AvocetError, type Crawl } from '@avocet/core'
import type { Frontier, FrontierReader, SinkRecord } from '@avocet/core/store'

/** Writes items to one target, in commit order. Not to be called again before it has answered. */
export interface ItemExport {
  /** Finds out how far the target is written. */
  begin(source: ExportSource): Promise<void>
  /** Writes every item that is committed by now and not yet written. */
  catchUp(): Promise<void>
  /** Called once, after the last `catchUp` of a run that is not cut short. `interrupted`: by a signal, which may have ended the reader as well. */
  finish?(interrupted: boolean): Promise<void>
  /** Waits for no reader any more: what is called then, or was, settles, and nothing more is written. */
  letGo?(): void
  close(): Promise<void>
}

/** Items read at once: small enough that large items do not fill the memory. */
export const ITEMS_PER_READ = 256

/** The part of a frontier that an export needs. */
export interface ExportSource {
  readonly reader: Pick<FrontierReader, 'items'>
  exportMark(target: string): Promise<ExportMark | undefined>
  markExport(target: string, mark: ExportMark): Promise<void>
}

/** How far an output file is written: every item up to `itemSeq` is before byte `bytes`. */
export interface ExportMark {
  readonly itemSeq: number
  readonly bytes: number
}

/** The end of the name of a mark that says where an output begins. */
export const START_ENDING = '#start'

/** Marks of outputs in what a store keeps of sinks: where an output begins is part of the state of its sink. */
export function marksOf(store: Pick<Frontier, 'sink' | 'keepSink'>): Pick<ExportSource, 'exportMark' | 'markExport'> {
  const starts = new Map<string, ExportMark>()
  const stateOf = (record: SinkRecord | undefined): { bytes?: number; start?: ExportMark } =>
    (record?.mark?.state ?? {}) as { bytes?: number; start?: ExportMark }
  return {
    async exportMark(target) {
      if (target.endsWith(START_ENDING)) return stateOf(await store.sink(target.slice(0, -START_ENDING.length))).start
      const record = await store.sink(target)
      return record?.mark && { itemSeq: record.mark.itemSeq, bytes: stateOf(record).bytes ?? 0 }
    },
    async markExport(target, mark) {
      if (target.endsWith(START_ENDING)) {
        starts.set(target.slice(0, -START_ENDING.length), mark)
        return
      }
      const { itemSeq, bytes } = mark
      const { itemSeq: startSeq, bytes: startBytes } = starts.get(target) ??
        stateOf(await store.sink(target)).start ?? { itemSeq: 0, bytes: 0 }
      const state = { bytes, start: { itemSeq: startSeq, bytes: startBytes } }
      await store.keepSink({ name: target, written: itemSeq - startSeq, mark: { itemSeq, state } })
    },
  }
}

/** A source for one export of all items, without marks: the store may belong to another process. */
export function snapshotOf(reader: FrontierReader): ExportSource {
  return {
    reader,
    exportMark: async () => undefined,
    markExport: async () => undefined,
  }
}

// A store as exports use it beside a crawl: with the crawl's patience, so that a lock or a full disk costs an output time only.
//
// A store that was removed ends the crawl, and keeps no mark any more. What it still gives is written to the end all the same: there is no other copy.

/** `frontier`, whose calls wait with `crawl` while the store cannot be used. */
export function patientSource(
  frontier: Pick<Frontier, 'reader' | 'sink' | 'keepSink'>,
  crawl: Pick<Crawl, 'withStore'>,
): ExportSource {
  const { reader } = frontier
  const { exportMark, markExport } = marksOf(frontier)
  return {
    reader: { items: (query) => crawl.withStore('items', () => reader.items(query)) },
    exportMark: (target) => crawl.withStore('mark of an output', () => exportMark(target)),
    markExport: (target, mark) => crawl.withStore('mark of an output', () => markExport(target, mark)).catch(forgiveMissing),
  }
}

function forgiveMissing(error: unknown): void {
  if (!(error instanceof AvocetError) || error.code !== 'AVO_FRONTIER_MISSING') throw error
}
