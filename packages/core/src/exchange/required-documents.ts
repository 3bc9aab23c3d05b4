// What a plugin must see before anything else is requested from a host (robots.txt, the pages of a login): exchanges of the crawl's own, in RAM only, known to
// no frontier, seen by no handler. They go ahead of the host's queue, and take a slot, a pace, a breaker and timeouts of the host like any exchange.
//
// Redirects are followed here, at most five, and count for the host that was asked (RFC 9309 §2.3.1.2): the one exception to "a redirect is a discovery". Each
// hop is an exchange of its own, booked at the host that requires it, also where it leads to another host. A thousand hosts may have their robots.txt in one
// place: such a place gets one of these requests at a time, a second apart, and none for a minute, or its Retry-After, after one that failed. Who would wait
// there for more than 30 s gets a failure instead, and knows when to ask again.
import { guardedSync } from '../hooks/hooks.ts'
import { AddedUrls } from '../discovery/added-urls.ts'
import type { Discoveries } from '../discovery/discovery.ts'
import { failure, type Failure } from '../ports/failure.ts'
import { lowerCased } from '../values/header-names.ts'
import { locationOf, hostKeyOf } from '../url/host-key.ts'
import type { Request } from '../ports/request.ts'
import { isRedirect, type Response } from '../ports/response.ts'
import { COST } from '../process/loop-budget.ts'
import { retryAfterAt } from '../laws/retry-after.ts'
import { type Run, chanceOf } from '../run/run.ts'
import type { LiveHost } from '../hosts/live-host.ts'
import { parseUrl } from '../url/parse-url.ts'
import type { Window } from '../scheduler/window.ts'
import { hiddenTargetOf, afterRedirect, withHiddenParts, withoutUrl, type HiddenParts } from './hidden-parts.ts'
import type { ExchangeEnd, LiveExchange } from './live-exchange.ts'
import { requiredRequest } from '../hosts/request-of.ts'
import type { Commits } from '../run/commits.ts'
import { memoryOnly } from '../run/pending-unit.ts'
import type { RequiredDocument, RequiredPage, Requirement } from '../ports/document-handler.ts'

const MAX_HOPS = 5
/** URLs that plugins may add when they see one document: robots.txt files name tens of sitemaps. */
const MAX_ADDED = 1_000

/** Between two requests to a place that hosts were led to. */
const APART_MS = 1_000
/** After trouble there. */
const TROUBLE_MS = 60_000
const LONGEST_WAIT_MS = 30_000
/** Places, and hosts with a document in progress, that are remembered. */
const MAX_PLACES = 10_000

/** How long a host rests after a plugin threw instead of taking its document, or required so many in as long: it may go on for ever. */
const REST_MS = 600_000
/** With none of the host's requests between: more than a login has steps. */
const MAX_IN_ROW = 10

/** What is in progress for one host. */
interface Wanted extends Requirement {
  /** What is sent next, where the redirects have led. */
  sent: HiddenParts
  /** The URLs before it. */
  readonly way: string[]
  /** So often it was put off. */
  putOffs: number
}

/** What requests them, and keeps what they taught. */
export interface RequiredParts {
  readonly window: Window
  readonly commits: Commits
  readonly discoveries: Discoveries
}

/** Fetches what plugins require. */
export class RequiredDocuments {
  /** By host: one that is given back between two hops, for it must wait, goes on when it is leased again. */
  readonly #wanted = new Map<string, Wanted>()
  /** Epoch ms from which a host may be asked again on behalf of others. */
  readonly #freeAt = new Map<string, number>()
  readonly #run: Run
  readonly #parts: RequiredParts

  constructor(run: Run, parts: RequiredParts) {
    this.#run = run
    this.#parts = parts
  }

  /** What is to be requested for `requirement`, or where its redirects have led; undefined where that cannot be requested now. */
  wanted(host: LiveHost, requirement: Requirement): Request | undefined {
    const { url, own, takers } = requirement
    const before = this.#wanted.get(host.key)
    const isSame = before?.url === url && (before.own === undefined) === (own === undefined)
    const wanted = isSame ? { ...before, takers } : { ...requirement, sent: this.#sentFor(requirement), way: [], putOffs: 0 }
    if (this.#wanted.size >= MAX_PLACES) this.#wanted.clear()
    this.#wanted.set(host.key, wanted)
    const request = this.#requestFor(host, wanted)
    const { hostKey, shownUrl = request.url } = request
    const refusal = own && this.#parts.discoveries.documentRefusal(request.url)
    if (refusal !== undefined) {
      const message = `it leads to ${shownUrl}, which the scope refuses (${refusal})`
      this.#finish(host, wanted, { result: failure('AVO_REDIRECT_TARGET', message), request })
      return undefined
    }
    if (hostKey !== host.key && !this.#mayAsk(host, wanted, request)) return undefined
    host.requiring = true
    return request
  }

  /** Whether the host of `request` may be asked on behalf of `owner`, which waits or fails otherwise. */
  #mayAsk(owner: LiveHost, wanted: Wanted, request: Request): boolean {
    const now = this.#now
    const { hostKey, shownUrl = request.url } = request
    const freeAt = this.#freeAt.get(hostKey) ?? 0
    if (freeAt > now + LONGEST_WAIT_MS) {
      const message = `${shownUrl} is on ${hostKey}, which cannot be requested now`
      this.#finish(owner, wanted, { result: failure('AVO_REQUIRED_ELSEWHERE', message), request })
    } else if (freeAt > now)
      owner.rest = { until: now + APART_MS, why: `needs ${shownUrl}, whose host is asked for others as well` }
    else this.#keep(hostKey, now + LONGEST_WAIT_MS)
    return freeAt <= now
  }

  #keep(place: string, freeAt: number): void {
    if (this.#freeAt.size >= MAX_PLACES) this.#freeAt.clear()
    this.#freeAt.set(place, freeAt)
  }

  /**
   * Takes the result of an exchange. The caller places its host. Who needs it reads it in one go: megabytes do not all have the same turn of the event loop.
   */
  ended({ host, request }: LiveExchange, result: Response | Failure): void {
    const { loop } = this.#run.settings
    const cost = 'body' in result ? COST.required * result.body.byteLength : 0
    if (loop.take(cost)) return this.#take(host, request, result)
    void this.#run.besides.begin(async () => {
      await loop.room(cost)
      this.#take(host, request, result)
      this.#parts.window.changed(host)
    })
  }

  /** An exchange was not sent: the plugin still requires it, so its host asks again, or waits until a plugin lets it go. */
  unsent({ host, request }: LiveExchange, end: ExchangeEnd): void {
    host.requiring = false
    if (request.hostKey !== host.key) this.#freeAt.delete(request.hostKey)
    const wanted = this.#wanted.get(host.key)
    if (wanted === undefined || end.kind !== 'put-off' || end.verdict.kind !== 'retry') return
    const { at: until, reason: why } = end.verdict
    wanted.putOffs++
    // What only some requests of the host wait for does not hold the others.
    if (wanted.own) this.#finish(host, wanted, { result: failure('AVO_REQUIRED_ELSEWHERE', `it was put off (${why})`), request })
    else if (until > host.rest.until) host.rest = { until, why }
  }

  /** Takes what `request` came to on behalf of `owner`. */
  #take(owner: LiveHost, request: Request, result: Response | Failure): void {
    owner.requiring = false
    if (request.hostKey !== owner.key) this.#keep(request.hostKey, freeAfter(result, this.#now))
    const wanted = this.#wanted.get(owner.key)
    if (wanted === undefined) return
    if (!('status' in result) || !isRedirect(result)) return this.#finish(owner, wanted, { result, request })
    const target = wanted.own ? hiddenTargetOf(request) : parseUrl(locationOf(result.headers), request.url)
    const fail = (code: 'AVO_REDIRECT_TARGET' | 'AVO_REDIRECT_LIMIT', message: string): void =>
      this.#finish(owner, wanted, { result: failure(code, message, { sent: true }), request })
    if (target === undefined)
      return fail('AVO_REDIRECT_TARGET', 'the redirect leads to something that is not an http(s) URL of at most 8,000 bytes')
    if (wanted.way.push(wanted.sent.url) > MAX_HOPS) return fail('AVO_REDIRECT_LIMIT', `more than ${MAX_HOPS} redirects`)
    wanted.sent = afterRedirect(wanted.sent, target, result.status)
  }

  #finish(owner: LiveHost, wanted: Wanted, came: { result: Response | Failure; request: Request }): void {
    this.#wanted.delete(owner.key)
    // Given back meanwhile: its new holder requests it for itself.
    if (owner.live) this.#done(owner, wanted, came)
  }

  /** The document, or why there is none, for the plugins that required it. What they add is committed with what they remember. */
  #done(host: LiveHost, wanted: Wanted, { result, request }: { result: Response | Failure; request: Request }): void {
    const { stations, settings } = this.#run
    const { codec, randomSeed } = settings
    const { url, own, takers } = wanted
    const now = this.#now
    const chance = chanceOf(`${randomSeed}\n${host.key}\n${String(host.seq)}\nrequired`)
    const answer =
      'status' in result
        ? ({ kind: 'answered', response: codec.current.answer(result, url, 'document') } as const)
        : ({ kind: 'failed', failure: result } as const)
    const page = own && 'status' in result ? { page: this.#pageOf(wanted, request, result) } : {}
    const added = new AddedUrls(this.#run, MAX_ADDED)
    const { caught } = stations
    for (const name of [...takers.keys()].sort()) {
      const document: RequiredDocument = { host, url, now, chance, result: answer, ...page, add: (seed) => added.add(seed) }
      guardedSync(stations, 'require', { name, fn: () => takers.get(name)?.(document) })(document)
    }
    added.close()
    if (stations.caught > caught)
      host.rest = { until: now + REST_MS, why: 'a plugin threw when it was given the document that it requires' }
    else this.#count(host, takers, now)
    const commit = (): void => {
      if (host.live) this.#parts.commits.add({ ...memoryOnly(host), links: added.requests(this.#parts.discoveries) })
    }
    if (added.seeds.some(({ seed }) => codec.isMissingFor(seed))) void codec.load().then(commit, this.#run.fail)
    else commit()
  }

  /** Counts a document that `takers` took, and has the host rest where they were too many in a row. */
  #count(host: LiveHost, takers: Requirement['takers'], now: number): void {
    if (host.documentsInRow++ === 0) host.documentsSince = now
    if (host.documentsInRow < MAX_IN_ROW) return
    host.documentsInRow = 0
    if (now - host.documentsSince >= REST_MS) return
    const name = [...takers.keys()].toSorted().join()
    const why = `plugin ${name} required ${MAX_IN_ROW} documents of ${host.key} in a row`
    host.rest = { until: now + REST_MS, why }
    this.#run.stations.fault(`${why}, with no page between: the host rests for ten minutes`, `required by ${name}`)
  }

  #pageOf({ sent, way }: Wanted, request: Request, response: Response): RequiredPage {
    const { pages, codec } = this.#run.settings
    const { shownUrl = request.url } = request
    const page = pages.part({ request: { ...request, url: sent.url }, response, fetchedAt: this.#now })
    return { page, shownUrl, way: [...way, sent.url], shown: (text) => codec.text(withoutUrl(text, sent.url, shownUrl)) }
  }

  #sentFor({ url, own }: Requirement): HiddenParts {
    const codec = this.#run.settings.codec.current
    if (own) {
      const { method = 'GET', headers = {}, body } = own
      return { url, method: method.toUpperCase(), body, fields: codec.fields(lowerCased(headers), { url, identity: undefined }) }
    }
    const parsed = parseUrl(url) ?? url
    return { url: codec.url(parsed, parsed), method: 'GET', body: undefined, fields: {} }
  }

  /** A document goes through the proxy of the session of the next request, so that the site sees one address; once put off, of the session after it. */
  #requestFor({ queue }: LiveHost, { sent, own, way, takers, putOffs }: Wanted): Request {
    // Without content codings a document of any size can be cut where it is enough.
    const headers = { 'accept-encoding': 'identity' }
    const request = {
      ...requiredRequest(sent.url, hostKeyOf(sent.url, this.#run.settings.hostKeying)),
      headers,
      hops: way.length,
    }
    if (own === undefined) {
      const sessions = queue.sessions()
      const proxySession = sessions[putOffs % sessions.length]
      return { ...request, ...(proxySession !== undefined && { proxySession }) }
    }
    const { session, known } = own
    const [last] = way.slice(-1)
    return withHiddenParts(
      {
        ...{ ...request, handler: `(${[...takers.keys()].join()})` },
        ...(session !== undefined && { session }),
        ...(last !== undefined && { redirectedFrom: new URL(last).origin + '/' }),
      },
      sent,
      { known, isLed: last !== undefined },
    )
  }

  get #now(): number {
    return this.#run.settings.clock.now()
  }
}

/** From when a place may be asked again that answered so, epoch ms. */
function freeAfter(result: Response | Failure, now: number): number {
  if (!('status' in result)) return now + TROUBLE_MS
  const isTrouble = result.status >= 500 || result.status === 429
  return isTrouble ? Math.max(now + TROUBLE_MS, retryAfterAt(result.headers, now) ?? 0) : now + APART_MS
}
