// Documents that a plugin must see before anything else is requested from a host (robots.txt): exchanges of the crawl's own, ahead of the host's queue.
//
// Redirects are followed here, at most five (RFC 9309 §2.3.1.2): the one exception to "a redirect is a discovery", because the document belongs to the
// host that was asked, wherever the document is. Each hop is an exchange of its own that waits for its admission.
//
// A hop on another host is a guest there (own-exchanges.ts), under its pace, its limits and its rights. What a guest does not wait for are documents that
// its host needs first, or two hosts could wait for each other. The host that requires the document waits meanwhile, and holds no slot.
import { guardedSync } from '../hooks/hooks.ts'
import { AddedUrls } from '../discovery/added-urls.ts'
import type { Discoveries } from '../discovery/discovery.ts'
import { AvocetError } from '../values/errors.ts'
import { failure, type Failure } from '../ports/failure.ts'
import { locationOf, hostKeyOf } from '../url/host-key.ts'
import type { Request } from '../ports/request.ts'
import { isRedirect, type Response } from '../ports/response.ts'
import { type Run, chanceOf } from '../run/run.ts'
import { shown } from '../values/shown.ts'
import type { LiveHost } from '../hosts/live-host.ts'
import { parseUrl } from '../url/parse-url.ts'
import type { ExchangeEnd, LiveExchange } from './live-exchange.ts'
import { isTrouble, type OwnExchanges, type OwnRequest } from './own-exchanges.ts'
import { requiredRequest } from '../hosts/request-of.ts'
import type { Commits } from '../store/commits.ts'
import { memoryOnly } from '../store/pending-unit.ts'
import type { RequiredDocument, Requirement } from '../ports/document-handler.ts'

const MAX_HOPS = 5
/** URLs that plugins may add when they see one document: robots.txt files name tens of sitemaps. */
const MAX_ADDED = 1_000

/** What is in progress for one host. */
interface Wanted extends Requirement {
  /** Where the redirects led so far. */
  at: string
  hops: number
  /** Epoch ms since when another process holds the host that it is on. */
  heldSince?: number
  /** Epoch ms until which the proxy of a session rests. */
  readonly resting: Map<string | undefined, number>
}

/** What requests them, and keeps what they taught. */
export interface RequiredParts {
  readonly own: OwnExchanges
  readonly commits: Commits
  readonly discoveries: Discoveries
}

/** Fetches what plugins require. */
export class RequiredDocuments {
  readonly #wanted = new WeakMap<LiveHost, Wanted>()
  readonly #run: Run
  readonly #parts: RequiredParts

  constructor(run: Run, parts: RequiredParts) {
    this.#run = run
    this.#parts = parts
  }

  /**
   * What is to be requested of `host` for the document at `url`, or where its redirects have led; undefined where that is another host, which is asked as soon
   * as it may be.
   */
  wanted(host: LiveHost, { url, takers }: Requirement): Request | undefined {
    const parsed = parseUrl(url)
    if (parsed === undefined)
      throw new AvocetError('AVO_PLUGIN_INVALID', `expected an http(s) URL in require(), got ${shown(url)}`)
    const before = this.#wanted.get(host)
    const at = this.#run.settings.codec.current.url(parsed, parsed)
    const wanted = before?.url === url ? { ...before, takers } : { url, takers, at, hops: 0, resting: new Map() }
    this.#wanted.set(host, wanted)
    host.requiring = true
    const request = this.#requestFor(host, wanted)
    const isHere = request.hostKey === host.key
    this.#parts.own[isHere ? 'begins' : 'send'](request, this.#asOwn(host, request))
    return isHere ? request : undefined
  }

  /** `request`, which is for `owner`. */
  #asOwn(owner: LiveHost, request: Request): OwnRequest {
    return {
      ended: (result, exchange) => {
        this.#take(owner, request.url, result)
        if (owner === exchange?.host) return
        if (exchange !== undefined) this.#tellHost(exchange, result)
        this.#parts.own.place(owner)
      },
      awaited: {
        held: this.#wanted.get(owner) ?? {},
        unsent: (exchange, end) => this.#unsent(owner, exchange, end),
        // Its owner asks again in a moment, and holds nothing meanwhile.
        heldElsewhere: (until) => {
          owner.requiring = false
          owner.rest = { until: Math.max(owner.rest.until, until), why: `needs ${request.url}, whose host another process has` }
          this.#parts.own.place(owner)
        },
      },
    }
  }

  /** An exchange will never be sent: the plugin still requires the document, so its host asks again. */
  #unsent(owner: LiveHost, exchange: LiveExchange, end: ExchangeEnd): void {
    owner.requiring = false
    // Put off by a plugin: its host waits until then, and with it the hosts that need the document.
    if (end.kind === 'put-off' && end.verdict.kind === 'retry') {
      const { at, reason: why } = end.verdict
      const wanted = this.#wanted.get(owner)
      wanted?.resting.set(exchange.request.proxySession, at)
      if (wanted === undefined || !owner.sessions.some((session) => this.#mayServe(wanted, session)))
        exchange.host.rest = { until: Math.max(exchange.host.rest.until, at), why }
    }
    if (owner !== exchange.host) this.#parts.own.place(owner)
  }

  /** Takes what `url` answered on behalf of `owner`. */
  #take(owner: LiveHost, url: string, result: Response | Failure): void {
    owner.requiring = false
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
    delete wanted.heldSince
    wanted.at = location
    const request = this.#requestFor(owner, wanted)
    if (request.hostKey === owner.key) return
    owner.requiring = true
    this.#parts.own.send(request, this.#asOwn(owner, request))
  }

  /** What a guest came for may be what the host itself needs first, its robots.txt with a Crawl-delay: it need not be requested twice. */
  #tellHost({ host, request: { url } }: LiveExchange, result: Response | Failure): void {
    const { required } = host.constraint
    if (required?.url !== url || host.requiring || isTrouble(result) || ('status' in result && isRedirect(result))) return
    this.#done(host, required, result)
  }

  #finish(owner: LiveHost, wanted: Wanted, result: Response | Failure): void {
    this.#wanted.delete(owner)
    // Given back meanwhile: its new holder requests it for itself.
    if (!owner.live) return
    this.#done(owner, wanted, result)
  }

  /** The document, or why there is none, for the host and the plugins that it was required for. What they add is committed with what they remember. */
  #done(host: LiveHost, { url, takers }: Requirement, result: Response | Failure): void {
    const { stations, settings } = this.#run
    const { clock, codec, randomSeed } = settings
    const now = clock.now()
    const chance = chanceOf(`${randomSeed}\n${host.key}\n${String(host.seq)}\nrequired`)
    const answer =
      'status' in result
        ? ({ kind: 'answered', response: codec.current.answer(result, url, 'document') } as const)
        : ({ kind: 'failed', failure: result } as const)
    const added = new AddedUrls(this.#run, MAX_ADDED)
    for (const name of [...takers.keys()].sort()) {
      const document: RequiredDocument = { host, url, now, chance, result: answer, add: (seed) => added.add(seed) }
      guardedSync(stations, 'require', { name, fn: () => takers.get(name)?.(document) })(document)
    }
    added.close()
    const commit = (): void => {
      if (host.live) this.#parts.commits.add({ ...memoryOnly(host), links: added.requests(this.#parts.discoveries) })
    }
    if (added.seeds.some(({ seed }) => codec.isMissingFor(seed))) void codec.load().then(commit, this.#run.fail)
    else commit()
  }

  /** The proxy is that of the session of the next request, so that the site sees one address; while that one rests, of the next session. */
  #requestFor({ sessions }: LiveHost, wanted: Wanted): Request {
    const { hostKeying } = this.#run.settings
    const { at } = wanted
    const proxySession = sessions.find((session) => this.#mayServe(wanted, session)) ?? sessions[0]
    // Without content codings a document of any size can be cut where it is enough.
    const headers = { 'accept-encoding': 'identity' }
    return { ...requiredRequest(at, hostKeyOf(at, hostKeying)), headers, ...(proxySession !== undefined && { proxySession }) }
  }

  #mayServe({ resting }: Wanted, session: string | undefined): boolean {
    return (resting.get(session) ?? 0) <= this.#run.settings.clock.now()
  }
}
