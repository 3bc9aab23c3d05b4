// What became of the rounds in which pages of a host are visited again: how many visits were due, made, and late.
//
// Kept of the last round of each interval in core's memory of the host, with the unit that settles a visit. A visit is late where it came after the next one
// was due: the rounds between are left out (`Again.skipped`), and count as due.
import type { Outcome } from '../ports/frontier.ts'
import type { StoredReport } from '../ports/report.ts'
import type { Request } from '../ports/request.ts'

/** everyMs; when the first of its visits was due, epoch ms; visited; late; left out. */
export type RoundRow = [number, number, number, number, number]

/** Intervals of a host that are told apart. */
const MAX_INTERVALS = 8

/**
 * Counts the visit of a unit that is about to be committed; -1 takes that back. The first visit of a page is of no round. One of a page that is gone is none of
 * its round, which begins nevertheless: where all pages of a host are gone, none of them is late.
 */
export function countRound(
  core: { rounds?: RoundRow[] },
  { request, outcome }: { readonly request?: Request; readonly outcome?: Outcome | undefined },
  times: 1 | -1,
): void {
  const dueAt = request?.earlier?.dueAt
  const again = outcome === undefined || outcome.kind === 'retry' ? undefined : outcome.again
  if (dueAt === undefined || again === undefined) return
  // One that was asked for ahead of its round leaves that where it is.
  const everyMs = again.everyMs ?? Math.round((again.at - dueAt) / (again.skipped + 1))
  const row = everyMs < 1 ? undefined : rowOf((core.rounds ??= []), everyMs, dueAt)
  if (row === undefined) return
  if (outcome && 'gone' in outcome) return
  row[2] += times
  row[4] += times * again.skipped
  if (again.skipped > 0) row[3] += times
}

/** The row of an interval, begun anew where a visit is due after its round. */
function rowOf(rows: RoundRow[], everyMs: number, dueAt: number): RoundRow | undefined {
  const at = rows.findIndex((each) => each[0] === everyMs)
  const row = rows[at]
  if (row !== undefined && dueAt < row[1] + everyMs) return row
  if (row === undefined && rows.length >= MAX_INTERVALS) return undefined
  return (rows[row === undefined ? rows.length : at] = [everyMs, Math.round(dueAt), 0, 0, 0])
}

/** The last round of each interval, over the hosts of a store; a host that has not come to it is due there, and late. */
export function lastRounds(rows: readonly RoundRow[]): StoredReport['rounds'] {
  return [...Map.groupBy(rows, ([everyMs]) => everyMs)].map(([everyMs, all]) => {
    const latest = all.reduce((most, [, begunAt]) => Math.max(most, begunAt), 0)
    const current = all.filter(([, begunAt]) => begunAt + everyMs > latest)
    const sum = (of: readonly RoundRow[], n: 2 | 3 | 4): number => of.reduce((count, row) => count + row[n], 0)
    const visited = sum(current, 2)
    const behind = sum(all, 2) - visited
    return {
      everyMs,
      begunAt: current.reduce((least, [, begunAt]) => Math.min(least, begunAt), latest),
      due: visited + sum(all, 4) + behind,
      visited,
      late: sum(current, 3) + behind,
    }
  })
}
