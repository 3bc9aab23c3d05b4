// Shares a whole number among processes: all of it is handed out, and two parts differ by one at most.

/** The part of process `number` of `of`, counted from 1. */
export function partOf(whole: number, { number, of }: { readonly number: number; readonly of: number }): number {
  return Math.floor(whole / of) + (number <= whole % of ? 1 : 0)
}
