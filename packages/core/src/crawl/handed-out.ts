// Reads the URLs of a document for the secrets in them, as the crawl would if a handler yielded them as links.
import { pageOf } from '../html/html-page.ts'
import type { Response } from '../response.ts'
import type { Secrets } from '../secrets/secrets.ts'
import { hostKeyOf } from '../url/host-key.ts'
import { parseUrl } from '../url/parse-url.ts'
import { requiredRequest } from './request-of.ts'

/** In a text that is no page, such as JSON: each up to the end of its string. */
const URL_IN_TEXT = /(?:https?:\/\/|[/?])[^\s"'<>\\]*/g
/** Of one document, as of a page. */
const MAX_URLS = 10_000

/** Remembers the values of secret parameters in the URLs that `response`, the answer to the request of its URL, hands out. */
export function rememberHandedOut(response: Response, { parameters }: Secrets): void {
  const { url } = response
  const page = pageOf({ request: requiredRequest(url, hostKeyOf(url, 'host')), response, html: 'fast' })
  if (page.isHtml) {
    for (const anchor of page.anchors) parameters.hidden(anchor.url, url)
    return
  }
  let left = MAX_URLS
  // JSON may escape slashes.
  for (const [written] of page.body.replaceAll(String.raw`\/`, '/').matchAll(URL_IN_TEXT)) {
    if (left-- === 0) return
    const found = parseUrl(written, url)
    if (found !== undefined) parameters.hidden(found, url)
  }
}
