// Reads the URLs of a document for the secrets in them, as the crawl would if a handler yielded them as links.
//
// Of HTML the links, with their base and their characters decoded; then, of any document, what looks like a URL in its text: attributes, forms, scripts, JSON.
// Nobody knows which of them a handler follows. Linear in the text, which is cut (secret-renewal.ts), and so many URLs.
import type { Page, PageOf } from '../page.ts'
import type { Response } from '../response.ts'
import type { Secrets } from '../secrets/secrets.ts'
import { hostKeyOf } from '../url/host-key.ts'
import { parseUrl } from '../url/parse-url.ts'
import { requiredRequest } from '../request-of.ts'

/**
 * In a text: each up to the end of its string. What neither a slash nor a quote precedes (`list?sid=1`) is more often code: `x?sid=y:z`.
 */
const URL_IN_TEXT = /(?<=^|["'`=>\s,])(?:https?:\/\/|\.{0,2}\/|\.{0,2}\?|(?<=["'])[^\s"'<>\\`{}/?]+[/?])[^\s"'<>\\`]*/gi
/** With a query, of one document. */
const MAX_URLS = 5_000
/** Characters of a URL; a longer one is data. */
const MAX_LENGTH = 8_192
/** As JSON and scripts may write any character of a URL. */
const ESCAPED = /\\(?:u([0-9a-f]{4})|x([0-9a-f]{2})|(\/))/gi
/** As HTML writes it in attributes. */
const AMPERSAND = /&(?:amp|#38|#x26);/gi

/** Remembers the values of secret parameters in the URLs that `response`, the answer to the request of its URL, hands out. */
export function rememberHandedOut(response: Response, { parameters }: Secrets, pageOf: PageOf): void {
  const { url } = response
  const page = pageOf({ request: requiredRequest(url, hostKeyOf(url, 'host')), response, html: 'fast' })
  // Links go first: the first value of an origin is the one that counts.
  if (page.isHtml) for (const anchor of page.anchors) parameters.hidden(anchor.url, url)
  for (const found of urlsIn(page)) parameters.hidden(found, url)
}

function* urlsIn({ body, baseUrl }: Page): Generator<string> {
  const text = body.replace(ESCAPED, unescaped).replace(AMPERSAND, '&')
  let left = MAX_URLS
  for (const [written] of text.matchAll(URL_IN_TEXT)) {
    // Without a query it has no parameter; with braces it is a template.
    if (!written.includes('?') || written.length > MAX_LENGTH || /[{}]/.test(written)) continue
    if (left-- === 0) return
    const found = parseUrl(written, baseUrl)
    if (found !== undefined) yield found
  }
}

function unescaped(_written: string, unicode: string | undefined, hex: string | undefined): string {
  const code = unicode ?? hex
  return code === undefined ? '/' : String.fromCharCode(Number.parseInt(code, 16))
}
