// The identity form of a URL: two URLs with the same one are the same page, and only one of them is requested.
//
// The rules are w3lib's, which a decade of crawls has tried: sorted query, form escapes, no fragment. One differs: in paths only escapes of
// unreserved characters are undone (RFC 3986 §6.2.2.2), for `/a%3Ab` need not be `/a:b`. Tracking parameters, `www.` and slashes at the end
// stay, for they may matter. What is fetched is the WHATWG form: the canonical one only names it, so a server never sees a query re-sorted.
export { parseUrl } from './parse-url.ts'

/** Steps of the canonicaliser. All are on by default. */
export interface CanonicalRules {
  /** Sort the pairs of the query, by key, then by value. */
  readonly sortQuery: boolean
  /** Keep pairs without a value; `?a` and `?a=` are the same. */
  readonly keepBlankValues: boolean
  /** Write escapes in one way: upper case, unreserved characters bare; in queries as forms do (`+` for a space). */
  readonly normaliseEscapes: boolean
  readonly dropFragment: boolean
  /** `shop.example.` is `shop.example`. */
  readonly foldTrailingDot: boolean
}

/** What a crawl uses. */
export const CANONICAL_RULES: CanonicalRules = {
  sortQuery: true,
  keepBlankValues: true,
  normaliseEscapes: true,
  dropFragment: true,
  foldTrailingDot: true,
}

/** Goes up when the same rules give another result: stores made before are then refused rather than doubled. */
const VERSION = 1

/** Names the rules that decide which URLs are the same; a store keeps it. */
export const CANONICALISATION: string = canonicalisationOf(CANONICAL_RULES)

/** The name of a set of rules. */
export function canonicalisationOf(rules: CanonicalRules): string {
  const steps = Object.entries(rules).filter(([, isOn]) => isOn)
  return `avocet-${VERSION}:${steps
    .map(([step]) => step)
    .toSorted()
    .join('+')}`
}

/**
 * The identity form of `url`, which is in WHATWG form (as `parseUrl` or `URL.href` give it).
 *
 * @example
 * ```ts
 * canonicalUrl('https://shop.example/%7Eme?b=2&a=%c3%a9') // 'https://shop.example/~me?a=%C3%A9&b=2'
 * ```
 */
export function canonicalUrl(url: string, rules: CanonicalRules = CANONICAL_RULES): string {
  const folded = rules.foldTrailingDot ? withoutTrailingDot(url) : url
  if (!/[#%?]/.test(folded)) return folded
  const hash = folded.indexOf('#')
  const bare = hash === -1 ? folded : folded.slice(0, hash)
  const fragment = hash === -1 || rules.dropFragment ? '' : folded.slice(hash)
  const question = bare.indexOf('?')
  const path = question === -1 ? bare : bare.slice(0, question)
  const query = question === -1 ? '' : canonicalQuery(bare.slice(question + 1), rules)
  return (rules.normaliseEscapes ? canonicalPath(path) : path) + (query === '' ? '' : `?${query}`) + fragment
}

function withoutTrailingDot(url: string): string {
  const hostAt = url.indexOf('//') + 2
  const slash = url.indexOf('/', hostAt)
  const dot = url.lastIndexOf('.', slash)
  if (dot < hostAt || (dot !== slash - 1 && url.charAt(dot + 1) !== ':')) return url
  return url.slice(0, dot) + url.slice(dot + 1)
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

function canonicalQuery(query: string, rules: CanonicalRules): string {
  const pairs: { readonly key: string; readonly value: string }[] = []
  for (const pair of query.split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const key = equals === -1 ? pair : pair.slice(0, equals)
    const value = equals === -1 ? '' : pair.slice(equals + 1)
    if (value === '' && !rules.keepBlankValues) continue
    pairs.push(rules.normaliseEscapes ? { key: formEscaped(key), value: formEscaped(value) } : { key, value })
  }
  if (rules.sortQuery && pairs.length > 1) pairs.sort((a, b) => compare(a.key, b.key) || compare(a.value, b.value))
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
