// What an export reads: the items of a store, and how far each target is written.
import type { Frontier, FrontierReader } from '@avocet/core'

/** The part of a frontier that an export needs. */
export interface ExportSource extends Pick<Frontier, 'exportMark' | 'markExport'> {
  readonly reader: Pick<FrontierReader, 'items'>
}

/** A source for one export of all items, without marks: the store may belong to another process. */
export function snapshotOf(reader: FrontierReader): ExportSource {
  return {
    reader,
    exportMark: async () => undefined,
    markExport: async () => undefined,
  }
}
