// The rows of one page of a B-tree (sqlite.org/fileformat2.html §1.6), independent of the rest of the tree. What does not fit is left out and counted.
import { PAGE_BYTES, type PageFile } from './page-file.ts'
import { valuesOf, varintAt, type Value } from './record.ts'

/** What a page of a B-tree is, by its first byte. */
const PAGE_KINDS = { indexInterior: 0x02, tableInterior: 0x05, indexLeaf: 0x0a, tableLeaf: 0x0d } as const

/** A row as it stands on its page. */
export interface StoredRow {
  /** Absent in an index, and in a table that has no row ids. */
  readonly rowId?: number
  readonly values: readonly Value[]
}

/** What a page gave. */
export interface PageRows {
  readonly kind: number
  readonly rows: readonly StoredRow[]
  /** Of interior pages: the pages below. */
  readonly children: readonly number[]
  /** Cells that are none. */
  readonly bad: number
}

/** The page of the schema begins behind the header of the file. */
const FILE_HEADER_BYTES = 100
const OVERFLOW_BYTES = PAGE_BYTES - 4
const KINDS: ReadonlySet<number> = new Set(Object.values(PAGE_KINDS))

/** Reads page `number`; undefined when it is no page of a B-tree. `skipRows`: the tree alone is wanted. */
export function rowsOfPage(file: PageFile, number: number, skipRows = false): PageRows | undefined {
  const page = file.page(number)
  const start = number === 1 ? FILE_HEADER_BYTES : 0
  const kind = page.readUInt8(start)
  if (!KINDS.has(kind)) return undefined
  const isInterior = kind < PAGE_KINDS.indexLeaf
  const pointers = start + (isInterior ? 12 : 8)
  const cells = page.readUInt16BE(start + 3)
  if (pointers + 2 * cells > PAGE_BYTES) return undefined
  const rows: StoredRow[] = []
  const children = isInterior ? [page.readUInt32BE(start + 8)] : []
  let bad = 0
  for (let index = 0; index < cells; index++) {
    const at = page.readUInt16BE(pointers + 2 * index)
    const isWithin = at >= pointers + 2 * cells && at + 4 <= PAGE_BYTES
    if (isInterior && isWithin) children.push(page.readUInt32BE(at))
    if (skipRows || kind === PAGE_KINDS.tableInterior) continue
    const row = isWithin ? rowAt(file, { page, at: isInterior ? at + 4 : at, kind }) : undefined
    if (row === undefined) bad++
    else rows.push(row)
  }
  return { kind, rows, children, bad }
}

function rowAt(
  file: PageFile,
  cell: { readonly page: Buffer; readonly at: number; readonly kind: number },
): StoredRow | undefined {
  const { page, at, kind } = cell
  const size = varintAt(page, at)
  if (size === undefined || size.value > file.bytes) return undefined
  const isTable = kind === PAGE_KINDS.tableLeaf
  const rowId = isTable ? varintAt(page, size.end) : undefined
  if (isTable && rowId === undefined) return undefined
  const payload = payloadAt(file, { page, at: rowId?.end ?? size.end, size: size.value, isTable })
  const values = payload && valuesOf(payload)
  return values && { ...(rowId && { rowId: rowId.value }), values }
}

/** A long payload goes on in a chain of pages, each of which names the next. */
function payloadAt(
  file: PageFile,
  { page, at, size, isTable }: { readonly page: Buffer; readonly at: number; readonly size: number; readonly isTable: boolean },
): Buffer | undefined {
  const local = localBytes(size, isTable)
  if (at + local + (local < size ? 4 : 0) > PAGE_BYTES) return undefined
  const parts = [page.subarray(at, at + local)]
  let left = size - local
  let next = left > 0 ? page.readUInt32BE(at + local) : 0
  while (left > 0) {
    if (next < 2 || next > file.count) return undefined
    const overflow = file.page(next)
    const bytes = Math.min(left, OVERFLOW_BYTES)
    parts.push(overflow.subarray(4, 4 + bytes))
    left -= bytes
    next = overflow.readUInt32BE(0)
  }
  return parts.length === 1 ? parts[0] : Buffer.concat(parts)
}

/** How much of a payload stands on its page (fileformat2.html §1.6, "M", "K" and "X"). */
function localBytes(size: number, isTable: boolean): number {
  const most = isTable ? PAGE_BYTES - 35 : Math.floor(((PAGE_BYTES - 12) * 64) / 255) - 23
  if (size <= most) return size
  const least = Math.floor(((PAGE_BYTES - 12) * 32) / 255) - 23
  const fitting = least + ((size - least) % OVERFLOW_BYTES)
  return fitting <= most ? fitting : least
}
