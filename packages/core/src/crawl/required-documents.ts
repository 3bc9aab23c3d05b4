// Documents that a plugin must see before a host is asked for anything else (robots.txt): internal exchanges of that host, ahead of its queue.
//
// They take a slot, a pace, a breaker and timeouts like any exchange, but are known to no frontier and seen by no handler. Redirects are
// followed here, at most five (RFC 9309 §2.3.1.2): the one exception to "a redirect is a discovery", because the document belongs to the
// host that was asked, wherever it lies. The address guard holds for each of them.
import { AvocetError } from '../errors.ts'
import { failure, type Failure } from '../failure.ts'
import type { RequiredDocument } from '../plugin.ts'
import { headerOf, type Response } from '../response.ts'
import type { LiveHost } from '../scheduler/live-host.ts'
import { parseUrl } from '../url/canonicalize.ts'
import type { ExchangeRun } from './exchange-run.ts'
import { isRedirect } from './redirect.ts'
import { requiredRequest } from './request-of.ts'

const MAX_HOPS = 5

/** What is under way at one host. */
interface Wanted {
  readonly url: string
  readonly plugin: string
  hops: number
}

/** Fetches what plugins require. */
export class RequiredDocuments {
  readonly #wanted = new WeakMap<LiveHost, Wanted>()
  readonly #begin: (host: LiveHost, url: string) => void
  readonly #done: (host: LiveHost, document: RequiredDocument) => void
  readonly #now: () => number

  constructor(parts: {
    begin: (host: LiveHost, request: ReturnType<typeof requiredRequest>) => void
    done: (host: LiveHost, document: RequiredDocument) => void
    now: () => number
  }) {
    this.#begin = (host, url) => parts.begin(host, requiredRequest(url, host.key))
    this.#done = parts.done
    this.#now = parts.now
  }

  /** Begins the exchange of `url` at `host`. */
  fetch(host: LiveHost, { url, plugin }: { readonly url: string; readonly plugin: string }): void {
    if (parseUrl(url) === undefined)
      throw new AvocetError('AVO_PLUGIN_INVALID', `expected an http(s) URL in require(), got ${JSON.stringify(url)}`)
    this.#wanted.set(host, { url, plugin, hops: 0 })
    this.#begin(host, url)
  }

  /** Takes the result of an exchange; follows a redirect, or hands the document to the plugin. */
  ended(run: ExchangeRun, result: Response | Failure): void {
    const { host } = run
    const wanted = this.#wanted.get(host)
    host.requiring = false
    if (wanted === undefined) return
    if ('status' in result && isRedirect(result)) {
      const target = parseUrl(headerOf(result.headers, 'location') ?? '', run.request.url)
      if (target !== undefined && wanted.hops < MAX_HOPS) {
        wanted.hops++
        return this.#begin(host, target)
      }
      const message =
        target === undefined ? 'the redirect leads to something that is not an http(s) URL' : `more than ${MAX_HOPS} redirects`
      return this.#finish(
        host,
        wanted,
        failure(target === undefined ? 'AVO_REDIRECT_TARGET' : 'AVO_REDIRECT_LIMIT', message, { sent: true }),
      )
    }
    this.#finish(host, wanted, result)
  }

  #finish(host: LiveHost, { url, plugin }: Wanted, result: Response | Failure): void {
    this.#wanted.delete(host)
    const answer =
      'status' in result ? ({ kind: 'answered', response: result } as const) : ({ kind: 'failed', failure: result } as const)
    this.#done(host, { plugin, host, url, now: this.#now(), result: answer })
  }
}
