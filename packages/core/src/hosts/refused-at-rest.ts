// Links that were not followed, from the memory of the hosts of a store: only hosts that have any are read.
import type { FrontierReader } from '../frontier-reader.ts'
import { RefusedLinks } from './refused-links.ts'

/** Core's own part of the memory of a host, and what it has in it if there are any. */
const PART = 'core'
const FIELD = '"refused":'
/** Half a kilobyte each. */
const PAGE = 10_000

/**
 * Links that were not followed, of all pages that `reader` knows. `hostKey`: those that led to this host, as far as they are counted by host, at least.
 *
 * Throws AVO_FRONTIER_CORRUPT.
 *
 * @example
 * ```ts
 * const { byRule } = await refusedLinksOf(memoryFrontier().reader) // []
 * ```
 */
export async function refusedLinksOf(reader: Pick<FrontierReader, 'memories'>, hostKey?: string): Promise<RefusedLinks> {
  const refused = new RefusedLinks()
  const mentioning = hostKey === undefined ? FIELD : JSON.stringify(hostKey)
  for (let after: string | undefined; ;) {
    const page = await reader.memories({ part: PART, mentioning, limit: PAGE, ...(after !== undefined && { after }) })
    for (const core of page.texts) refused.addOf({ core })
    if (page.next === undefined) return refused
    after = page.next
  }
}
