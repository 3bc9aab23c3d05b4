// The identity form of a URL: two URLs with the same one are the same page, and only one of them is requested.
//
// The rules are w3lib's, which a decade of crawls has tried: sorted query, form escapes, no fragment. One differs: in paths only escapes of
// unreserved characters are undone (RFC 3986 §6.2.2.2), for `/a%3Ab` need not be `/a:b`. `www.` and slashes at the end stay, for they may matter.
// Tracking parameters stay here, for a scope removes them before (dropped-parameters.ts). What is fetched is the WHATWG form: the canonical one only
// names it, so a server never sees a query re-sorted.

/**
 * Names the rules that decide which URLs are the same; a store keeps it, and is refused by a crawl with other rules rather than doubled. The number goes up
 * when the same rules give another result.
 *
 * The rules: no fragment; a dot at the end of the host folded (`shop.example.`, by `parseUrl`); pairs without a value kept, `?a` and `?a=` being the same;
 * escapes written in one way, upper case, unreserved characters bare, in queries as forms do (`+` for a space); the pairs of the query sorted by key, then by
 * value.
 */
export const CANONICALISATION = 'avocet-1:dropFragment+foldTrailingDot+keepBlankValues+normaliseEscapes+sortQuery'

/**
 * The identity form of `url`, which is in WHATWG form, as `parseUrl` gives it.
 *
 * @example
 * ```ts
 * canonicalUrl('https://shop.example/%7Eme?b=2&a=%c3%a9') // 'https://shop.example/~me?a=%C3%A9&b=2'
 * ```
 */
export function canonicalUrl(url: string): string {
  if (!/[#%?]/.test(url)) return url
  const hash = url.indexOf('#')
  const bare = hash === -1 ? url : url.slice(0, hash)
  const question = bare.indexOf('?')
  const path = question === -1 ? bare : bare.slice(0, question)
  const query = question === -1 ? '' : canonicalQuery(bare.slice(question + 1))
  return canonicalPath(path) + (query === '' ? '' : `?${query}`)
}

function canonicalPath(path: string): string {
  if (!path.includes('%')) return path
  return path.replaceAll(/%[0-9A-Fa-f]{2}/g, (escape, at: number) => {
    // Behind a `%` that escapes nothing it would become another escape: `/%%443` is not `/%D3`.
    if (/%[0-9A-Fa-f]?$/.test(path.slice(Math.max(0, at - 2), at))) return escape.toUpperCase()
    const char = String.fromCharCode(Number.parseInt(escape.slice(1), 16))
    return /[\w.~-]/.test(char) ? char : escape.toUpperCase()
  })
}

function canonicalQuery(query: string): string {
  const pairs: { readonly key: string; readonly value: string }[] = []
  for (const pair of query.split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const key = equals === -1 ? pair : pair.slice(0, equals)
    const value = equals === -1 ? '' : pair.slice(equals + 1)
    pairs.push({ key: formEscaped(key), value: formEscaped(value) })
  }
  if (pairs.length > 1) pairs.sort((a, b) => compare(a.key, b.key) || compare(a.value, b.value))
  return pairs.map(({ key, value }) => `${key}=${value}`).join('&')
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

/** The form encoding of what `text` encodes, byte by byte, in any charset. Source: HTML 4.01 §17.13.4, as Python's urlencode. */
function formEscaped(text: string): string {
  if (/^[\w.~+-]*$/.test(text)) return text
  return text.replaceAll(/%[0-9A-Fa-f]{2}|[^\w.~+-]/g, (found) => {
    const code = found.length === 3 ? Number.parseInt(found.slice(1), 16) : found.charCodeAt(0)
    if (code === 32) return '+'
    const char = String.fromCharCode(code)
    if (/[\w.~-]/.test(char)) return char
    return code > 255 ? found : `%${code.toString(16).toUpperCase().padStart(2, '0')}`
  })
}
