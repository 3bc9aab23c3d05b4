// Makes an absolute URL of what a page, a header or a person wrote, in the form in which it will be asked for.
//
// The WHATWG parser is the definition. It costs 0.5 µs and an object a link, and nine links in ten do not need it: those made only of
// characters that it leaves as they are, without dot segments. They are resolved by cutting and joining strings; everything else goes to
// `URL.parse`. A differential test holds both to the same answer.
import { compileBase, type CompiledBase } from './base-url.ts'
import { safeEnd } from './safe-characters.ts'

/** Longer URLs are refused: no browser of the web's youth took them, and traps grow them. Source: the old limit of Internet Explorer. */
export const MAX_URL_BYTES = 2_083

const SLASH = 47
const QUESTION = 63
const HASH = 35
const DOT = 46
const LOWER_H = 104
const LAST_LABEL_IS_NAME = /(?:^|\.)[a-z][a-z0-9-]*$/
const QUICK_HOST = /^[a-z0-9][a-z0-9.-]*$/
const NEEDS_IDNA = /xn--|\.\.|\.-|-\./

let lastBase: CompiledBase | undefined

/**
 * Resolves `href` against `base`: an absolute http(s) URL without fragment and credentials, in WHATWG form.
 * @returns undefined for what is no URL, has another scheme, or is longer than 2,083 bytes.
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

/** The definition. An href is ASCII, so its length is its size in bytes. */
function exactly(href: string, base: string | undefined): string | undefined {
  const url = URL.parse(href, base)
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return undefined
  if (url.username !== '') url.username = ''
  if (url.password !== '') url.password = ''
  const hash = url.href.indexOf('#')
  return hash === -1 ? url.href : url.href.slice(0, hash)
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
  // A last label that is a number makes the host an IPv4 address, in whatever notation.
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
