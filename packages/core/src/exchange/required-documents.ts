// Documents that a plugin must see before anything else is requested from a host (robots.txt): exchanges of the crawl's own, ahead of the host's queue.
//
// Redirects are followed here, at most five, and count for the host that was asked (RFC 9309 §2.3.1.2): the one exception to "a redirect is a discovery". Each
// hop is an exchange of its own, booked at the host that requires the document, also where it leads to another host. A thousand hosts may have their robots.txt
// in one place: such a place gets one of these requests at a time, a second apart, and none for a minute, or its Retry-After, after one that failed. Who would
// wait there for more than 30 s gets a failure instead, and knows when to ask again.
import { guardedSync } from '../hooks/hooks.ts'
import { AddedUrls } from '../discovery/added-urls.ts'
import type { Discoveries } from '../discovery/discovery.ts'
import { AvocetError } from '../values/errors.ts'
import { failure, type Failure } from '../ports/failure.ts'
import { locationOf, hostKeyOf } from '../url/host-key.ts'
import type { Request } from '../ports/request.ts'
import { isRedirect, type Response } from '../ports/response.ts'
import { retryAfterAt } from '../laws/retry-after.ts'
import { type Run, chanceOf } from '../run/run.ts'
import { shown } from '../values/shown.ts'
import type { LiveHost } from '../hosts/live-host.ts'
import { parseUrl } from '../url/parse-url.ts'
import type { OwnExchanges, OwnRequest } from './own-exchanges.ts'
import { requiredRequest } from '../hosts/request-of.ts'
import type { Commits } from '../store/commits.ts'
import { memoryOnly } from '../store/pending-unit.ts'
import type { RequiredDocument, Requirement } from '../ports/document-handler.ts'

const MAX_HOPS = 5
/** URLs that plugins may add when they see one document: robots.txt files name tens of sitemaps. */
const MAX_ADDED = 1_000

/** Between two requests to a place that hosts were led to. */
const APART_MS = 1_000
/** After trouble there. */
const TROUBLE_MS = 60_000
const LONGEST_WAIT_MS = 30_000
/** Places that are remembered. */
const MAX_PLACES = 10_000

/** How long a host rests after a plugin threw instead of taking its document, which it may require again at once, for ever. */
const THREW_MS = 600_000

/** What is in progress for one host. */
interface Wanted extends Requirement {
  /** Where the redirects led so far. */
  at: string
  hops: number
  /** So often it was put off. */
  putOffs: number
}

/** What requests them, and keeps what they taught. */
export interface RequiredParts {
  readonly own: Pick<OwnExchanges, 'begins'>
  readonly commits: Commits
  readonly discoveries: Discoveries
}

/** Fetches what plugins require. */
export class RequiredDocuments {
  readonly #wanted = new WeakMap<LiveHost, Wanted>()
  /** Epoch ms from which a host may be asked again on behalf of others. */
  readonly #freeAt = new Map<string, number>()
  readonly #run: Run
  readonly #parts: RequiredParts

  constructor(run: Run, parts: RequiredParts) {
    this.#run = run
    this.#parts = parts
  }

  /** What is to be requested for the document at `url`, or where its redirects have led; undefined where that cannot be requested now. */
  wanted(host: LiveHost, { url, takers }: Requirement): Request | undefined {
    const parsed = parseUrl(url)
    if (parsed === undefined)
      throw new AvocetError('AVO_PLUGIN_INVALID', `expected an http(s) URL in require(), got ${shown(url)}`)
    const before = this.#wanted.get(host)
    const at = this.#run.settings.codec.current.url(parsed, parsed)
    const wanted = before?.url === url ? { ...before, takers } : { url, takers, at, hops: 0, putOffs: 0 }
    this.#wanted.set(host, wanted)
    const request = this.#requestFor(host, wanted)
    if (request.hostKey !== host.key && !this.#mayAsk(host, wanted, request.hostKey)) return undefined
    host.requiring = true
    this.#parts.own.begins(request, this.#asOwn(host, request))
    return request
  }

  /** Whether `place` may be asked on behalf of `owner`, which waits or fails otherwise. */
  #mayAsk(owner: LiveHost, wanted: Wanted, place: string): boolean {
    const now = this.#now
    const freeAt = this.#freeAt.get(place) ?? 0
    if (freeAt > now + LONGEST_WAIT_MS) {
      const message = `${wanted.at} is on ${place}, which cannot be requested now`
      this.#finish(owner, wanted, failure('AVO_REQUIRED_ELSEWHERE', message))
    } else if (freeAt > now)
      owner.rest = { until: now + APART_MS, why: `needs ${wanted.at}, whose host is asked for others as well` }
    else this.#keep(place, now + LONGEST_WAIT_MS)
    return freeAt <= now
  }

  #keep(place: string, freeAt: number): void {
    if (this.#freeAt.size >= MAX_PLACES) this.#freeAt.clear()
    this.#freeAt.set(place, freeAt)
  }

  /** `request`, which is for `owner`. */
  #asOwn(owner: LiveHost, { url, hostKey }: Request): OwnRequest {
    return {
      ended: (result) => {
        owner.requiring = false
        if (hostKey !== owner.key) this.#keep(hostKey, freeAfter(result, this.#now))
        this.#take(owner, url, result)
      },
      // The plugin still requires the document, so its host asks again.
      unsent: (until, why) => {
        owner.requiring = false
        if (until > owner.rest.until) owner.rest = { until, why }
        if (hostKey !== owner.key) this.#freeAt.delete(hostKey)
        const wanted = this.#wanted.get(owner)
        if (wanted) wanted.putOffs++
      },
    }
  }

  /** Takes what `url` answered on behalf of `owner`. */
  #take(owner: LiveHost, url: string, result: Response | Failure): void {
    const wanted = this.#wanted.get(owner)
    if (wanted === undefined) return
    if (!('status' in result) || !isRedirect(result)) return this.#finish(owner, wanted, result)
    const location = parseUrl(locationOf(result.headers), url)
    if (location === undefined) {
      const message = 'the redirect leads to something that is not an http(s) URL of at most 8,000 bytes'
      return this.#finish(owner, wanted, failure('AVO_REDIRECT_TARGET', message, { sent: true }))
    }
    if (wanted.hops === MAX_HOPS) {
      return this.#finish(owner, wanted, failure('AVO_REDIRECT_LIMIT', `more than ${MAX_HOPS} redirects`, { sent: true }))
    }
    wanted.hops++
    wanted.at = location
  }

  #finish(owner: LiveHost, wanted: Wanted, result: Response | Failure): void {
    this.#wanted.delete(owner)
    // Given back meanwhile: its new holder requests it for itself.
    if (owner.live) this.#done(owner, wanted, result)
  }

  /** The document, or why there is none, for the plugins that required it. What they add is committed with what they remember. */
  #done(host: LiveHost, { url, takers }: Requirement, result: Response | Failure): void {
    const { stations, settings } = this.#run
    const { codec, randomSeed } = settings
    const now = this.#now
    const chance = chanceOf(`${randomSeed}\n${host.key}\n${String(host.seq)}\nrequired`)
    const answer =
      'status' in result
        ? ({ kind: 'answered', response: codec.current.answer(result, url, 'document') } as const)
        : ({ kind: 'failed', failure: result } as const)
    const added = new AddedUrls(this.#run, MAX_ADDED)
    let taken = 0
    for (const name of [...takers.keys()].sort()) {
      const document: RequiredDocument = { host, url, now, chance, result: answer, add: (seed) => added.add(seed) }
      const take = (): void => {
        takers.get(name)?.(document)
        taken++
      }
      guardedSync(stations, 'require', { name, fn: take })(document)
    }
    added.close()
    if (taken < takers.size)
      host.rest = { until: now + THREW_MS, why: 'a plugin threw when it was given the document that it requires' }
    const commit = (): void => {
      if (host.live) this.#parts.commits.add({ ...memoryOnly(host), links: added.requests(this.#parts.discoveries) })
    }
    if (added.seeds.some(({ seed }) => codec.isMissingFor(seed))) void codec.load().then(commit, this.#run.fail)
    else commit()
  }

  /** The proxy is that of the session of the next request, so that the site sees one address; after it was put off, that of the next session. */
  #requestFor({ sessions }: LiveHost, { at, putOffs }: Wanted): Request {
    const proxySession = sessions[putOffs % sessions.length]
    // Without content codings a document of any size can be cut where it is enough.
    const headers = { 'accept-encoding': 'identity' }
    const request = requiredRequest(at, hostKeyOf(at, this.#run.settings.hostKeying))
    return { ...request, headers, ...(proxySession !== undefined && { proxySession }) }
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
