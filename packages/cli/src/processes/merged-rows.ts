// The table of hosts of several processes: the rows of each, in one order.
import type { HostOrder } from '../view/host-order.ts'
import type { HostLabel, HostRow } from '../view/scene.ts'

/** In the order of the table. */
const LABELS = ['open', 'held', 'failing', 'refused', 'slow', 'busy', 'paused'] as const satisfies readonly HostLabel[]

/** A host that changes hands may be in two of them: where something is in flight it is held. */
export function mergedRows(each: readonly (readonly HostRow[])[], order: HostOrder): readonly HostRow[] {
  const byKey = new Map<string, HostRow>()
  for (const row of each.flat()) {
    const other = byKey.get(row.hostKey)
    if (other === undefined || row.inFlight > other.inFlight) byKey.set(row.hostKey, row)
  }
  const rows = [...byKey.values()]
  const rankOf = ({ labels: [first = 'busy'] }: HostRow): number => LABELS.indexOf(first)
  const before = (a: HostRow, b: HostRow): number => (order === 'trouble' ? rankOf(a) - rankOf(b) : b.much - a.much)
  return rows.sort((a, b) => before(a, b) || (a.hostKey < b.hostKey ? -1 : 1))
}
