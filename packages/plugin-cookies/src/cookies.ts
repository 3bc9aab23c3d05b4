// The plugin: a jar for each session, read before a request is sent and written when its answer is there.
//
// The jar of a host is part of its memory, so that a page and the cookies that came with it are committed together; a kill loses both or neither. It stays
// with the host: what a site sets for all its hosts is sent to them by a named session, whose jar is the crawl's.
import { definePlugin, type Plugin, type Request } from '@avocet/core'
import { serverNow, type Answered, type OutgoingRequest } from '@avocet/core/plugin'
import { cookiesFor, put, type Cookie } from './jar.ts'
import { jarOf, merged, setJar, trimHost, trimSessions, type HostJar, type SessionJars } from './memory.ts'
import { cookieOf, isSafe, registrableSite } from './set-cookie.ts'

/** What a reference to a secret value begins with: only what is sent has the value. */
const REFERENCE = '__secret'
/** Of one answer: a page that sets more is no page that needs them. */
const MAX_FIELDS = 200

const TOO_MANY =
  'the cookies of all named sessions have more than 48 KiB, so that sessions that were used longest ago lost theirs; use fewer sessions in one crawl'

/**
 * Keeps cookies as a browser does, and sends them back: those of a host with the host, those of a named session (`session: 'alice'`) with the crawl. Both are
 * in the store, so that a later run continues the session.
 *
 * A request with a `cookie` field of its own (of the configuration, or its link) keeps it: cookies of the jar with other names are added. Where a link or
 * a seed gave the field, whose value is secret, it is sent alone.
 *
 * @example
 * ```ts
 * // with-cookies.ts
 * import { spider } from 'avocet'
 * import { cookies } from '@avocet/plugin-cookies'
 *
 * export const plugins = [cookies()]
 * export const prices = spider({
 *   name: 'prices',
 *   seeds: [{ url: 'https://shop.example/', session: 'alice' }],
 *   handlers: {
 *     *start(page) {
 *       yield { title: page.title }
 *       yield* page.links()
 *     },
 *   },
 * })
 * ```
 * Source: RFC 6265; SameSite, prefixes and the limit of 400 days: draft-ietf-httpbis-rfc6265bis.
 */
export function cookies(): Plugin {
  // By the memory of a crawl, which is another object in each: one plugin may serve several.
  const problems = new WeakMap<SessionJars, (message: string) => void>()
  return definePlugin<HostJar, SessionJars>({
    name: 'cookies',
    seesRequired: true,
    outsideEffects: false,
    open: ({ problem }, crawl) => void problems.set(crawl, problem),
    hostMemory: () => ({ cookies: [] }),
    crawlMemory: () => ({ sessions: {} }),
    merge: merged,
    beforeRequest(outgoing, host, crawl) {
      const { session } = outgoing.exchange.request
      send(outgoing, session === undefined ? host.cookies : (jarOf(crawl, session) ?? []))
    },
    onResponse(answer, host, crawl) {
      const { request } = answer.exchange
      const fields = answer.response.headers['set-cookie']
      if (fields === undefined) return
      const { session } = request
      const jar = session === undefined ? host.cookies : (jarOf(crawl, session) ?? setJar(crawl, session, []))
      receive(answer, jar, typeof fields === 'string' ? [fields] : fields)
      if (request.session === undefined) trimHost(host, answer.now)
      else if (trimSessions(crawl, answer.now)) problems.get(crawl)?.(TOO_MANY)
    },
    explain: ({ now }, host) => ({
      cookies: host.cookies.filter(({ gone, expires = Infinity }) => !gone && expires > now).length,
    }),
  })
}

/** Sends what belongs to the request. */
function send(outgoing: OutgoingRequest, jar: readonly Cookie[]): void {
  if (jar.length === 0) return
  const own = outgoing.given['cookie']
  if (own?.startsWith(REFERENCE) === true) return
  const { request } = outgoing.exchange
  const url = new URL(request.url)
  const asked = {
    url,
    method: request.method,
    isSafe: isSafe(url),
    isCrossSite: () => isCrossSite(request, url),
    now: outgoing.now,
  }
  const pairs = cookiesFor(jar, asked).filter(({ name }) => own === undefined || !namesOf(own).has(name))
  const texts = pairs.map(({ name, value }) => (name === '' ? value : `${name}=${value}`))
  if (texts.length > 0) outgoing.setHeader('cookie', [...(own === undefined ? [] : [own]), ...texts].join('; '))
}

function receive({ exchange, response, now }: Answered, jar: Cookie[], fields: readonly string[]): void {
  const url = new URL(exchange.request.url)
  const by = { url, now, serverNow: serverNow(response.headers, now), at: exchange.admittedAt, seq: exchange.seq }
  for (const field of fields.slice(0, MAX_FIELDS)) {
    const cookie = cookieOf(field, by)
    if (cookie !== undefined) put(jar, cookie, isSafe(url))
  }
}

/** Whether a page of another site led to `request`, itself or by a redirect. */
function isCrossSite({ parent, redirectedFrom }: Request, { hostname }: URL): boolean {
  const site = registrableSite(hostname)
  return [parent, redirectedFrom].some((from) => from !== undefined && registrableSite(new URL(from).hostname) !== site)
}

function namesOf(field: string): ReadonlySet<string> {
  return new Set(field.split(';').map((pair) => pair.slice(0, Math.max(0, pair.indexOf('='))).trim()))
}
