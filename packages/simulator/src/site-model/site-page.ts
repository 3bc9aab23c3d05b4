// A page as a web serves it, what is served where there is none, and conditional requests. Both webs answer with it.
/** The complete response for a path. Header names in lower case. */
export interface SitePage {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

const NOT_FOUND_BODY = '<!doctype html>\n<title>404 Not Found</title>\n<h1>404 Not Found</h1>\n'

/** The page of status 404, the same everywhere. */
export const NOT_FOUND: SitePage = {
  status: 404,
  headers: { 'content-type': 'text/html; charset=utf-8', 'content-length': String(NOT_FOUND_BODY.length) },
  body: new TextEncoder().encode(NOT_FOUND_BODY),
}

const EMPTY = new Uint8Array()

/** The page, or 304 without a body when the client has it already. If-None-Match goes before If-Modified-Since (RFC 9110 §13.2.2). */
export function unlessKnown(page: SitePage, asked: Readonly<Record<string, string | readonly string[] | undefined>>): SitePage {
  const { etag, 'last-modified': modified } = page.headers
  if (page.status !== 200 || (etag === undefined && modified === undefined)) return page
  const tags = asked['if-none-match']
  const since = asked['if-modified-since']
  const isKnown =
    tags === undefined
      ? modified !== undefined && typeof since === 'string' && Date.parse(since) >= Date.parse(modified)
      : etag !== undefined && String(tags).includes(etag)
  if (!isKnown) return page
  const headers = { ...(etag !== undefined && { etag }), ...(modified !== undefined && { 'last-modified': modified }) }
  return { status: 304, headers, body: EMPTY }
}
