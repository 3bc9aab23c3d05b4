// Patterns of URLs that are closed at hosts of a store, and budgets that were met there.
import type { Plugin } from '@avocet/core'
import type { HostRecord } from '@avocet/core/store'
import { coreMemory, type StoredReport } from '@avocet/core/tools'

type ClosedPattern = StoredReport['closedPatterns'][number]

/** Budgets that a host has met, and patterns that plugins closed there, but for those that were `accepted`; with `url`, only those that it is of. */
export function closedAtRest(
  { hostKey, memory }: Pick<HostRecord, 'hostKey' | 'memory'>,
  findings: readonly NonNullable<Plugin['findings']>[],
  { accepted, url }: { readonly accepted: ReadonlySet<string>; readonly url?: string | undefined },
): readonly ClosedPattern[] {
  const { met = [] } = coreMemory.ofHost(memory)
  const own = url === undefined ? met : met.filter(({ reason }) => reason === 'new-urls')
  return [...own, ...findings.flatMap((each) => each.closed?.(memory, url) ?? [])]
    .map((closed) => ({ ...closed, pattern: closed.pattern.startsWith('/') ? hostKey + closed.pattern : closed.pattern }))
    .filter(({ pattern }) => !accepted.has(pattern))
}

const MOST_LISTED = 100

/** Patterns of all hosts, for reports: those of host names joined, for many hosts link to them; the most refused first, at most 100. */
export function mostRefused(all: readonly ClosedPattern[]): readonly ClosedPattern[] {
  const joined = new Map<string, ClosedPattern>()
  for (const closed of all) {
    const { pages, refused, since } = joined.get(closed.pattern) ?? { pages: 0, refused: 0, since: Infinity }
    const sum = { pages: pages + closed.pages, refused: refused + closed.refused, since: Math.min(since, closed.since) }
    joined.set(closed.pattern, { ...closed, ...sum })
  }
  return [...joined.values()].sort((a, b) => b.refused - a.refused || (a.pattern < b.pattern ? -1 : 1)).slice(0, MOST_LISTED)
}
