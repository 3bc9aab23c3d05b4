// The pattern that a person means, as the crawl names it: what is typed in another way would be kept, and would open nothing.
//
// Host names are folded as in URLs (case, punycode, default port), path and query go through the namer of patterns, so that a URL that was copied is its
// narrow pattern. A name that the namer gives stays as it is, letter by letter, so what a crawl closed can be typed as the crawl printed it. What no URL can be
// of is refused, with the pattern that was probably meant.
import { AvocetError } from '../errors.ts'
import { shown } from '../shown.ts'
import { hostKeyOf, registrableDomain } from '../url/host-key.ts'
import { urlPatterns, WHOLE_HOST, widePattern } from './url-patterns.ts'

/** Patterns that are open for good, of one crawl. */
export const MAX_ACCEPTED = 1_000
/** Where a scheme ends: behind the host `://` is a part of the path, as in `/go/http://…`. */
const SCHEME = /^[a-z][a-z\d+.-]*:\/\//i
const ANY_HOST = '*.'
const ADDRESS = /^\[|^[\d.]+$/
/**
 * Stands for `#`, the pattern's word for a number, where a URL is parsed, which would end there: a noncharacter. Escaped it has digits, so it is in no
 * pattern. Alternative rejected: a digit, for which a folder that only begins like a token would become one.
 */
const NUMBER = '\ufdd0'
const ESCAPED_NUMBER = '%EF%B7%90'

/**
 * `typed` as a crawl names it whose hosts are kept by `keying`. `knownHost`: a host that there is. Where it is typed its port stays,
 * though it may be another scheme's default (`http://shop.example:443/` is of the host `shop.example:443`).
 *
 * @throws AvocetError AVO_USAGE for what no URL or domain can be of.
 *
 * @example
 * ```ts
 * typedPattern('Shop.example/cal?d=2026-11-22', 'host') // 'shop.example/cal?d=*'
 * ```
 */
export function typedPattern(typed: string, keying: 'host' | 'domain', knownHost?: string): string {
  assertPatterns([typed])
  if (typed.startsWith(ANY_HOST)) return ofDomain(typed)
  const slash = typed.indexOf('/')
  const host = typed.slice(0, slash)
  const url = urlOf(host, typed.slice(slash).replaceAll('#', NUMBER))
  if (url === null) throw wrong('a host name before the path', typed, 'write shop.example/cal?d=* or shop.example/**')
  const hostKey = host === knownHost ? host : hostKeyOf(url, keying)
  const path = url.pathname.replaceAll(ESCAPED_NUMBER, '#')
  const query = url.search.slice(1).replaceAll(ESCAPED_NUMBER, '#')
  if (!path.endsWith(WHOLE_HOST)) return hostKey + (urlPatterns(`http://any${path}?${query}`)[0] ?? WHOLE_HOST)
  const [, folder, ...deeper] = path.slice(0, -WHOLE_HOST.length).split('/')
  if (deeper.length > 0 || query === '**')
    throw wrong(
      'all of a host, or of a first folder',
      typed,
      `write ${hostKey}${widePattern(folder, query === '**' ? '' : query)}`,
    )
  return hostKey + widePattern(folder, query)
}

/** Throws AVO_USAGE for the first that is no pattern, and when there are too many. */
export function assertPatterns(patterns: readonly string[]): void {
  const bad = patterns.find((pattern) => SCHEME.test(pattern) || !/^[^\s/]+(?:\/\S*)$|^\*\.[^\s/]+$/.test(pattern))
  if (bad !== undefined)
    throw wrong('a pattern such as shop.example/cal?d=* or *.shop.example', bad, 'the report names those that are closed')
  if (patterns.length > MAX_ACCEPTED)
    throw new AvocetError(
      'AVO_USAGE',
      `expected at most ${MAX_ACCEPTED} patterns for one crawl, got ${patterns.length}; open whole hosts: shop.example/**`,
    )
}

/** Throws AVO_USAGE for the first that `typedPattern` refuses, and when they are more than a crawl may have. */
export function assertTypedPatterns(typed: readonly string[]): void {
  assertPatterns(typed)
  for (const each of typed) typedPattern(each, 'host')
}

function ofDomain(typed: string): string {
  const expected = 'all hosts of a registrable domain, such as *.shop.example'
  const host = typed.slice(ANY_HOST.length)
  const slash = host.indexOf('/')
  const url = urlOf(slash === -1 ? host : host.slice(0, slash), '/')
  if (url === null) throw wrong(expected, typed, 'write the domain after *.')
  const name = hostKeyOf(url, 'domain')
  if (ADDRESS.test(name)) throw wrong(expected, typed, `an address has no hosts below it; for all of it write ${url.host}/**`)
  if (registrableDomain(`any.${name}`) !== name)
    throw wrong(expected, typed, `nobody registers ${name} itself; write *.NAME.${name} for one domain below it`)
  if (slash !== -1 || !isSame(url, name))
    throw wrong(expected, typed, `write *.${name} for its hosts, or ${hostKeyOf(url, 'host')}/** for all of one host`)
  return ANY_HOST + name
}

/** Whether the name that was typed is `domain`: one below it would be taken for all of it. A port does not count. */
function isSame(url: URL, domain: string): boolean {
  return hostKeyOf(`http://${url.hostname}/`, 'host') === domain
}

/** WHATWG takes more for a host than there is: `*`, and what ends one. */
function urlOf(host: string, path: string): URL | null {
  if (/[*?#@\\]/.test(host)) return null
  return URL.parse(`${host.endsWith(':443') ? 'https' : 'http'}://${host}${path}`)
}

function wrong(expected: string, got: string, hint: string): AvocetError {
  return new AvocetError('AVO_USAGE', `expected ${expected}, got ${shown(got)}; ${hint}`)
}
