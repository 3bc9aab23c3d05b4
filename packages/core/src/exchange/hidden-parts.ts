// Parts of a request that only the server sees, such as a password: its body, its own header fields, the query of its URL, and the target of its redirect.
// The request has references in their place, and is the key by which the sender finds the real ones.
import type { FetchReceiver } from '../ports/fetcher.ts'
import type { Request } from '../ports/request.ts'
import type { ResponseHeaders } from '../ports/response.ts'
import { HIDDEN_VALUE, isHidden } from '../values/hidden.ts'
import { locationOf } from '../url/host-key.ts'
import { parseUrl } from '../url/parse-url.ts'

/** What the server gets, the method aside nobody else. */
export interface HiddenParts {
  readonly method: string
  readonly url: string
  readonly body: string | undefined
  /** Header fields, in lower case. */
  readonly fields: Readonly<Record<string, string>>
}

const hidden = new WeakMap<Request, HiddenParts>()
/** Where the answer to a request leads; undefined: to nothing that can be requested. */
const targets = new WeakMap<Request, string | undefined>()

/** Says what the body is, for plugins, and is nobody's secret. */
const SHOWN_FIELD = 'content-type'
/** Characters; what is shorter is a part of words. */
const MIN_QUERY = 4
/** Fields of an answer that hold a URL. */
const URL_FIELDS = ['location', 'content-location', 'refresh', 'link']

/**
 * `request`, which is sent with these parts. It shows the names of the fields, and no query of the URL, unless it is that of `known`. Where an answer led
 * there, its path is for plugins alone: cookies and robots.txt go by it, and a server may have put a token there. Fields that are references already stay.
 */
export function withHiddenParts(
  request: Request,
  parts: HiddenParts,
  { known, isLed }: { readonly known: string; readonly isLed: boolean },
): Request {
  const url = parts.url === known ? known : withoutQuery(parts.url)
  const shownUrl = isLed ? withoutPath(url, known) : url
  const fields = Object.entries(parts.fields).map(([name, value]) => [
    name,
    name === SHOWN_FIELD || isHidden(value) ? value : HIDDEN_VALUE,
  ])
  const shown = {
    ...{ ...request, url, method: parts.method, headers: { ...request.headers, ...Object.fromEntries(fields) } },
    ...(parts.body !== undefined && { body: HIDDEN_VALUE }),
    ...(shownUrl !== url && { shownUrl }),
  }
  hidden.set(shown, parts)
  return shown
}

/** What is sent after a redirect: 307 and 308 keep method and body (RFC 9110 §15.4); a password goes to no other origin. */
export function afterRedirect(sent: HiddenParts, url: string, status: number): HiddenParts {
  const isKept = (status === 307 || status === 308) && new URL(url).origin === new URL(sent.url).origin
  return isKept ? { ...sent, url } : { url, method: 'GET', body: undefined, fields: {} }
}

/** What `request` is sent with, for which plugins left these header fields. */
export function sentOf(request: Request, headers: HiddenParts['fields']): Pick<HiddenParts, 'url' | 'body' | 'fields'> {
  const own = hidden.get(request)
  if (own === undefined) return { url: request.url, body: request.body, fields: headers }
  const fields = Object.entries(own.fields).filter(([name]) => headers[name] === HIDDEN_VALUE)
  return { ...own, fields: { ...headers, ...Object.fromEntries(fields) } }
}

/** Where a redirect of `request`, which is hidden, leads. */
export function hiddenTargetOf(request: Request): string | undefined {
  return targets.get(request)
}

/** Receives the answer to `request`: without what is hidden of it. */
export function hidingAnswers(request: Request, receiver: FetchReceiver): FetchReceiver {
  const sent = hidden.get(request)?.url
  if (sent === undefined) return receiver
  const { url, shownUrl = url } = request
  const told = (text: string): string => withoutUrl(withoutUrl(text, sent, shownUrl), url, shownUrl)
  const shown = (headers: ResponseHeaders): ResponseHeaders => {
    const led = URL_FIELDS.filter((name) => name in headers)
    return { ...headers, ...Object.fromEntries(led.map((name) => [name, HIDDEN_VALUE])) }
  }
  return {
    sent: () => receiver.sent(),
    headers: (head) => receiver.headers({ ...head, headers: shown(head.headers) }),
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
  return query.length < MIN_QUERY ? told : told.replaceAll(query, HIDDEN_VALUE)
}

function withoutQuery(url: string): string {
  return url.replace(/\?.+$/s, `?${HIDDEN_VALUE}`)
}

/** Neither path nor query, unless the path is nobody's secret: that of `known`, or none. */
function withoutPath(url: string, known: string): string {
  const { origin, pathname } = new URL(url)
  const isKnown = pathname === '/' || url.split('?', 1)[0] === known.split('?', 1)[0]
  return isKnown ? withoutQuery(url) : `${origin}/${HIDDEN_VALUE}`
}
