// One target of items: a file or standard output.
import type { ExportSource } from './export-source.ts'

/** Writes items to one target, in commit order. Not to be called again before it has answered. */
export interface ItemExport {
  /** Finds out where the target stands. */
  begin(source: ExportSource): Promise<void>
  /** Writes every item that is committed by now and not yet written. */
  catchUp(): Promise<void>
  close(): Promise<void>
}

/** Items read at once: small enough that large items do not fill the memory. */
export const ITEMS_PER_READ = 256
