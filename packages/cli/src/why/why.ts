// `avocet why`: what becomes of a host or a URL, who holds it and until when, and what is known of it, from the store of a crawl.
import { formatDuration, parseUrl } from '@avocet/core/plugin'
import { groupOf, HIDDEN_VALUE, type RequestRecord } from '@avocet/core/store'
import { checkSeedUrl } from '@avocet/project/load'
import { commandLine, commandName, print, valuesInWords, writeDocument, type Place } from '@avocet/project/place'
import { configOfToday } from '@avocet/project/plan'
import { isCrawl, withReader } from '@avocet/project/store'
import { formatBytes, formatCount, formatCountOf, labelled, printable } from '@avocet/project/text'
import { loginLine } from '../store/failed-logins.ts'
import { knownHost } from '../store/known-host.ts'
import { closedLine, hostInWords, scopeSteps, statesInWords, whenInWords } from '../text/left-undone.ts'
import { limitsInWords } from '../text/orders-in-words.ts'
import { sinkLine } from '../text/sink-line.ts'
import { errorInWords, refusedInWords, ruleInWords } from '../text/store-words.ts'
import { MANY_CHANGES, urlVisits } from '../visits/request-visits.ts'
import { FEW_CHANGES, visitRows } from '../visits/visits-in-words.ts'
import { suspectRows } from './suspect.ts'
import { answerOf, hostKeyFor, type Answer } from './answer.ts'

/** What was typed. */
export interface WhyOptions {
  /** A host as `avocet hosts` lists it, or a URL. */
  readonly target: string
  readonly store?: string
  readonly configPath?: string
  readonly json: boolean
}

/** Prints the answer; with `json` one document. Throws AVO_USAGE for what the store does not know, AVO_SEED_INVALID, AVO_CONFIG_INVALID, AVO_FRONTIER_…. */
export async function whyCommand({ target, store, configPath, json }: WhyOptions, place: Place): Promise<void> {
  const { folder, stdout, clock } = place
  const config = await configOfToday(place, configPath)
  const url = target.includes('/') ? parseUrl(checkSeedUrl(target, 'why', config.secretParameters)) : undefined
  const crawl = url === undefined && isCrawl(folder, target) ? target : undefined
  await withReader(place, { store: store ?? crawl, configPath }, async (reader, storePath) => {
    const record = await knownHost(reader, url === undefined ? target.toLowerCase() : hostKeyFor(url, config), {
      ...(url !== undefined && { url }),
      ...(crawl !== undefined && { crawl }),
    })
    const now = clock.now()
    const answer = await answerOf({ reader, storePath, config, record, ...(url !== undefined && { url }), now })
    const bounds = json ? MANY_CHANGES : FEW_CHANGES
    const visits = answer.requests && { visits: await urlVisits(answer.requests, { reader, bounds, now }) }
    if (json) await writeDocument(stdout, { schema: 1, ...answer, ...visits })
    else await print(stdout, whyLines({ ...answer, ...visits }, store, folder))
  })
}

const row = labelled(17)

/** Lines, unfolded. `store`: as it was typed; paths of outputs are relative to `folder`. */
export function whyLines(answer: Answer, store?: string, folder?: string): string[] {
  return [
    ...urlLines(answer, store, folder),
    ...hostLines(answer),
    ...holdLines(answer),
    ...orderLines(answer),
    ...answer.failedLogins.map((login) => row('login', loginLine(login))),
    ...closedRows(answer, store),
    ...treatmentLines(answer),
    ...valueLines(answer),
    ...sinkLines(answer, folder),
  ]
}

function unknownLines(url: string, { closed, wouldBeRefused, maxDepth, refusedLinks = [] }: Answer): string[] {
  const isSure = wouldBeRefused !== undefined || closed.some(({ reason }) => reason === 'same-content')
  return [
    printable(url),
    row(
      'not in the store',
      isSure ? 'it would be refused' : 'no page led to it, what led to it was not followed, or it is a seed not offered yet',
    ),
    ...(wouldBeRefused === undefined ? [] : [row('refused', ruleInWords(wouldBeRefused))]),
    ...(maxDepth === undefined
      ? []
      : [row('or too deep', `more than ${formatCountOf(maxDepth, 'link')} from a seed (scope.maxDepth)`)]),
    ...(refusedLinks.length === 0 ? [] : [row('links to its host', `not followed: ${refusedInWords(refusedLinks)}`)]),
    '',
  ]
}

function urlLines(answer: Answer, store: string | undefined, folder = '/'): string[] {
  const { url, requests, visits = [], now, retiredFor } = answer
  if (url === undefined || requests === undefined) return []
  if (requests.length === 0) return unknownLines(url, answer)
  return requests.flatMap((request) => [
    printable(request.url),
    ...sessionRows(request),
    row('state', stateOfRequest(request, now, retiredFor !== undefined)),
    ...(request.asked === undefined ? [] : [row('asked for again', askedInWords(request.asked, now))]),
    ...missingRows(request, now),
    ...goneRows(request, store),
    ...secretRows(request),
    ...errorRows(request, folder),
    ...attemptRows(request),
    ...(request.fetchedAt === undefined ? [] : [row('last fetched', fetchedOf(request, now))]),
    ...(request.parent === undefined ? [] : [row('found on', printable(request.parent))]),
    ...(request.redirectedFrom === undefined ? [] : [row('redirected from', printable(request.redirectedFrom))]),
    ...heldRows(request, answer),
    ...visits.filter(({ requestId }) => requestId === request.id).flatMap((of) => visitRows(of).map((each) => row(...each))),
    '',
  ])
}

/** Requests of several sessions have one URL. */
function sessionRows({ session }: RequestRecord): string[] {
  return session === undefined ? [] : [row('session', printable(session))]
}

function stateOfRequest(request: RequestRecord, now: number, isGivenUp: boolean): string {
  return request.state === 'waiting' && isGivenUp ? 'waiting; its host is given up' : requestState(request, now)
}

function requestState({ state, reason, notBefore, target, blame }: RequestRecord, now: number): string {
  const why = reason === undefined ? '' : `: ${printable(reason)}`
  const again = notBefore === undefined ? '' : `, due again ${whenInWords(notBefore, now)}`
  if (state === 'moved') return `moved to ${printable(target ?? '?')}${again}`
  if (state === 'failed') return `failed${why}${blame === undefined ? '' : `, the fault of the ${blame}`}${again}`
  if (state === 'done') return `done${again}`
  if (notBefore !== undefined && notBefore > now) return `waiting, not for ${formatDuration(notBefore - now)}${why}`
  return `waiting${reason === undefined ? '' : `, put back once${why}`}`
}

function askedInWords({ at, by }: NonNullable<RequestRecord['asked']>, now: number): string {
  return `${formatDuration(Math.max(0, now - at))} ago, by ${by === undefined ? 'a seed' : `a link on ${printable(by)}`}`
}

function missingRows({ missing, notBefore }: RequestRecord, now: number): string[] {
  if (missing === undefined || notBefore === undefined) return []
  const visits = formatCountOf(missing.visits, 'visit')
  return [
    row('missing', `for ${formatDuration(Math.max(0, now - missing.since))}, ${visits} in a row; not yet believed to be gone`),
  ]
}

function goneRows(request: RequestRecord, store: string | undefined): string[] {
  if (request.gone !== true) return []
  const when = request.notBefore === undefined ? 'no more' : 'rarely'
  const retry = commandLine(['failed', 'retry', request.url, ...(store === undefined ? [] : [store])])
  return [row('gone', `missing in several visits in a row, so it is visited ${when}; to bring it back:`), `  ${retry}`]
}

/** How it comes to its secrets, which are in no store. */
function secretRows({ url, state, reason }: RequestRecord): string[] {
  if (state === 'failed' && reason === 'secret-unknown')
    return [
      row(
        'secret',
        'its value is not known in this run; each run tries anew, with what a seed gives or a page has handed out by then',
      ),
    ]
  if (state !== 'waiting' || !url.includes(HIDDEN_VALUE)) return []
  return [row('secret', 'the value that a seed gives, or a page of the same run has handed out')]
}

/** Of the last attempt; pages that failed alike have the message of one of them. */
function errorRows(request: RequestRecord, folder: string): string[] {
  const { handlerError } = request
  const error = errorInWords(request, folder)
  const isOther = handlerError !== undefined && !groupOf(handlerError).endsWith(handlerError.message)
  return error === undefined ? [] : [row('error', `${error}${isOther ? ', or the like' : ''}`)]
}

/** None of a page that is due again: they count anew. */
function attemptRows({ attempts, freeAttempts, fetchedAt }: RequestRecord): string[] {
  if (attempts + freeAttempts === 0 && fetchedAt !== undefined) return []
  return [
    row(
      'attempts',
      `${formatCount(attempts)}${freeAttempts === 0 ? '' : `, and ${formatCount(freeAttempts)} that did not count`}`,
    ),
  ]
}

/** Why its items are no items yet; of several reasons the last. */
function heldRows({ id }: RequestRecord, { heldItems = [], now }: Answer): string[] {
  const held = heldItems.filter(({ requestId }) => requestId === id)
  const [first, last] = [held[0], held.at(-1)]
  if (first === undefined || last === undefined) return []
  const time = formatDuration(Math.max(0, now - first.at))
  return [row('held', `${formatCountOf(held.length, 'item')}, for ${time}: ${printable(last.reason)}`)]
}

function fetchedOf({ fetchedAt = 0, status = 0, durationMs = 0, wireBytes = 0 }: RequestRecord, now: number): string {
  const what = status === 0 ? 'no answer' : `status ${status}`
  return `${formatDuration(now - fetchedAt)} ago: ${what} in ${formatDuration(durationMs)}, ${formatBytes(wireBytes)}`
}

function hostLines(answer: Answer): string[] {
  const { hostKey, retried, atMost, again, suspect, now } = answer
  return [
    printable(hostKey),
    row('state', hostInWords(answer, now)),
    row('pages', `${statesInWords(answer)}; ${formatCountOf(retried, 'retry', 'retries')}`),
    ...(again > 0 ? [row('due', `${formatCountOf(again, 'page')} to be visited again`)] : []),
    ...(suspect === undefined ? [] : suspectRows(suspect, now).map((each) => row(...each))),
    ...(atMost === null ? [] : [row('in flight', `at most ${formatCount(atMost)}`)]),
  ]
}

function holdLines({ holds, now }: Answer): string[] {
  if (holds.length === 0) return []
  const lines = holds.map(({ by, why, until }) => {
    const free = by === 'operator' ? 'until it is resumed' : 'until what is in flight has ended'
    const when = until === null ? free : until > now ? `for ${formatDuration(until - now)}` : 'now'
    return row(printable(by), `${when}: ${printable(why)}`)
  })
  return ['held by', ...lines]
}

/** A limit that is ordered holds no host by itself: it says why its pace is what it is. */
function orderLines({ orders: { limits, isCrawlPaused } }: Answer): string[] {
  return [
    ...(isCrawlPaused ? [row('paused', `the whole crawl, by an operator; ${commandName()} resume continues it`)] : []),
    ...(limits === undefined ? [] : [row('ordered', limitsInWords(limits))]),
  ]
}

function closedRows({ closed }: Answer, store: string | undefined): string[] {
  if (closed.length === 0) return []
  const steps = scopeSteps({ closedPatterns: closed }, store === undefined ? {} : { store })
  return ['closed', ...closed.map((each) => `  ${closedLine(each)}`), ...steps]
}

/** What was done is told apart from what a run would do now. */
function treatmentLines({ lastRun, policies, robots, now }: Answer): string[] {
  const unruled = robots === null ? 0 : robots.ignored + robots.without
  const all = unruled + (robots?.obeyed ?? 0)
  if (lastRun === null) return []
  const ago = `${formatDuration(Math.max(0, now - lastRun.lastAt))} ago`
  return [
    'policies',
    row('in the last run', `${printable(lastRun.policies)}; ${ago}, as ${printable(lastRun.userAgent)}`),
    ...(lastRun.policies === policies ? [] : [row('configured now', printable(policies))]),
    ...(unruled === 0 ? [] : [row('robots.txt', `not obeyed by ${formatCount(unruled)} of ${formatCountOf(all, 'request')}`)]),
  ]
}

function sinkLines({ sinks }: Answer, folder: string | undefined): string[] {
  return sinks.length === 0 ? [] : ['sinks of the crawl', ...sinks.map((sink) => `  ${sinkLine(sink, folder)}`)]
}

function valueLines({ values, now }: Answer): string[] {
  const lines = Object.entries(values)
    .filter(([, known]) => Object.keys(known).length > 0)
    .map(([name, known]) => row(printable(name), valuesInWords(known, now)))
  return lines.length === 0 ? [] : ['known', ...lines]
}
