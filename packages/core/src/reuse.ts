// What a cache has for a request, and what a 304 makes of it.
//
// A cache is asked last, when all plugins have set their header fields: which kept response is the answer depends on them (Vary), in whatever order plugins
// are. Conditional requests are made in one place: where the request has conditions already, those of the crawl's own visits or of its link, they stay.
import { headerOf, type Response, type ResponseHeaders } from './response.ts'

/** What a cache has for a request. */
export type Reuse =
  /** The answer: nothing is sent. */
  | { readonly kind: 'serve'; readonly response: Response }
  /** To be sent with the validators of the kept response; after a 304, the answer is that response. */
  | { readonly kind: 'revalidate'; readonly headers: ResponseHeaders; kept(): Pick<Response, 'status' | 'headers' | 'body'> }

/** Of a 304, these describe its own message, and not the kept response. A cookie that it sets is meant for whoever asked. Source: RFC 9111 §3.2. */
const OWN_FIELDS =
  /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|content-(?:encoding|type|length|range))$/

/** Header fields that ask whether a response with `headers` still is the answer; none where it has no validator, or `sent` asks already. */
export function conditionsFrom(
  headers: ResponseHeaders,
  sent: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  if (Object.keys(sent).some((name) => name.startsWith('if-'))) return {}
  const etag = headerOf(headers, 'etag')
  const lastModified = headerOf(headers, 'last-modified')
  return {
    ...(etag !== undefined && { 'if-none-match': etag }),
    ...(lastModified !== undefined && { 'if-modified-since': lastModified }),
  }
}

/** The answer after `notModified`, a 304: the kept response with the header fields that the 304 brought. Source: RFC 9111 §4.3.4. */
export function revalidated(kept: Pick<Response, 'status' | 'headers' | 'body'>, notModified: Response): Response {
  const newer = Object.entries(notModified.headers).filter(([name]) => !OWN_FIELDS.test(name))
  const { status, body } = kept
  // How old it was when it came says nothing any more.
  const { age: _age, ...headers } = kept.headers
  return { ...notModified, status, headers: { ...headers, ...Object.fromEntries(newer) }, body }
}
