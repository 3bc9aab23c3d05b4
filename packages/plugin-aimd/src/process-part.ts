// Which part of a limit a process may take: that of its hosts, among the hosts of all processes that crawl the store. Pure.
//
// Each process counts its hosts every few seconds, in its memory of the crawl, and reads what the others have counted. All divide by the same sum, so the
// parts come to one, but for what has changed since; one that was never heard of counts as one host. Rejected: even parts, with which each host of a process
// that has many gets less (bench/platform, two processes: Jain 0.83).

/** What a process has counted. */
export interface HostCount {
  readonly hosts: number
  /** Epoch ms. */
  readonly countedAt: number
}

/** A process that has not counted for so long is gone. */
const FRESH_MS = 15_000

/** From 0 to 1. `own`: hosts of this process. `counts`: of all, with its own. */
export function processPart(
  own: number,
  counts: readonly HostCount[],
  { now, processes }: { readonly now: number; readonly processes: number },
): number {
  const fresh = counts.filter(({ countedAt }) => now - countedAt <= FRESH_MS)
  const unheard = Math.max(0, processes - fresh.length)
  const all = fresh.reduce((sum, { hosts }) => sum + hosts, unheard)
  return own / Math.max(all, own + processes - 1)
}
