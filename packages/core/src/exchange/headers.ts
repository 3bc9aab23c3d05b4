// The header fields that the crawl sends. Those of the user may say who asks: they are bound to the origins that they were given for, as in browsers.
//
// An origin is scheme, host and port (RFC 6454): what was given for https: never goes over http:, nor to another port, nor to a subdomain, also when hosts
// are keyed by domain. A host of scope.hosts has no scheme: there they go over the schemes that the seeds have.
import { hostKeyOf, originOf } from '../url/host-key.ts'
import type { Codec } from '../ports/codec.ts'
import type { SentBySession, Settings } from '../run/settings.ts'

/** Whom the user named: the URLs of the seeds, and hosts of the scope. */
export interface Named {
  readonly seeds: readonly string[]
  readonly hosts: readonly string[]
}

/** What they are made of. */
type HeaderSettings = Pick<Settings, 'userAgent' | 'headers' | 'sessions'> & {
  readonly codec: { readonly current: Pick<Codec, 'credential'> }
}

/** Header fields by origin. */
export class Headers {
  /** Empty when there is nothing to bind to them. */
  readonly #origins: Set<string>
  readonly #everybody: Readonly<Record<string, string>>
  readonly #bound: Readonly<Record<string, string>>
  readonly #codec: HeaderSettings['codec']
  readonly #sessions: Settings['sessions']
  /** Whether the crawl has fields, and not only sessions. */
  readonly #hasOwn: boolean

  constructor({ userAgent, headers, sessions, codec }: HeaderSettings, named: Named) {
    this.#codec = codec
    this.#everybody = {
      'user-agent': userAgent,
      accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
      'accept-encoding': 'gzip, deflate, br, zstd',
    }
    this.#bound = { ...this.#everybody, ...headers }
    this.#hasOwn = Object.keys(headers).length > 0
    this.#sessions = sessions
    const hasFields = this.#hasOwn || [...sessions.values()].some((session) => Object.keys(session.headers).length > 0)
    this.#origins = hasFields ? originsOf(named) : new Set()
  }

  /** A seed is of this origin. */
  takeSeed(url: string): void {
    if (this.#origins.size > 0) this.#origins.add(originOf(url))
  }

  /** Whether there are headers that go to the origin of `url`, and not to every other. */
  isBoundTo(url: string): boolean {
    return this.#hasOwn && this.#isNamed(url)
  }

  /** The fields for `url`, which is in WHATWG form, in `session`. Credentials are references, and go before what `headers` says. */
  for(url: string, session?: string): Readonly<Record<string, string>> {
    const fields = this.isBoundTo(url) ? this.#bound : this.#everybody
    const settings = session === undefined ? undefined : this.#sessions.get(session)
    const own = settings && this.#ofSession(url, settings)
    const authorization = this.#codec.current.credential(url, session)?.authorization
    if (own === undefined && authorization === undefined) return fields
    return { ...fields, ...own, ...(authorization !== undefined && { authorization }) }
  }

  #ofSession(url: string, { headers, userAgent }: SentBySession): Readonly<Record<string, string>> {
    return { ...(userAgent !== undefined && { 'user-agent': userAgent }), ...(this.#isNamed(url) && headers) }
  }

  #isNamed(url: string): boolean {
    return this.#origins.size > 0 && this.#origins.has(originOf(url))
  }
}

function originsOf({ seeds, hosts }: Named): Set<string> {
  const origins = new Set(seeds.map(originOf))
  const schemes = new Set(seeds.map((url) => url.slice(0, url.indexOf('//'))))
  for (const host of hosts) {
    for (const scheme of schemes) {
      // Parsed, for people write hosts in other ways than links do; hosts with the default port of the scheme have none.
      const url = URL.parse(`${scheme}//${host}`)
      if (url !== null) origins.add(`${scheme}//${hostKeyOf(url, 'host')}`)
    }
  }
  return origins
}
