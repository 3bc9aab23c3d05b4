// Which pages of a store have links that wait for a budget, as reports have them.
import type { FrontierReader } from '../frontier-reader.ts'
import type { WaitingLinks } from '../report.ts'

/** Pages that are listed. */
export const MAX_WAITING_PAGES = 100

/**
 * Pages of which links wait until their host has earned more URLs, or a site more hosts: those found first, at most 100.
 *
 * @example
 * ```ts
 * const reader = memoryFrontier().reader
 * await waitingLinksOf(reader) // []
 * ```
 */
export async function waitingLinksOf(reader: FrontierReader): Promise<readonly WaitingLinks[]> {
  const pages = await reader.requests({ cut: true, limit: MAX_WAITING_PAGES })
  return pages.map(({ url, cut }) => ({ url, links: cut?.left ?? 0, budget: cut?.for ?? '' }))
}
