// What the visits of a URL brought: of each of its requests, for one a handler, a method, a body and a session may be of the same URL.
import type { FrontierReader, RequestRecord } from '@avocet/core/store'
import { requestVisits, type RequestVisits } from './request-visits.ts'
import type { LineBounds } from './visit-lines.ts'
import { VisitMoments } from './visit-moments.ts'

/** More requests of one URL are forms, or pages of sessions: those that were fetched last are looked at. */
const MAX_REQUESTS = 8

/** As many changes as somebody looks through. */
export const MANY_CHANGES: LineBounds = { changes: 50, fields: 400 }

/** What is read, and how much is wanted. */
interface UrlVisitsWish {
  readonly reader: FrontierReader
  readonly bounds: LineBounds
  /** Epoch ms. */
  readonly now: number
}

/** Those that were visited, the one that was fetched last first. */
export async function urlVisits(
  requests: readonly RequestRecord[],
  { reader, bounds, now }: UrlVisitsWish,
): Promise<readonly RequestVisits[]> {
  const fetched = requests.filter(({ fetchedAt }) => fetchedAt !== undefined)
  const latest = fetched.toSorted((a, b) => (b.fetchedAt ?? 0) - (a.fetchedAt ?? 0)).slice(0, MAX_REQUESTS)
  const moments = new VisitMoments(reader, now)
  const all: RequestVisits[] = []
  for (const request of latest) all.push(await requestVisits(request, { reader, bounds, moments }))
  return all.filter(({ visits }) => visits > 0)
}
