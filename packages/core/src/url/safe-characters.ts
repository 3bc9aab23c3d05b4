// Which characters the WHATWG parser leaves as they are, in paths and in queries, and how far a href is made of them.

const PATH = 1
const QUERY = 2
const SLASH = 47
const DOT = 46
const PERCENT = 37
const QUESTION = 63
const HASH = 35

/** Bits by ASCII code. Source: URL standard, path and special-query percent-encode sets; narrower, to be sure. */
const SAFE = new Uint8Array(128)
for (const char of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&()*+,;=:@/%') {
  SAFE[char.charCodeAt(0)] = PATH | QUERY
}
SAFE[QUESTION] = QUERY

/**
 * Where the part of `href` that matters ends: at its fragment or its end.
 * @returns -1 when something before that is not surely left as it is: a strange character, or what may be a dot segment.
 */
export function safeEnd(href: string, from: number): number {
  let where = PATH
  let before = SLASH
  for (let at = from; at < href.length; at++) {
    const code = href.charCodeAt(at)
    if (code >= 128) return -1
    if (((SAFE[code] ?? 0) & where) === 0) {
      if (code === HASH) return at
      if (code !== QUESTION) return -1
      where = QUERY
    } else if (where === PATH) {
      if (code === DOT && before === SLASH) return -1
      // %2e is a dot.
      if (code === PERCENT && href.charCodeAt(at + 1) === 50 && (href.charCodeAt(at + 2) | 32) === 101) return -1
    }
    before = code
  }
  return href.length
}
