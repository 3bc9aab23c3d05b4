// Queries in pages of old charsets: browsers write what is not ASCII in the charset of the page, and servers there expect it.
import { createRequire } from 'node:module'
import type * as Whatwg from '@exodus/bytes/whatwg.js'

/** Source: URL standard, special-query percent-encode set. */
const ESCAPED = ' "#\'<>'

const require = createRequire(import.meta.url)

/** `href` with the query escaped as in `charset`, where the URL parser would write UTF-8. Source: URL standard, query state. */
export function withLegacyQuery(href: string, charset: string): string {
  if (charset.startsWith('UTF-') || charset === 'replacement') return href
  const hash = href.indexOf('#')
  const end = hash === -1 ? href.length : hash
  const question = href.indexOf('?')
  if (question === -1 || question > end) return href
  const query = href.slice(question + 1, end)
  if (!/[^\0-\u007F]/.test(query)) return href
  // Brings the tables of charsets of several bytes, which the other module asks for.
  void require('@exodus/bytes/encoding.js')
  const { percentEncodeAfterEncoding } = require('@exodus/bytes/whatwg.js') as typeof Whatwg
  // The URL parser takes tabs and line feeds out before it looks at anything.
  return (
    href.slice(0, question + 1) +
    percentEncodeAfterEncoding(charset, query.replaceAll(/[\t\n\r]/g, ''), ESCAPED) +
    href.slice(end)
  )
}
