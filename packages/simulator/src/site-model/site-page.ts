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

/** Fields of a request by lower-case name. */
type Asked = Readonly<Record<string, string | readonly string[] | undefined>>

/** What a server answers that has `page`: the page, that the client has it already, or the part that is asked for. */
export function asAsked(page: SitePage, asked: Asked): SitePage {
  const found = unlessKnown(page, asked)
  return found === page ? partOf(page, asked) : found
}

/**
 * The page from the byte on that a Range asks for, or 416 where it has no such byte. Other ranges, and those of another version (If-Range), get the whole
 * (RFC 9110 §13.1.5, §14.2). Only a page with a validator has parts.
 */
function partOf(page: SitePage, { range, 'if-range': version }: Asked): SitePage {
  const { etag, 'last-modified': modified } = page.headers
  const [, digits] = /^bytes=(\d{1,15})-$/.exec(typeof range === 'string' ? range : '') ?? []
  const isSame = version === undefined || version === etag || version === modified
  if (digits === undefined || page.status !== 200 || !isSame || (etag === undefined && modified === undefined)) return page
  const [from, whole] = [Number(digits), page.body.byteLength]
  if (from >= whole) return { status: 416, headers: { 'content-range': `bytes */${whole}`, 'content-length': '0' }, body: EMPTY }
  const body = page.body.subarray(from)
  const fields = { 'content-range': `bytes ${from}-${whole - 1}/${whole}`, 'content-length': String(body.byteLength) }
  return { status: 206, headers: { ...page.headers, ...fields }, body }
}

/** The page, or 304 without a body when the client has it already. If-None-Match goes before If-Modified-Since (RFC 9110 §13.2.2). */
function unlessKnown(page: SitePage, asked: Asked): SitePage {
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
