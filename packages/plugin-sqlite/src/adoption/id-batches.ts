// Reads rows in the order of their ids, a bounded number at a time: between two batches the store can be written to.

/** Rows in one transaction. */
const AT_ONCE = 500

/** Batches of what `read` gives: at most `limit` rows whose ids, as `idOf` has them, are above `after`, in their order. */
export function* batchesById<Row>(
  read: (after: number, limit: number) => readonly Row[],
  idOf: (row: Row) => number,
): Generator<readonly Row[], void> {
  for (let after = 0; ;) {
    const rows = read(after, AT_ONCE)
    const last = rows.at(-1)
    if (last === undefined) return
    yield rows
    after = idOf(last)
  }
}
