// What the semantic conventions of HTTP clients say of a request, a response and a failure: pure, and bounded where it is an attribute of a metric.
//
// Source: https://opentelemetry.io/docs/specs/semconv/http/ (stable). URLs have references in place of secrets before they come here.
import type { Request } from '@avocet/core'
import { reasonOf, type Failure, type TracedExchange } from '@avocet/core/plugin'
import type { Attributes } from '@opentelemetry/api'

/** Methods that are told apart (RFC 9110, RFC 5789); others are `_OTHER`. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH'])
const OTHER = '_OTHER'
const PORTS: Readonly<Record<string, number>> = { http: 80, https: 443 }
/** From here on a status is an error, as clients see it. */
const FIRST_ERROR = 400

/** The server of a request. */
export interface ServerAttributes extends Attributes {
  readonly 'server.address': string
  readonly 'server.port': number
  readonly 'url.scheme': string
}

/** Of the URL that is requested. */
export function serverAttributes(url: string): ServerAttributes {
  const { protocol, hostname, port } = new URL(url)
  const scheme = protocol.slice(0, -1)
  return { 'server.address': hostname, 'server.port': port === '' ? (PORTS[scheme] ?? 0) : Number(port), 'url.scheme': scheme }
}

/** The method, as it is told apart. */
export function methodOf({ method }: Pick<Request, 'method'>): string {
  return METHODS.has(method) ? method : OTHER
}

/** Of an answer: an error is known by its status. */
export function statusAttributes(status: number): Attributes {
  return { 'http.response.status_code': status, ...(status >= FIRST_ERROR && { 'error.type': String(status) }) }
}

/** Of a failure: a word such as `first-byte-timeout`. */
export function failureAttributes({ code }: Pick<Failure, 'code'>): Attributes {
  return { 'error.type': reasonOf(code) }
}

/** Of the span of a request. */
export function requestAttributes({ request }: Pick<TracedExchange, 'request'>): Attributes {
  const attempts = request.attempts + request.freeAttempts
  const method = methodOf(request)
  return {
    'http.request.method': method,
    ...(method === OTHER && { 'http.request.method_original': request.method }),
    'url.full': withoutUser(request.url),
    ...serverAttributes(request.url),
    ...(attempts > 0 && { 'http.request.resend_count': attempts }),
  }
}

/** A URL of a crawl has no user and password. Should one get here, it leaves without. */
function withoutUser(url: string): string {
  const parsed = new URL(url)
  if (parsed.username === '' && parsed.password === '') return url
  parsed.username = parsed.password = 'REDACTED'
  return parsed.href
}
