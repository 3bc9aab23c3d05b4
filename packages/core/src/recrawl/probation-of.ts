// Which pages of a store are on probation, as reports have them.
import type { FrontierReader, RequestRecord } from '../frontier-reader.ts'
import type { PageOnProbation, Probation } from '../report.ts'

const MAX_PAGES = 100

/**
 * Pages that are missing and not yet believed to be gone, those missing longest first, at most 100.
 *
 * @example
 * ```ts
 * const reader = memoryFrontier().reader
 * await probationOf(reader) // { pages: 0, requests: [] }
 * ```
 */
export async function probationOf(reader: FrontierReader): Promise<Probation> {
  const { pages, requests } = await reader.probation({ limit: MAX_PAGES })
  return { pages, requests: requests.map(pageOnProbation) }
}

function pageOnProbation({ url, reason, target, status = 0, notBefore = 0, missing }: RequestRecord): PageOnProbation {
  const { since, visits } = missing ?? { since: 0, visits: 0 }
  const why = target === undefined ? (reason ?? 'not asked for since') : `moved to ${target}`
  return { url, why, status, since, visits, nextAt: notBefore }
}
