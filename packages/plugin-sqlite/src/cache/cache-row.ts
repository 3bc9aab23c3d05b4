// Rows of kept responses: what they hold, and which of those that are to be kept together have room.

/** A response as it is in the file. */
export interface CacheRow {
  readonly key: Uint8Array
  readonly url: string
  readonly status: number
  /** JSON. */
  readonly headers: string
  /** Compressed with zstd. */
  readonly body: Uint8Array
  readonly wire_bytes: number
  /** Epoch ms. */
  readonly fetched_at: number
  /** That got it last. */
  readonly handler: string
  /** Links between the nearest seed and the page. */
  readonly depth: number
}

/** Of a row, beside what it holds. */
const ROW_BYTES = 100

/** What a request says of the place of a response, beside the key. */
export type Known = Pick<CacheRow, 'depth'>

/** `row` in the place of `known`. */
export function inPlaceOf(known: Known, row: CacheRow): CacheRow {
  return { ...row, depth: Math.min(known.depth, row.depth) }
}

/** The last of each key. */
export function onePerKey(rows: readonly CacheRow[]): readonly CacheRow[] {
  const last = new Map<string, CacheRow>()
  for (const row of rows) {
    const name = Buffer.from(row.key).toString('latin1')
    const before = last.get(name)
    last.delete(name)
    last.set(name, before === undefined ? row : inPlaceOf(before, row))
  }
  return [...last.values()]
}

/** Of `rows`, which are in the order of time, those for which there is room, the ones near a seed first. */
export function fittingIn(
  rows: readonly CacheRow[],
  maxBytes: number,
): { readonly fitting: readonly CacheRow[]; readonly farther: number; readonly tooLarge: number } {
  const small = rows.filter((row) => sizeOf(row) <= maxBytes).toReversed()
  const near = small.toSorted((a, b) => a.depth - b.depth)
  let [left, count] = [maxBytes, 0]
  for (const row of near) {
    left -= sizeOf(row)
    if (left < 0) break
    count++
  }
  const fitting = near
    .slice(0, count)
    .toReversed()
    .toSorted((a, b) => a.depth - b.depth)
  return { fitting, farther: near.length - count, tooLarge: rows.length - small.length }
}

/** Bytes that it takes in the file. */
export function sizeOf({ body, headers, url, handler }: CacheRow): number {
  return body.byteLength + headers.length + url.length + handler.length + ROW_BYTES
}
