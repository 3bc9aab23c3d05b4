// How many of the units that wait go into one group. A transaction stops the event loop, so rows are counted; a line to a far store may be slow, so characters
// are. One unit alone always goes. Only lengths that are at hand are summed: each unit is counted once for its group.
import type { NewItem } from '../ports/frontier.ts'
import type { NewReject } from '../ports/reject.ts'
import type { NewRequest } from '../ports/request.ts'

/**
 * What a group of several units has at most, characters: a megabyte takes 8 s at 1 Mbit/s. The memory of its hosts, some 1.5 KB each, comes on top of that:
 * how long it is, nobody knows before it is written.
 */
const GROUP_CHARS = 1_000_000
/** Links and items of one transaction: some 15 ms. */
export const GROUP_ROWS = 1_000
/** What a unit is beside them: outcome, memory, its host's row. */
const ROWS_A_UNIT = 3

/** What is long of a unit. */
interface Yields {
  readonly links: readonly NewRequest[]
  readonly items: readonly NewItem[]
  readonly rejects?: readonly NewReject[]
  readonly records?: readonly NewItem[]
  readonly table?: readonly { readonly json: string | null }[]
}

/** A unit that waits, with the texts that plugins keep of its host: its last unit takes them along. */
interface WaitingUnit extends Yields {
  readonly host: { readonly keptBlobs: ReadonlyMap<string, string> }
}

/** How many of these go together. */
export function groupSize(units: readonly WaitingUnit[]): number {
  let [rows, chars] = [0, 0]
  const keeping = new Set<WaitingUnit['host']>()
  const end = units.findIndex((unit, index) => {
    rows += rowsOf(unit)
    chars += charsOf(unit)
    const { host } = unit
    if (host.keptBlobs.size > 0 && !keeping.has(host)) {
      keeping.add(host)
      for (const blob of host.keptBlobs.values()) chars += blob.length
    }
    return index > 0 && (rows > GROUP_ROWS || chars > GROUP_CHARS)
  })
  return end === -1 ? units.length : end
}

/** Rows that they write. */
export function groupRows(units: readonly Yields[]): number {
  return units.reduce((rows, unit) => rows + rowsOf(unit), 0)
}

function rowsOf({ links, items, rejects = [], records = [], table = [] }: Yields): number {
  return ROWS_A_UNIT + links.length + items.length + rejects.length + records.length + table.length
}

/** Of what may be long. */
function charsOf({ links, items, rejects = [], records = [], table = [] }: Yields): number {
  let chars = 0
  for (const { url, body, dataJson } of links) chars += url.length + (body?.length ?? 0) + (dataJson?.length ?? 0)
  for (const yields of [items, rejects, records]) for (const { json } of yields) chars += json.length
  for (const { json } of table) chars += json?.length ?? 0
  return chars
}
