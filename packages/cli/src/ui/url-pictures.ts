// One URL, as a page shows it: what `avocet why` says of it, and the pages that led to it.
import type { UrlPicture } from '@avocet/dashboard'
import { AvocetError } from '@avocet/core'
import type { FrontierReader, RequestRecord } from '@avocet/core/store'
import { parseUrl } from '@avocet/core/plugin'
import { checkSeedUrl } from '@avocet/project/load'
import { MANY_CHANGES, urlVisits } from '../visits/request-visits.ts'
import { answerOf, hostKeyFor, type Question } from '../why/answer.ts'
import { whyLines } from '../why/why.ts'
import { pageLine } from './host-pictures.ts'

/** A longer way from a seed is cut; also one that goes round. */
const MAX_PARENTS = 30

/** What a URL is asked with. */
type UrlQuestion = Omit<Question, 'record' | 'url'> & { readonly url: string; readonly folder: string }

/** The picture of a URL; also of one that is none, or that the crawl does not know. */
export async function urlPicture({ url: typed, folder, ...question }: UrlQuestion): Promise<UrlPicture> {
  const { reader, config } = question
  const url = readUrl(typed)
  if (url instanceof AvocetError) return unknown(typed, url.message)
  const record = await reader.host(hostKeyFor(url, config))
  if (record === undefined) return unknown(url, 'its host is not in the store')
  const answer = await answerOf({ ...question, record, url })
  const [first] = answer.requests ?? []
  return {
    url: answer.url ?? url,
    hostKey: record.hostKey,
    story: whyLines(answer, question.storePath, folder),
    requests: (answer.requests ?? []).map(pageLine),
    parents: first === undefined ? [] : await parentsOf(reader, first),
    visits: await visitPictures(answer.requests ?? [], question),
  }
}

function readUrl(typed: string): string | AvocetError {
  try {
    return parseUrl(checkSeedUrl(typed, 'ui')) ?? typed
  } catch (error) {
    if (error instanceof AvocetError) return error
    throw error
  }
}

function unknown(url: string, why: string): UrlPicture {
  return { url, hostKey: null, story: [url, why], requests: [], parents: [], visits: [] }
}

/** What the visits of its requests brought, each with what tells it from the others. */
async function visitPictures(
  requests: readonly RequestRecord[],
  { reader, now }: Pick<UrlQuestion, 'reader' | 'now'>,
): Promise<UrlPicture['visits']> {
  const visits = await urlVisits(requests, { reader, bounds: MANY_CHANGES, now })
  const names = new Map(requests.map((request) => [request.id, requestName(request)]))
  return visits.map((of) => ({ ...of, name: names.get(of.requestId) ?? '' }))
}

function requestName({ method = 'GET', handler, session }: RequestRecord): string {
  return `${method} ${handler}${session === undefined ? '' : ` in session ${session}`}`
}

/** From the page itself back to a seed. */
async function parentsOf(
  reader: Pick<FrontierReader, 'history'>,
  first: { readonly parent?: string; readonly redirectedFrom?: string; readonly anchorText?: string },
): Promise<UrlPicture['parents']> {
  const parents: { readonly url: string; readonly anchorText: string | null }[] = []
  const seen = new Set<string>()
  for (let at: typeof first | undefined = first; at !== undefined && parents.length < MAX_PARENTS;) {
    const url: string | undefined = at.parent ?? at.redirectedFrom
    if (url === undefined || seen.has(url)) break
    seen.add(url)
    parents.push({ url, anchorText: at.anchorText ?? null })
    at = (await reader.history(url))[0]
  }
  return parents
}
