// Documents that a plugin must see before a host is asked for anything else (robots.txt): internal exchanges of that host, ahead of its queue.
//
// They take a slot, a pace, a breaker and timeouts like any exchange, but are known to no frontier and seen by no handler. Redirects are
// followed here, at most five (RFC 9309 §2.3.1.2): the one exception to "a redirect is a discovery", because the document belongs to the
// host that was asked, wherever it lies. Each hop is an exchange of its own that waits for its admission: the plugin still requires the document,
// so the host is asked again when it may be, and goes on where the redirect led. On another host it is a stranger: no headers that the user
// meant for this one, and no private address.
import { AvocetError } from '../errors.ts'
import { failure, type Failure } from '../failure.ts'
import type { RequiredDocument } from '../plugin.ts'
import type { Request } from '../request.ts'
import { headerOf, type Response } from '../response.ts'
import type { LiveHost } from '../scheduler/live-host.ts'
import { parseUrl } from '../url/canonicalize.ts'
import { hostKeyOf } from '../url/host-key.ts'
import type { ExchangeRun } from './exchange-run.ts'
import { isRedirect } from './redirect.ts'
import { requiredRequest } from './request-of.ts'

const MAX_HOPS = 5

/** What is under way at one host. */
interface Wanted {
  /** As the plugin required it. */
  readonly url: string
  readonly plugin: string
  /** Where the redirects led so far. */
  at: string
  hops: number
}

/** Fetches what plugins require. */
export class RequiredDocuments {
  readonly #wanted = new WeakMap<LiveHost, Wanted>()
  readonly #begin: (host: LiveHost, request: Request) => void
  readonly #done: (host: LiveHost, document: RequiredDocument) => void
  readonly #now: () => number

  constructor(parts: {
    begin: (host: LiveHost, request: Request) => void
    done: (host: LiveHost, document: RequiredDocument) => void
    now: () => number
  }) {
    this.#begin = parts.begin
    this.#done = parts.done
    this.#now = parts.now
  }

  /** Begins the exchange of `url` at `host`, or of where its redirects have led. */
  fetch(host: LiveHost, { url, plugin }: { readonly url: string; readonly plugin: string }): void {
    if (parseUrl(url) === undefined)
      throw new AvocetError('AVO_PLUGIN_INVALID', `expected an http(s) URL in require(), got ${JSON.stringify(url)}`)
    const before = this.#wanted.get(host)
    const wanted = before?.url === url && before.plugin === plugin ? before : { url, plugin, at: url, hops: 0 }
    this.#wanted.set(host, wanted)
    this.#begin(host, requestAt(host, wanted))
  }

  /** Takes the result of an exchange; follows a redirect, or hands the document to the plugin. */
  ended(run: ExchangeRun, result: Response | Failure): void {
    const { host } = run
    const wanted = this.#wanted.get(host)
    host.requiring = false
    if (wanted === undefined) return
    if (!('status' in result) || !isRedirect(result)) return this.#finish(host, wanted, result)
    const target = parseUrl(headerOf(result.headers, 'location') ?? '', run.request.url)
    if (target === undefined) {
      const message = 'the redirect leads to something that is not an http(s) URL'
      return this.#finish(host, wanted, failure('AVO_REDIRECT_TARGET', message, { sent: true }))
    }
    if (wanted.hops === MAX_HOPS) {
      return this.#finish(host, wanted, failure('AVO_REDIRECT_LIMIT', `more than ${MAX_HOPS} redirects`, { sent: true }))
    }
    wanted.hops++
    wanted.at = target
  }

  #finish(host: LiveHost, { url, plugin }: Wanted, result: Response | Failure): void {
    this.#wanted.delete(host)
    const answer =
      'status' in result ? ({ kind: 'answered', response: result } as const) : ({ kind: 'failed', failure: result } as const)
    this.#done(host, { plugin, host, url, now: this.#now(), result: answer })
  }
}

function requestAt(host: LiveHost, { url, at }: Wanted): Request {
  const key = hostKeyOf(at, 'host')
  const request = requiredRequest(at, key === hostKeyOf(url, 'host') ? host.key : key)
  // Without content codings a document of any size can be cut where it is enough.
  return { ...request, headers: { 'accept-encoding': 'identity' } }
}
