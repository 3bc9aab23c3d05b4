// Conditional requests: whether a page is still the one that the client has. Both webs ask here.
import type { SitePage } from './site-page.ts'

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
