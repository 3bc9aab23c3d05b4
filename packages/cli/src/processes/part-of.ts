// Divides a whole number among processes: the parts add up to it, and differ by at most one.

/** The part of process `number` of `of`, counted from 1. */
export function partOf(whole: number, { number, of }: { readonly number: number; readonly of: number }): number {
  return Math.floor(whole / of) + (number <= whole % of ? 1 : 0)
}
