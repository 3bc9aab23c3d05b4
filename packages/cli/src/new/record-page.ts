// The page that `avocet new spider` writes the first test for: fetched once, as `avocet fetch` does, or why there is none.
import { AvocetError, type Page, type Response } from '@avocet/core'
import { formatBytes } from '@avocet/core/tools'
import { visitSession, type VisitSession } from '../fetch/visit-session.ts'
import type { VisitWish } from '../fetch/visit-flags.ts'
import type { Place } from '../place.ts'
import { printable } from '../text/printable.ts'
import { withoutValues } from '../text/secrets.ts'

/** It goes into the repository of the project. */
const MAX_BYTES = 2 * 2 ** 20

/** What goes into files of the project: nothing in it is a secret. */
export interface Recorded {
  /** The URL that was asked for. */
  readonly seed: string
  /** A page and its answer, or in one line what came instead of it. */
  readonly found: { readonly page: Page; readonly kept: Pick<Response, 'headers' | 'body'> } | { readonly problem: string }
}

/** Fetches `url`. Only an HTML page that a handler would get is recorded. */
export async function pageToRecord(url: string, wish: VisitWish, place: Place): Promise<Recorded> {
  // What the configuration adds is known once it can be read.
  let secret = wish.crawl.config.secretParameters
  const recorded = (found: Recorded['found']): Recorded => ({ seed: withoutValues(url, secret), found })
  try {
    const session = await visitSession({ ...wish, refetch: true }, place)
    secret = session.config.secretParameters
    try {
      return recorded(found(await session.fetch(url)))
    } finally {
      await session.close()
    }
  } catch (error) {
    if (!(error instanceof AvocetError)) throw error
    return recorded({ problem: printable(error.message) })
  }
}

function found({ page, kept, report }: Awaited<ReturnType<VisitSession['fetch']>>): Recorded['found'] {
  if (report.problem !== undefined || page === undefined) return { problem: report.problem ?? 'expected an answer, got none' }
  if (!page.isHtml) return { problem: `expected an HTML page, got ${printable(page.contentType)}` }
  const { byteLength } = page.response.body
  if (byteLength > MAX_BYTES)
    return { problem: `expected a page of at most ${formatBytes(MAX_BYTES)}, got ${formatBytes(byteLength)}` }
  return kept === undefined
    ? { problem: 'expected a page that can be searched for secrets, got UTF-16 or the like' }
    : { page, kept }
}
