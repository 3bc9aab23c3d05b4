// Prints items to standard output, one JSON text a line, as they are committed.
//
// What was printed is marked under `-` after the stream has taken it, so a later run of the same crawl prints only what is new. A kill
// between the two prints that batch again: a pipe cannot be truncated, so this is at least once.
import type { Writable } from 'node:stream'
import { AvocetError } from '@avocet/core'
import { writeRecords } from '../output/machines.ts'
import type { ExportSource } from './export-source.ts'
import { ITEMS_PER_READ, type ItemExport } from './item-export.ts'

/** The name of the mark: the way standard output is written on a command line. */
const TARGET = '-'

/**
 * Exports to `stream`, which stays open.
 *
 * @throws AVO_OUTPUT_CLOSED from `catchUp` when the reader of the stream has gone.
 */
export function streamExport(stream: Writable): ItemExport {
  let source: ExportSource | undefined
  let itemSeq = 0
  return {
    async begin(given) {
      source = given
      itemSeq = (await given.exportMark(TARGET))?.itemSeq ?? 0
    },
    async catchUp() {
      if (!source) throw new AvocetError('AVO_INTERNAL', 'expected begin() before catchUp()')
      for (;;) {
        const items = await source.reader.items({ afterSeq: itemSeq, limit: ITEMS_PER_READ })
        const last = items.at(-1)
        if (last === undefined) return
        await writeRecords(
          stream,
          items.map(({ json }) => json),
        )
        itemSeq = last.seq
        await source.markExport(TARGET, { itemSeq, bytes: 0 })
      }
    },
    close: async () => undefined,
  }
}
