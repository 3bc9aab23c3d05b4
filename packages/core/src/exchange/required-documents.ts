// Documents that a plugin must see before anything else is requested from a host (robots.txt): internal exchanges, ahead of the host's queue.
//
// They take a slot, a pace, a breaker and timeouts like any exchange, but are known to no frontier and seen by no handler. Redirects are
// followed here, at most five (RFC 9309 §2.3.1.2): the one exception to "a redirect is a discovery", because the document belongs to the
// host that was asked, wherever the document is. Each hop is an exchange of its own that waits for its admission.
//
// A hop on another host is an exchange of that host: a guest there, ahead of its own requests, under its pace, its limits and its rights. Where
// this process does not hold that host, it is leased by its key; while another process has it, the document waits and is tried again. What a guest does
// not wait for are documents that its host needs first, or two hosts could wait for each other. The host that requires the document waits meanwhile, and
// holds no slot. It waits for as long as the host of the document answers others: where that one must wait for 30 s, or fails others after 30 s of
// waiting, its guests leave together.
import { AddedUrls } from '../discovery/added-urls.ts'
import type { Discoveries } from '../discovery/discovery.ts'
import { AvocetError } from '../values/errors.ts'
import { failure, type Failure } from '../ports/failure.ts'
import { locationOf, hostKeyOf } from '../url/host-key.ts'
import type { Request } from '../ports/request.ts'
import { isRedirect, type Response } from '../ports/response.ts'
import type { Run } from '../run/run.ts'
import { shown } from '../values/shown.ts'
import type { LiveHost } from '../hosts/live-host.ts'
import type { LeasesByKey } from '../scheduler/leases-by-key.ts'
import { parseUrl } from '../url/canonicalize.ts'
import { chanceOf } from './chance.ts'
import type { ExchangeEnd, LiveExchange } from './live-exchange.ts'
import { ProxySessions } from './proxy-sessions.ts'
import type { Guests } from './guests.ts'
import { COST } from '../process/loop-budget.ts'
import { requiredRequest } from '../hosts/request-of.ts'
import type { Scheduler } from '../scheduler/scheduler.ts'
import type { Window } from '../scheduler/window.ts'
import { memoryOnly, type Commits } from '../store/commits.ts'

const MAX_HOPS = 5
/** A document on a host that must wait for so long fails: the plugin knows when to ask again, and its host need not wait for it. */
const LONGEST_WAIT_MS = 30_000
/** How soon a host is wanted again that another process has. */
const HELD_AGAIN_MS = 1_000
const HELD_ELSEWHERE = 'it is held by another process'
/** Guests of one host: a thousand hosts that keep their robots.txt in one place. */
const MAX_GUESTS = 1_000
/** URLs that plugins may add when they see one document: robots.txt files name tens of sitemaps. */
const MAX_ADDED = 1_000

/** What is in progress for one host. */
interface Wanted {
  /** As the plugin required it. */
  readonly url: string
  readonly plugins: readonly string[]
  /** Where the redirects led so far. */
  at: string
  hops: number
  /** Epoch ms since when another process holds the host that it is on. */
  heldSince?: number
  proxies?: ProxySessions
}

/** What holds hosts, and keeps what they taught. */
export interface RequiredParts {
  readonly scheduler: Scheduler
  readonly window: Window
  readonly leases: LeasesByKey
  readonly commits: Commits
  readonly discoveries: Discoveries
  /** Guests that came for no document. */
  readonly guests: Guests
}

/** Fetches what plugins require. */
export class RequiredDocuments {
  readonly #wanted = new WeakMap<LiveHost, Wanted>()
  /** For whom a guest's request is. */
  readonly #owners = new WeakMap<Request, LiveHost>()
  /** Epoch ms at which it began to wait at its host. */
  readonly #waitsSince = new WeakMap<Request, number>()
  readonly #run: Run
  readonly #parts: RequiredParts
  /** Answers that wait for a turn of the event loop. */
  unread = 0

  constructor(run: Run, parts: RequiredParts) {
    this.#run = run
    this.#parts = parts
  }

  /** Asks again what holds a host, and sends those away who came for its documents and would wait too long. */
  place(host: LiveHost): void {
    this.#parts.scheduler.place(host)
    if (host.guests.length > 0) this.#placed(host)
    this.#parts.window.review(host)
  }

  /**
   * What is to be requested of `host` for the document at `url`, or where its redirects have led; undefined where that is another host, which is asked as soon
   * as it may be.
   */
  wanted(host: LiveHost, { url, plugins }: { readonly url: string; readonly plugins: readonly string[] }): Request | undefined {
    const parsed = parseUrl(url)
    if (parsed === undefined)
      throw new AvocetError('AVO_PLUGIN_INVALID', `expected an http(s) URL in require(), got ${shown(url)}`)
    const before = this.#wanted.get(host)
    const wanted = before?.url === url ? { ...before, plugins } : { url, plugins, at: this.#hidden(parsed, parsed), hops: 0 }
    this.#wanted.set(host, wanted)
    host.requiring = true
    const request = this.#requestFor(host, wanted)
    if (request.hostKey === host.key) return request
    this.#send(host, request)
    return undefined
  }

  /**
   * Takes the result of an exchange. The caller places the host of the exchange. A plugin reads a document in one go: megabytes of them do not all have
   * the same turn of the event loop, and nothing is begun at a host whose answer waits for one.
   */
  ended(exchange: LiveExchange, result: Response | Failure): void {
    if (this.#parts.guests.ended(exchange, result)) return
    const { loop } = this.#run.settings
    const cost = 'body' in result ? COST.required * result.body.byteLength : 0
    if (loop.take(cost)) return this.#read(exchange, result)
    this.unread++
    exchange.host.unread++
    void loop.room(cost).then(() => {
      this.unread--
      exchange.host.unread--
      this.#read(exchange, result)
      this.place(exchange.host)
      this.#run.goOn()
    })
  }

  /** Follows a redirect, or hands the document to the plugin. */
  #read(exchange: LiveExchange, result: Response | Failure): void {
    const owner = this.#owners.get(exchange.request) ?? exchange.host
    this.#take(owner, exchange.request.url, result)
    if (owner === exchange.host) return
    this.#tellHost(exchange, result)
    if (isTrouble(result)) {
      const since = this.#run.settings.clock.now() - LONGEST_WAIT_MS
      this.#dismiss(exchange.host, 'it fails', (guest) => (this.#waitsSince.get(guest) ?? 0) <= since)
    }
    // It was requested from another host: what that taught is kept.
    if (exchange.host.live) this.#parts.commits.add(memoryOnly(exchange.host))
    this.place(owner)
  }

  /** An exchange will never be sent: the plugin still requires the document, so its host asks again. */
  unsent(exchange: LiveExchange, end: ExchangeEnd): void {
    if (this.#parts.guests.unsent(exchange, end)) return
    const owner = this.#owners.get(exchange.request) ?? exchange.host
    owner.requiring = false
    // Put off by a plugin: its host waits until then, and with it the hosts that need the document.
    if (end.kind === 'put-off' && end.verdict.kind === 'retry') {
      const { at, reason: why } = end.verdict
      const when = { host: owner, now: this.#run.settings.clock.now() }
      if (!this.#wanted.get(owner)?.proxies?.rests(exchange.request.proxySession, at, when))
        exchange.host.rest = { until: Math.max(exchange.host.rest.until, at), why }
    }
    if (owner !== exchange.host) this.place(owner)
  }

  /** `host` was asked anew what holds it: guests do not wait where it is for long. */
  #placed(host: LiveHost): void {
    const { hold, readyAt } = host.constraint
    if (readyAt - this.#run.settings.clock.now() <= LONGEST_WAIT_MS) return
    this.#dismiss(host, hold ? `${hold.by}: ${hold.why}` : 'it must wait', () => true)
  }

  /** `host` is given up or lost: its guests do not get what they came for. */
  gone(host: LiveHost, why: string): void {
    for (const request of host.guests.splice(0)) this.#fail(request, why)
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
    this.#send(owner, request)
  }

  /** What a guest came for may be what the host itself needs first, its robots.txt with a Crawl-delay: it need not be requested twice. */
  #tellHost({ host, request: { url } }: LiveExchange, result: Response | Failure): void {
    const { required } = host.constraint
    if (required?.url !== url || host.requiring || isTrouble(result) || ('status' in result && isRedirect(result))) return
    this.#done(host, required, result)
  }

  /** Sends a guest to the host that `request` is of. */
  #send(owner: LiveHost, request: Request): void {
    const { leases } = this.#parts
    this.#owners.set(request, owner)
    const host = leases.held(request.hostKey)
    if (host !== undefined) return this.#invite(host, request)
    void leases.take(request, (taken) => {
      if (taken === 'given-up') this.#fail(request, 'it was given up')
      else if (taken === 'held-elsewhere') this.#waitForHolder(owner, request)
      else this.#invite(taken, request)
    })
  }

  /** Another process has the host that `request` is of: its owner asks again in a moment, and holds nothing meanwhile. */
  #waitForHolder(owner: LiveHost, request: Request): void {
    const wanted = this.#wanted.get(owner)
    const now = this.#run.settings.clock.now()
    if (wanted === undefined || now - (wanted.heldSince ??= now) >= LONGEST_WAIT_MS) return this.#fail(request, HELD_ELSEWHERE)
    owner.requiring = false
    const until = Math.max(owner.rest.until, now + HELD_AGAIN_MS)
    owner.rest = { until, why: `needs ${request.url}, whose host another process has` }
    this.place(owner)
  }

  #invite(host: LiveHost, request: Request): void {
    if (host.retiring !== undefined || !host.live) return this.#fail(request, host.retiring?.reason ?? HELD_ELSEWHERE)
    if (host.guests.length >= MAX_GUESTS) return this.#fail(request, `${MAX_GUESTS} documents are waited for there`)
    host.guests.push(request)
    if (!this.#waitsSince.has(request)) this.#waitsSince.set(request, this.#run.settings.clock.now())
    this.place(host)
  }

  /** Some guests of `host` do not get what they came for. Those that came for no document stay: no host waits for them. */
  #dismiss(host: LiveHost, why: string, isLeaving: (guest: Request) => boolean): void {
    const leaving = host.guests.filter((guest) => this.#owners.has(guest) && isLeaving(guest))
    if (leaving.length === 0) return
    const staying = host.guests.filter((guest) => !leaving.includes(guest))
    host.guests.splice(0, Infinity, ...staying)
    this.place(host)
    for (const guest of leaving) this.#fail(guest, why)
  }

  #fail(request: Request, why: string): void {
    const owner = this.#owners.get(request)
    const wanted = owner && this.#wanted.get(owner)
    if (owner === undefined || wanted === undefined) return void this.#parts.guests.refused(request, why)
    owner.requiring = false
    const message = `${request.url} is on ${request.hostKey}, which cannot be requested now (${why})`
    this.#finish(owner, wanted, failure('AVO_REQUIRED_ELSEWHERE', message))
    this.place(owner)
  }

  #finish(owner: LiveHost, wanted: Wanted, result: Response | Failure): void {
    this.#wanted.delete(owner)
    // Given back meanwhile: its new holder requests it for itself.
    if (!owner.live) return
    this.#done(owner, wanted, result)
  }

  /** The document, or why there is none, for the host and the plugins that it was required for. What they add is committed with what they remember. */
  #done(host: LiveHost, { url, plugins }: Pick<Wanted, 'url' | 'plugins'>, result: Response | Failure): void {
    const { hooks, settings } = this.#run
    const { clock, secrets, randomSeed } = settings
    const now = clock.now()
    const chance = chanceOf(`${randomSeed}\n${host.key}\n${String(host.seq)}\nrequired`)
    const answer =
      'status' in result
        ? ({ kind: 'answered', response: secrets.inDocument(result, url) } as const)
        : ({ kind: 'failed', failure: result } as const)
    const added = new AddedUrls(this.#run, MAX_ADDED)
    for (const plugin of plugins)
      hooks.onRequired.call({ plugin, host, url, now, chance, result: answer, add: (seed) => added.add(seed) })
    added.close()
    if (host.live) this.#parts.commits.add({ ...memoryOnly(host), links: added.requests(this.#parts.discoveries) })
  }

  /** `url`, which that of `from` supplied, with references to its secrets. */
  #hidden(url: string, from: string): string {
    const { parameters } = this.#run.settings.secrets
    return parameters.isOn ? parameters.hidden(url, from) : url
  }

  #requestFor(host: LiveHost, wanted: Wanted): Request {
    const { clock, hostKeying } = this.#run.settings
    const { at, proxies = (wanted.proxies = new ProxySessions()) } = wanted
    const proxySession = proxies.next(host, clock.now())
    // Without content codings a document of any size can be cut where it is enough.
    const headers = { 'accept-encoding': 'identity' }
    return { ...requiredRequest(at, hostKeyOf(at, hostKeying)), headers, ...(proxySession !== undefined && { proxySession }) }
  }
}

/** The next one who asks is likely to fare no better. */
function isTrouble(result: Response | Failure): boolean {
  return !('status' in result) || result.status >= 500 || result.status === 429
}
