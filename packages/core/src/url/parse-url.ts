// Makes an absolute URL of what a page, a header or a person wrote, in the form in which it will be requested.
//
// The WHATWG parser is the definition. It costs 0.5 µs and an object a link, and nine links in ten do not need it: those made only of
// characters that it leaves as they are, without dot segments. They are resolved by cutting and joining strings; everything else goes to
// `URL.parse`. A differential test holds both to the same answer. What cannot become a target never reaches the parser, however it is written.
import { isOverlongHost } from './host-limits.ts'

/** Longer URLs are refused, for traps grow them. Source: RFC 9110 §4.1, which asks for at least as much. */
const MAX_URL_BYTES = 8_000
/** Characters before the fragment: twice the longest URL, for white space, credentials and dot segments, which go. */
const MAX_HREF_CHARACTERS = 2 ** 14
/** White space that the parser takes out wherever it is. */
const TAKEN_OUT = /[\t\n\r]/g
/** Scheme and authority; without either it is a path. */
const AUTHORITY = /^[\0- ]*(?:([a-z][a-z0-9+.-]*):[/\\]*|[/\\]{2,})([^/\\?#]*)/i

const SLASH = 47
const QUESTION = 63
const HASH = 35
const DOT = 46
const LOWER_H = 104
const LAST_LABEL_IS_NAME = /(?:^|\.)[a-z][a-z0-9-]*$/
const QUICK_HOST = /^[a-z0-9][a-z0-9.-]*$/
/** DNS has no such name (RFC 1035 §3.1), and `http://./` without the dot at its end is no URL. */
const EMPTY_LABEL = /^\.|\.\./
const NEEDS_IDNA = /xn--|\.\.|\.-|-\./

let lastBase: CompiledBase | undefined

/**
 * Resolves `href` against `base`: an absolute http(s) URL without fragment, credentials and a dot at the end of its host, in WHATWG form.
 * @returns undefined for what is no URL, has another scheme, is longer than 8,000 bytes, or has a host that is longer than 253 octets, or that has an
 * empty label or one longer than 63.
 *
 * @example
 * ```ts
 * parseUrl('../b?c#d', 'https://shop.example/a/') // 'https://shop.example/b?c'
 * parseUrl('mailto:me@shop.example') // undefined
 * ```
 */
export function parseUrl(href: string, base?: string): string | undefined {
  if (base !== undefined && lastBase?.given !== base) lastBase = compileBase(base)
  const url = quickly(href, base === undefined ? undefined : lastBase) ?? exactly(href, base)
  return url !== undefined && url.length <= MAX_URL_BYTES ? url : undefined
}

/**
 * Why `parseUrl` makes nothing of `href`. `malformed`: it is written wrongly, it might lead to a page, and no parser makes a URL of it. `not-http`: of another
 * scheme. `bad-host`: no name server can know its host.
 */
export function noTarget(href: string, base?: string): 'malformed' | 'url-too-long' | 'not-http' | 'bad-host' {
  const url = href.length > MAX_HREF_CHARACTERS ? undefined : URL.parse(href, base)
  if (url === undefined) return 'url-too-long'
  if (url === null) return mayBeTarget(href) ? 'malformed' : /^[\0- ]*https?:/i.test(href) ? 'bad-host' : 'not-http'
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'not-http'
  return isOverlongHost(url.hostname) || EMPTY_LABEL.test(url.hostname) ? 'bad-host' : 'url-too-long'
}

/** The definition. An href is ASCII, so its length is its size in bytes. */
function exactly(given: string, base: string | undefined): string | undefined {
  const fragment = given.indexOf('#')
  // The sign stays: white space before it is part of the URL.
  const href = fragment === -1 ? given : given.slice(0, fragment + 1)
  if (href.length > MAX_HREF_CHARACTERS || !mayBeTarget(href)) return undefined
  const url = URL.parse(href, base)
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return undefined
  if (isOverlongHost(url.hostname) || EMPTY_LABEL.test(url.hostname)) return undefined
  // Another name for the same server (RFC 1034 §3.1).
  if (url.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1)
  if (url.username !== '') url.username = ''
  if (url.password !== '') url.password = ''
  return url.href.endsWith('#') ? url.href.slice(0, -1) : url.href
}

/** Whether `href` is worth parsing: a path, or an http(s) URL of a host that a name server can know. */
function mayBeTarget(href: string): boolean {
  const [, scheme, authority] = AUTHORITY.exec(href.replace(TAKEN_OUT, '')) ?? []
  if (authority === undefined) return true
  if (scheme !== undefined && !/^https?$/i.test(scheme)) return false
  return !isOverlongHost(authority.slice(authority.lastIndexOf('@') + 1))
}

/** The same for plain hrefs; undefined when it is not sure. */
function quickly(href: string, base: CompiledBase | undefined): string | undefined {
  const first = href.charCodeAt(0)
  if (first === LOWER_H && href.startsWith('http') && (href.startsWith('://', 4) || href.startsWith('s://', 4))) {
    return quicklyAbsolute(href, base)
  }
  if (base === undefined || href === '') return undefined
  switch (first) {
    case SLASH:
      return href.charCodeAt(1) === SLASH ? undefined : joined(base.origin, href, 0)
    case HASH:
      return base.document + base.query
    case QUESTION:
      return joined(base.document, href, 0)
    case DOT:
      return quicklyUpwards(href, base)
    default: {
      const path = joined(base.directory, href, 0)
      // Before the first slash a colon ends a scheme.
      return path === undefined || path.includes(':', base.directory.length) ? undefined : path
    }
  }
}

function quicklyAbsolute(href: string, base: CompiledBase | undefined): string | undefined {
  if (base !== undefined && href.startsWith(base.origin) && href.charCodeAt(base.origin.length) === SLASH) {
    return joined(base.origin, href, base.origin.length)
  }
  const hostAt = href.indexOf('/') + 2
  const slash = href.indexOf('/', hostAt)
  if (slash === -1) return undefined
  const host = href.slice(hostAt, slash)
  if (isOverlongHost(host)) return undefined
  // A last label that is a number makes the host an IPv4 address, in any notation.
  if (!QUICK_HOST.test(host) || !LAST_LABEL_IS_NAME.test(host) || NEEDS_IDNA.test(host)) return undefined
  return joined(href.slice(0, slash), href, slash)
}

/** `./x` and `../../x`. */
function quicklyUpwards(href: string, base: CompiledBase): string | undefined {
  let { directory } = base
  let at = 0
  for (;;) {
    if (href.startsWith('../', at)) {
      const above = directory.lastIndexOf('/', directory.length - 2)
      if (above >= base.origin.length) directory = directory.slice(0, above + 1)
      at += 3
    } else if (href.startsWith('./', at)) at += 2
    else break
  }
  return at === 0 ? undefined : joined(directory, href, at)
}

/** `prefix` and `href` from `from` on without the fragment, if all of it is safe. */
function joined(prefix: string, href: string, from: number): string | undefined {
  const end = safeEnd(href, from)
  // Always joined, never only cut: in V8 a piece of a string keeps the whole alive, and a href is a piece of its page.
  return end === -1 ? undefined : prefix + href.slice(from, end)
}

/** A base URL in parts. */
interface CompiledBase {
  /** As it was given. */
  readonly given: string
  /** `https://shop.example:8080` */
  readonly origin: string
  /** Up to the last slash of the path, the slash included. */
  readonly directory: string
  /** Up to the end of the path. */
  readonly document: string
  /** With its question mark, or empty. */
  readonly query: string
}

/** Cuts `base`; undefined when it is not an http(s) URL. */
function compileBase(base: string): CompiledBase | undefined {
  // The URL of a page is as the parser leaves it, and costs 3 µs there.
  if (quickly(base, lastBase) === base) return compiled(base, base.slice(0, base.indexOf('/', base.indexOf('/') + 2)), base)
  const url = URL.parse(base)
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return undefined
  // `search` is empty for a lone question mark, which the href keeps.
  const query = url.search === '' && url.href.split('#', 1)[0]?.endsWith('?') === true ? '?' : url.search
  return compiled(base, url.origin, url.origin + url.pathname + query)
}

/** `url`: absolute, without a fragment. */
function compiled(given: string, origin: string, url: string): CompiledBase {
  const questionAt = url.indexOf('?')
  const document = questionAt === -1 ? url : url.slice(0, questionAt)
  return {
    given,
    origin,
    directory: document.slice(0, document.lastIndexOf('/') + 1),
    document,
    query: url.slice(document.length),
  }
}

// Which characters the WHATWG parser leaves as they are, in paths and in queries, and how far a href is made of them.

const PATH = 1
const QUERY = 2
const PERCENT = 37

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
function safeEnd(href: string, from: number): number {
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
