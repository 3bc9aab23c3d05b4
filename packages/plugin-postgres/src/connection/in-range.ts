// Numbers as the columns of PostgreSQL take them: what is beyond the range of a column is the last number within it.

/** Of `int`, and of `smallint`. */
export const MOST_INT = 2_147_483_647
export const MOST_SMALLINT = 32_767

/** `value`, whole, from -`most` to `most`; 0 for what is no number. Default: that of `bigint`, as far as JavaScript has whole numbers. */
export function inRange(value: number, most: number = Number.MAX_SAFE_INTEGER): number {
  return Number.isNaN(value) ? 0 : Math.min(Math.max(Math.round(value), -most), most)
}
