// What nobody but the server sees of a request, such as one of a login: its body, the query of its URL, and where its answer leads. References are in their
// place, and what is meant is found again by the request.
import type { FetchReceiver } from '../fetcher.ts'
import type { Request } from '../request.ts'
import type { ResponseHeaders } from '../response.ts'
import { SECRET_REFERENCE } from '../secrets/reference.ts'
import { locationOf } from '../url/location-of.ts'
import { parseUrl } from '../url/parse-url.ts'

const bodies = new WeakMap<Request, string>()
const urls = new WeakMap<Request, string>()
/** Where the answer to a request leads; undefined: to nothing that can be requested. */
const targets = new WeakMap<Request, string | undefined>()

/** Characters; what is shorter is a part of words. */
const MIN_QUERY = 4
/** Fields of an answer that hold a URL. */
const URL_FIELDS = new Set(['location', 'content-location', 'refresh', 'link'])

/** `request` with `body`, which it does not show. */
export function withHiddenBody(request: Request, body: string): Request {
  const shown: Request = { ...request, body: SECRET_REFERENCE }
  bodies.set(shown, body)
  return shown
}

/** The body that `request` is sent with. */
export function sentBodyOf(request: Request): string | undefined {
  return bodies.get(request) ?? request.body
}

/** `request`, which shows neither its query, unless it is that of `known`, nor where it is led on to. */
export function withHiddenUrl(request: Request, known: string): Request {
  const shown: Request = { ...request, url: request.url === known ? known : withoutQuery(request.url) }
  const body = bodies.get(request)
  if (body !== undefined) bodies.set(shown, body)
  urls.set(shown, request.url)
  return shown
}

/** The URL that `request` is sent to. */
export function sentUrlOf(request: Request): string {
  return urls.get(request) ?? request.url
}

/** Where a redirect of `request`, which is hidden, leads. */
export function hiddenTargetOf(request: Request): string | undefined {
  return targets.get(request)
}

/** Receives the answer to `request`: without what is hidden of it. */
export function hidingAnswers(request: Request, receiver: FetchReceiver): FetchReceiver {
  const sent = urls.get(request)
  if (sent === undefined) return receiver
  const told = (text: string): string => withoutUrl(text, sent, request.url)
  const shown = (headers: ResponseHeaders): ResponseHeaders =>
    Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, URL_FIELDS.has(name) ? shownUrl(value, sent) : value]),
    )
  return {
    sent: () => receiver.sent(),
    headers: (head) => receiver.headers({ ...head, headers: shown(head.headers) }),
    flows: () => receiver.flows?.(),
    done(response) {
      targets.set(request, parseUrl(locationOf(response.headers), sent))
      receiver.done({ ...response, url: request.url, headers: shown(response.headers) })
    },
    failed({ cause: _cause, ...failed }) {
      receiver.failed({ ...failed, message: told(failed.message) })
    },
  }
}

/** `text`, with `shown` in place of `sent`, and of the query alone. */
export function withoutUrl(text: string, sent: string, shown: string): string {
  if (sent === shown) return text
  const query = sent.slice(sent.indexOf('?') + 1)
  const told = text.replaceAll(sent, shown)
  return query.length < MIN_QUERY ? told : told.replaceAll(query, SECRET_REFERENCE)
}

function withoutQuery(url: string): string {
  return url.replace(/\?.+$/s, `?${SECRET_REFERENCE}`)
}

function shownUrl(given: string | readonly string[], from: string): string {
  const url = typeof given === 'string' ? parseUrl(given, from) : undefined
  return url === undefined ? SECRET_REFERENCE : withoutQuery(url)
}
