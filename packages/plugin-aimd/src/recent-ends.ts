// How the last twenty exchanges of a host ended, one character each: enough to tell a burst of one kind from a single case. Pure.
//
// While all is well nothing is kept: an empty text stands for twenty good ends.

/** `.` an answer, `c` a captcha, `r` reset. */
export type RecentEnd = '.' | 'c' | 'r'

const KEPT = 20
const ALL_WELL = /^\.*$/

/** `recent` and one more end. */
export function withEnd(recent: string, end: RecentEnd): string {
  if (end === '.' && recent === '') return ''
  const longer = (recent + end).slice(-KEPT)
  return end === '.' && ALL_WELL.test(longer) ? '' : longer
}

/** How many ended so without another end in between, up to now. */
export function endsInRow(recent: string, end: RecentEnd): number {
  let found = 0
  while (found < recent.length && recent[recent.length - 1 - found] === end) found++
  return found
}

/** In how many rows they came: three in a row are one event, three with answers between them are three. */
export function rowsLike(recent: string, end: RecentEnd): number {
  let rows = 0
  for (let n = 0; n < recent.length; n++) if (recent[n] === end && recent[n - 1] !== end) rows++
  return rows
}
