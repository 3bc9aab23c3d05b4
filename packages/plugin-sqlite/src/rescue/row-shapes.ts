// What a row of each table looks like: how a row is distinguished from those of other tables, on any page.
//
// Rows of before a column was added are shorter; the column's default stands for what they lack.
import type { StoredRow } from './page-cells.ts'
import type { Value } from './record.ts'

/** I: integer, T: text, F: fingerprint; small letters: or NULL. `*` is the row id, which stands as NULL in the record. */
type Kind = 'I' | 'T' | 'F' | 'i' | 't' | '*'

/** A table, or an index that says what its table says. */
export interface RowShape {
  /** Of the table that its rows are read into. */
  readonly name: string
  /** In the damaged store, where that is another name. */
  readonly of?: string
  /** As in the schema, and in its order. */
  readonly columns: readonly (readonly [name: string, kind: Kind, missing?: number | null])[]
  /** An index and a table without row ids stand on pages of another kind. */
  readonly isIndex?: boolean
  /**
   * Whose page a row may also be on: `any` where no other shape is like it; `nobody` where one is, whose page would say so. Memory that is not of the plugin
   * that reads it is worse than none.
   */
  readonly alsoOn?: 'any' | 'nobody'
  /** Further conditions on the values. */
  readonly isValid?: (values: readonly Value[]) => boolean
}

const isJson = (value: Value | undefined): boolean => {
  if (typeof value !== 'string') return false
  try {
    JSON.parse(value)
    return true
  } catch {
    return false
  }
}
const isRecordOf = (name: Value | undefined, record: Value | undefined): boolean =>
  isJson(record) && (JSON.parse(record as string) as { readonly name?: unknown } | null)?.name === name
const isMemory = ([, , json]: readonly Value[]): boolean => json === '' || isJson(json)
const within = (value: Value | undefined, from: number, to = Infinity): boolean =>
  typeof value === 'number' && value >= from && value <= to

const column = (names: string, kind: Kind, missing?: number | null): [string, Kind, (number | null)?][] =>
  names.split(' ').map((name) => (missing === undefined ? [name, kind] : [name, kind, missing]))

/** Tables first. */
export const ROW_SHAPES: readonly RowShape[] = [
  {
    name: 'crawl',
    alsoOn: 'any',
    columns: [
      ...column('id', '*'),
      ...column('name canonicalisation host_keying', 'T'),
      ...column('created_at known done moved failed items indexed_up_to merging_up_to merging_slice', 'I'),
      ...column('again last_at run rejects', 'I', 0),
    ],
    isValid: (values) => values.slice(5, 10).every((total) => within(total, 0)),
  },
  {
    name: 'host',
    alsoOn: 'any',
    columns: [
      ...column('id', '*'),
      ...column('key origin', 'T'),
      ...column('ready_at', 'I'),
      ...column('due_at', 'i'),
      ...column('ready delayed done moved failed retried', 'I'),
      ...column('owner', 'i'),
      ...column('epoch abandoned', 'I'),
      ...column('retired_for', 't'),
      ...column('again', 'I', 0),
      ...column('probe_at', 'i', null),
      ...column('rank', 'I', 0),
      ...column('probation', 'I', 1),
    ],
    isValid: ([, key, origin]) => key !== '' && typeof origin === 'string' && /^https?:\/\/[^/]+$/.test(origin),
  },
  {
    name: 'host_memory',
    isIndex: true,
    alsoOn: 'nobody',
    columns: [...column('host', 'I'), ...column('part json', 'T')],
    isValid: isMemory,
  },
  { name: 'crawl_memory', isIndex: true, columns: [...column('process', 'I'), ...column('part json', 'T')], isValid: isMemory },
  {
    name: 'request',
    alsoOn: 'any',
    columns: [
      ...column('id', '*'),
      ...column('host', 'I'),
      ...column('path', 'T'),
      ...column('fingerprint', 'F'),
      ...column('parent', 'i'),
      ...column('depth rank handler', 'I'),
      ...column('anchor', 't'),
    ],
    isValid: ([, , , , , depth]) => within(depth, 0),
  },
  {
    name: 'extra',
    alsoOn: 'any',
    columns: [
      ...column('id', '*'),
      ...column('method headers body data', 't'),
      ...column('hops', 'i'),
      ...column('redirected_from', 't'),
      ...column('identity', 't', null),
      ...column('asked_at', 'i', null),
    ],
    isValid: ([, , headers, , data]) => [headers, data].every((json) => json === null || isJson(json)),
  },
  {
    name: 'delayed',
    alsoOn: 'any',
    columns: [...column('id', '*'), ...column('host not_before rank', 'I')],
  },
  {
    name: 'attempt',
    alsoOn: 'any',
    columns: [
      ...column('id', '*'),
      ...column('state attempts free_attempts', 'I'),
      ...column('fetched_at status duration_ms wire_bytes', 'i'),
      ...column('first_at run', 'i', null),
    ],
    isValid: ([, state, attempts, free]) => within(state, 0, 3) && within(attempts, 0) && within(free, 0),
  },
  {
    name: 'visited',
    alsoOn: 'any',
    columns: [
      ...column('id', '*'),
      ...column('visits due_at skipped', 'I'),
      ...column('etag last_modified body_hash', 't'),
      ...column('missing', 'I', 0),
      ...column('missing_since asked_at asked_by page_at page_visit', 'i', null),
    ],
    isValid: ([, visits]) => within(visits, 1),
  },
  {
    name: 'trouble',
    alsoOn: 'any',
    columns: [...column('id', '*'), ...column('reason', 'i'), ...column('blame target', 't'), ...column('error', 'i', null)],
  },
  {
    name: 'cut',
    alsoOn: 'any',
    columns: [...column('id', '*'), ...column('reason links waiting reread', 'I')],
    isValid: ([, , links, waiting, reread]) => within(links, 0) && within(waiting, 0) && within(reread, 0, 1),
  },
  {
    name: 'handler_error',
    columns: [...column('id', '*'), ...column('kind json', 'T'), ...column('seen_at', 'I', 0)],
    isValid: ([, , json]) => isJson(json),
  },
  { name: 'reason', columns: [...column('id', '*'), ...column('word', 'T'), ...column('failed', 'I')] },
  { name: 'handler', alsoOn: 'any', columns: [...column('id', '*'), ...column('word', 'T')] },
  {
    name: 'item',
    alsoOn: 'any',
    columns: [...column('seq', '*'), ...column('request ordinal', 'I'), ...column('json', 'T'), ...column('visit', 'I', 0)],
    isValid: ([, request, ordinal, json]) => within(request, 1) && within(ordinal, 0) && isJson(json),
  },
  {
    name: 'reject',
    alsoOn: 'any',
    columns: [
      ...column('id', '*'),
      ...column('source', 'T'),
      ...column('request visit ordinal', 'I'),
      ...column('json', 't'),
      ...column('reason kind', 'T'),
      ...column('at retried', 'I'),
    ],
    isValid: ([, , request, visit, ordinal, json, , , , retried]) =>
      within(request, 1) && within(visit, 0) && within(ordinal, 0) && (json === null || isJson(json)) && within(retried, 0, 1),
  },
  {
    name: 'record',
    alsoOn: 'any',
    columns: [...column('seq', '*'), ...column('request visit ordinal', 'I'), ...column('json', 'T')],
    isValid: ([, request, visit, ordinal, json]) => within(request, 1) && within(visit, 0) && within(ordinal, 0) && isJson(json),
  },
  {
    name: 'sink',
    alsoOn: 'any',
    columns: [...column('name', 'T'), ...column('item_seq', 'I'), ...column('record', 't'), ...column('owner', 'i')],
    isValid: ([name, seq, record]) => within(seq, 0) && (record === null || isRecordOf(name, record)),
  },
  // Of version 8 and before.
  {
    name: 'export',
    alsoOn: 'any',
    columns: [...column('target', 'T'), ...column('item_seq bytes', 'I')],
    isValid: ([, seq, bytes]) => within(seq, 0) && within(bytes, 0),
  },
  { name: 'death', columns: [...column('id', '*'), ...column('runs', 'I')] },
  { name: 'host_word', of: 'sqlite_autoindex_host_1', isIndex: true, columns: [...column('key', 'T'), ...column('id', 'I')] },
  {
    name: 'handler_word',
    of: 'sqlite_autoindex_handler_1',
    isIndex: true,
    columns: [...column('word', 'T'), ...column('id', 'I')],
  },
  {
    name: 'reason_word',
    of: 'sqlite_autoindex_reason_1',
    isIndex: true,
    columns: [...column('word', 'T'), ...column('id', 'I')],
  },
  { name: 'item_once', isIndex: true, columns: [...column('request visit ordinal seq', 'I')] },
  { name: 'record_place', isIndex: true, columns: [...column('request visit ordinal seq', 'I')] },
]

const BY_NAME = new Map(ROW_SHAPES.map((shape) => [shape.of ?? shape.name, shape]))

/** The shape of a row that was found on a page of `owner`, or of nobody; undefined when it looks like none. */
export function shapeOf(row: StoredRow, owner: string | undefined): RowShape | undefined {
  const own = owner === undefined ? undefined : BY_NAME.get(owner)
  if (own !== undefined && fits(row, own)) return own
  return ROW_SHAPES.find(
    ({ alsoOn, ...shape }) => alsoOn !== undefined && (alsoOn === 'any' || owner === undefined) && fits(row, shape),
  )
}

/** Its values in the order of the columns. */
export function columnValues({ rowId, values }: StoredRow, { columns }: RowShape): Value[] {
  return columns.map(([, kind, missing], index) => (kind === '*' ? (rowId ?? null) : (values[index] ?? missing ?? null)))
}

function fits({ rowId, values }: StoredRow, { columns, isIndex = false, isValid = () => true }: RowShape): boolean {
  if ((rowId === undefined) !== isIndex || values.length > columns.length) return false
  if (rowId !== undefined && rowId < 1) return false
  const isLike = columns.every(([, kind, missing], index) => {
    const value = values[index]
    return value === undefined ? missing !== undefined : isOf(value, kind)
  })
  return isLike && isValid(values)
}

function isOf(value: Value, kind: Kind): boolean {
  if (value === null) return kind === '*' || kind === 'i' || kind === 't'
  if (typeof value === 'number') return kind === 'I' || kind === 'i'
  if (typeof value === 'string') return kind === 'T' || kind === 't'
  return kind === 'F' && value.length === 16
}
