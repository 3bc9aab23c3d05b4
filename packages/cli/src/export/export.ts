// `avocet export`: all items of a store, as they are now, into files or to standard output.
import type { Output } from '@avocet/project/options'
import { say, type Place } from '@avocet/project/place'
import { withReader } from '@avocet/project/store'
import { deliverAll } from './deliver-all.ts'
import { closeAll, openOutputs } from './outputs.ts'

/** What was typed. */
export interface ExportOptions {
  readonly store: string | undefined
  readonly outputs: readonly Output[]
}

/**
 * Writes every item once to each output: `-O` in place of what the file holds, `-o` behind it. Without an output, to standard output.
 *
 * @throws AVO_FRONTIER_…, AVO_OUTPUT_UNWRITABLE, AVO_OUTPUT_CLOSED, AVO_USAGE.
 */
export function exportCommand({ store, outputs }: ExportOptions, place: Place): Promise<void> {
  const { folder, stdout, stderr, clock } = place
  return withReader(place, store, async (reader) => {
    const wanted: readonly Output[] = outputs.length > 0 ? outputs : [{ path: '-', mode: 'append' }]
    const sinks = await openOutputs(wanted, { folder, stdout, clock, say: (line) => say(stderr, line) })
    try {
      await deliverAll(sinks, { reader, clock })
    } finally {
      await closeAll(sinks)
    }
  })
}
