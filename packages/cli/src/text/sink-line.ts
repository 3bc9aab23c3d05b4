// One sink in one line: how far it is, and what troubles it.
import type { SinkStatus } from '@avocet/core/tools'
import { printable } from './printable.ts'
import { formatCount, formatCountOf, formatMoment } from './quantity.ts'

/** `offers.jsonl: 1,200 items, 30 behind; failing since …: disk full`. */
export function sinkLine(sink: Omit<SinkStatus, 'setAside'> & { readonly setAside?: number }): string {
  const { name, written, behind, setAside = 0, failingSince, error, elsewhere } = sink
  const counts = [
    formatCountOf(written, 'item'),
    ...(behind > 0 ? [`${formatCount(behind)} behind`] : []),
    ...(setAside > 0 ? [`${formatCount(setAside)} set aside`] : []),
  ].join(', ')
  const since = failingSince === undefined ? '' : ` since ${formatMoment(failingSince)}`
  const trouble = error === undefined ? '' : `; failing${since}: ${printable(error)}`
  return `${printable(name)}: ${counts}${trouble}${elsewhere ? '; another process writes to it' : ''}`
}

/** Whether it lacks items at the end of a run, or may. */
export function isBehind({ behind, error, elsewhere }: Pick<SinkStatus, 'behind' | 'error' | 'elsewhere'>): boolean {
  return elsewhere !== true && (behind > 0 || error !== undefined)
}
