// Parts of a request that only the server sees, such as those of a login: its body, its own header fields, the query of its URL, and the target of its
// redirect. The request has references in their place, and is the key by which the sender finds the real ones.
import type { FetchReceiver } from '../ports/fetcher.ts'
import type { Request } from '../ports/request.ts'
import type { ResponseHeaders } from '../ports/response.ts'
import { beginsAsReference, SECRET_REFERENCE } from '../secrets/reference.ts'
import { locationOf } from '../url/host-key.ts'
import { parseUrl } from '../url/parse-url.ts'

const bodies = new WeakMap<Request, string>()
const urls = new WeakMap<Request, string>()
const fields = new WeakMap<Request, Fields>()
/** Where the answer to a request leads; undefined: to nothing that can be requested. */
const targets = new WeakMap<Request, string | undefined>()

type Fields = Readonly<Record<string, string>>

/** Says what the body is, for plugins, and is nobody's secret. */
const SHOWN_FIELD = 'content-type'
/** Characters; what is shorter is a part of words. */
const MIN_QUERY = 4
/** Fields of an answer that hold a URL. */
const URL_FIELDS = new Set(['location', 'content-location', 'refresh', 'link'])

/** `request` with `body`, which it does not show. */
export function withHiddenBody(request: Request, body: string): Request {
  const shown = carried(request, { ...request, body: SECRET_REFERENCE })
  bodies.set(shown, body)
  return shown
}

/** The body that `request` is sent with. */
export function sentBodyOf(request: Request): string | undefined {
  return bodies.get(request) ?? request.body
}

/** `request` with `own` header fields, in lower case, of which it shows the names. Those that are references already stay. */
export function withHiddenFields(request: Request, own: Fields): Request {
  const isShown = (name: string, value: string): boolean => name === SHOWN_FIELD || beginsAsReference(value)
  const given = Object.entries(own).map(([name, value]) => [name, isShown(name, value) ? value : SECRET_REFERENCE])
  const shown = carried(request, { ...request, headers: { ...request.headers, ...Object.fromEntries(given) } })
  fields.set(shown, own)
  return shown
}

/** `headers`, as plugins left them, with what `request` hides. */
export function sentFieldsOf(request: Request, headers: Fields): Fields {
  const own = fields.get(request)
  if (own === undefined) return headers
  const hidden = Object.entries(own).filter(([name]) => headers[name] === SECRET_REFERENCE)
  return { ...headers, ...Object.fromEntries(hidden) }
}

/** The header fields that `request` hides. */
export function hiddenFieldsOf(request: Request): Fields {
  return fields.get(request) ?? {}
}

/** `to`, which is sent with the body and the fields of `from`. */
function carried(from: Request, to: Request): Request {
  const [body, own] = [bodies.get(from), fields.get(from)]
  if (body !== undefined) bodies.set(to, body)
  if (own !== undefined) fields.set(to, own)
  return to
}

/**
 * `request`, which shows neither its query, unless it is that of `known`, nor where it is led on to. Its path is for plugins alone where it was `ledTo` by an
 * answer: cookies and robots.txt go by it, and a server may have put a token there.
 */
export function withHiddenUrl(request: Request, known: string, ledTo = false): Request {
  const url = request.url === known ? known : withoutQuery(request.url)
  const shownUrl = ledTo ? withoutPath(url, known) : url
  const { shownUrl: _before, ...rest } = request
  const shown = carried(request, { ...rest, url, ...(shownUrl !== url && { shownUrl }) })
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
  const { url, shownUrl = url } = request
  const told = (text: string): string => withoutUrl(withoutUrl(text, sent, shownUrl), url, shownUrl)
  const shown = (headers: ResponseHeaders): ResponseHeaders =>
    Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, URL_FIELDS.has(name) ? shownField(value, sent) : value]),
    )
  return {
    sent: () => receiver.sent(),
    headers: (head) => receiver.headers({ ...head, headers: shown(head.headers) }),
    flows: () => receiver.flows?.(),
    holds: () => receiver.holds?.(),
    done(response) {
      targets.set(request, parseUrl(locationOf(response.headers), sent))
      receiver.done({ ...response, url: shownUrl, headers: shown(response.headers) })
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

function shownField(given: string | readonly string[], from: string): string {
  const url = typeof given === 'string' ? parseUrl(given, from) : undefined
  return url === undefined ? SECRET_REFERENCE : withoutPath(url, from)
}

/** Neither path nor query, unless the path is nobody's secret: that of `known`, or none. */
function withoutPath(url: string, known: string): string {
  const { origin, pathname } = new URL(url)
  const isKnown = pathname === '/' || url.split('?', 1)[0] === known.split('?', 1)[0]
  return isKnown ? withoutQuery(url) : `${origin}/${SECRET_REFERENCE}`
}
