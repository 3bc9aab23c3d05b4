// URLs, as a page shows them: what `avocet why` says of one and the pages that led to it, and those that were given up.
import { AvocetError } from '@avocet/core'
import { parseUrl } from '@avocet/core/plugin'
import type { FrontierReader, RequestRecord } from '@avocet/core/store'
import type { FailuresPicture, UrlPicture } from '@avocet/dashboard'
import { checkSeedUrl } from '@avocet/project/load'
import { DEAD_LETTERS, deadLetterClassOf, type DeadLetterClass } from '@avocet/project/store'
import { CLASSES, countsByClass, HEALING, retiredHosts } from '../store/dead-letters.ts'
import { handlerErrorText } from '../text/store-words.ts'
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
  const [record] = await reader.hosts({ hostKey: hostKeyFor(url, config) })
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
  reader: Pick<FrontierReader, 'requests'>,
  first: { readonly parent?: string; readonly redirectedFrom?: string; readonly anchorText?: string },
): Promise<UrlPicture['parents']> {
  const parents: { readonly url: string; readonly anchorText: string | null }[] = []
  const seen = new Set<string>()
  for (let at: typeof first | undefined = first; at !== undefined && parents.length < MAX_PARENTS;) {
    const url: string | undefined = at.parent ?? at.redirectedFrom
    if (url === undefined || seen.has(url)) break
    seen.add(url)
    parents.push({ url, anchorText: at.anchorText ?? null })
    ;[at] = await reader.requests({ url, limit: 1 })
  }
  return parents
}

// Pages that were given up, by class with the reasons of each and a few samples: what `avocet failed list` says, for a page.

const MAX_SAMPLES = 20

/** Reasons of a class that samples are taken from. */
const SAMPLED_REASONS = 10

/** All of them. Paths of files are told from `folder`. */
export async function givenUpPages(reader: FrontierReader, folder: string): Promise<FailuresPicture> {
  const counts = await countsByClass(reader)
  const reasons = await reader.failures()
  const classes: FailuresPicture['classes'][number][] = []
  for (const name of CLASSES) {
    const count = counts.get(name)
    if (count === undefined) continue
    const own = reasons.filter(({ reason }) => deadLetterClassOf(reason) === name)
    const samples = await samplesOf(reader, name, own)
    classes.push({
      ...{ name, means: DEAD_LETTERS[name], count, heals: HEALING.includes(name), isDropped: name === 'dropped' },
      reasons: own.slice(0, MAX_SAMPLES).map(({ reason, count: times }) => ({ name: reason, count: times })),
      samples: samples.map(pageLine),
    })
  }
  const { handlerErrors } = await reader.problems()
  return {
    classes,
    handlerErrors: handlerErrors.slice(0, MAX_SAMPLES).map((group) => ({
      message: handlerErrorText(group, folder),
      count: group.count,
      url: group.url,
    })),
  }
}

/** A few of each reason; of hosts that were given up what waits there. */
async function samplesOf(
  reader: FrontierReader,
  name: DeadLetterClass,
  reasons: Awaited<ReturnType<FrontierReader['failures']>>,
): Promise<readonly RequestRecord[]> {
  const sampled = reasons.slice(0, SAMPLED_REASONS)
  const each = Math.max(1, Math.floor(MAX_SAMPLES / Math.max(1, sampled.length)))
  const found: RequestRecord[] = []
  for (const { reason } of sampled) {
    found.push(...(await reader.requests({ state: 'failed', reason, limit: each })))
  }
  if (name !== 'host-dead') return found
  for await (const { hostKey } of retiredHosts(reader)) {
    if (found.length >= MAX_SAMPLES) break
    found.push(...(await reader.requests({ state: 'waiting', hostKey, limit: 2 })))
  }
  return found
}
