// The page that `avocet new spider` writes the first test for: fetched once, as `avocet fetch` does, or why there is none.
import { AvocetError, type Page } from '@avocet/core'
import { formatBytes } from '@avocet/core/tools'
import { visitSession } from '../fetch/visit-session.ts'
import type { VisitWish } from '../fetch/visit-flags.ts'
import type { Place } from '../place.ts'
import { printable } from '../text/printable.ts'

/** It goes into the repository of the project. */
const MAX_BYTES = 2 * 2 ** 20

/** A page, or in one line what came instead of it. */
type Recorded = { readonly page: Page } | { readonly problem: string }

/** Fetches `url`. Only an HTML page that a handler would get is recorded. */
export async function pageToRecord(url: string, wish: VisitWish, place: Place): Promise<Recorded> {
  try {
    const session = await visitSession({ ...wish, refetch: true }, place)
    try {
      const { page, report } = await session.fetch(url)
      if (report.problem !== undefined || page === undefined) return { problem: report.problem ?? 'expected an answer, got none' }
      const { contentType, response, isHtml } = page
      if (!isHtml) return { problem: `expected an HTML page, got ${printable(contentType)}` }
      if (response.body.byteLength <= MAX_BYTES) return { page }
      return { problem: `expected a page of at most ${formatBytes(MAX_BYTES)}, got ${formatBytes(response.body.byteLength)}` }
    } finally {
      await session.close()
    }
  } catch (error) {
    if (!(error instanceof AvocetError)) throw error
    return { problem: printable(error.message) }
  }
}
