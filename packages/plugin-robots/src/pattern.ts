// A path pattern with `*` and a `$` at the end, matched in linear time: each piece between two stars is looked for once, from left to right.
//
// The leftmost place for a piece is always good enough, since it leaves most room for the rest; only the last piece of a pattern with `$` is
// tied to a place. So nothing is ever tried again, and `*a*a…*b$` costs what its length says (RFC 9309 §2.2.3).

/** A line `Allow: …` or `Disallow: …`, ready to match. */
export interface Rule {
  readonly allow: boolean
  /** In its common form; its length in octets is its weight. */
  readonly pattern: string
}

const DOLLAR = 36
const STAR = 42

/** Makes a rule of a pattern in octets. */
export function ruleOf(allow: boolean, written: string): Rule {
  return { allow, pattern: commonPattern(written) }
}

/**
 * How many characters of the pattern that begins at `start` of `text` are enough to exclude `path`; 0 when the pattern, which ends where its line does,
 * matches. The path begins with the first `known` characters.
 */
export function excludingLength(
  text: string,
  { start, known }: Readonly<Record<'start' | 'known', number>>,
  path: string,
): number {
  // Where the piece since the last star begins in the pattern, and where what was read of it is in the path.
  let [piece, found] = [start, 0]
  for (let at = start + known; ; at++) {
    const code = text.charCodeAt(at)
    const place = found + at - piece
    if (code === STAR) [piece, found] = [at + 1, place]
    else if (code === DOLLAR) {
      // `/a$` has no star that could stand for the rest.
      const isLast = piece === start ? place === path.length : path.endsWith(text.slice(piece, at))
      return isLast ? 0 : at + 1 - start
    } else if (isEnd(code)) return 0
    else if (path.charCodeAt(place) !== code) {
      found = piece === start ? -1 : path.indexOf(text.slice(piece, at + 1), found)
      if (found === -1) return at + 1 - start
    }
  }
}

/** Whether what a path must begin with ends before this character: `*`, `$`, the end of the line or that of the text. */
export function isEnd(code: number): boolean {
  return code === STAR || code === DOLLAR || !(code > 10)
}

/** The order in which the first rule that matches decides: the longest; of equals, one that allows (RFC 9309 §2.2.2). */
export function heavier(a: Rule, b: Rule): number {
  return b.pattern.length - a.pattern.length || Number(b.allow) - Number(a.allow)
}

// Brings paths and patterns to one form, octet by octet, so that comparing them is comparing strings (RFC 9309 §2.2.2).
//
// Text is handled as octets: one character a byte, U+0000 to U+00FF. So a file in no charset at all still matches URLs that percent-encode the
// same bytes. In the common form an unreserved character stands for itself, and everything that no URL holds raw is percent-encoded.

/** Everything from `!` to `~` that needs no change, whichever it is in: the path of a URL or a pattern. */
const PLAIN = /^[!#&'()+,\-./0-9:;=?@A-Z[\]_a-z~]*$/

/** A valid escape, or one character that is not in its common form: a percent sign that escapes nothing could be taken for one that does. */
const UNCOMMON = /%[0-9A-Fa-f]{2}|[^!#&'()+,\-./0-9:;=?@A-Z[\]_a-z~]/g
const BEFORE_AUTHORITY = /^(?:[A-Za-z][A-Za-z0-9+.-]*:)?\/\//
const UNRESERVED = /[A-Za-z0-9\-._~]/

/** The common form of each octet: made once, for a hostile file may hold half a million of them. */
const COMMON: readonly string[] = Array.from({ length: 256 }, (_, code) => {
  const character = String.fromCharCode(code)
  return UNRESERVED.test(character) ? character : `%${code.toString(16).toUpperCase().padStart(2, '0')}`
})
const BEYOND_ASCII = /[^\0-\x7f]/

/** UTF-8 of `text`, a character a byte. */
export function octetsOf(text: string): string {
  return BEYOND_ASCII.test(text) ? Buffer.from(text, 'utf8').toString('latin1') : text
}

/** The common form of a path with its query. Here `*` and `$` are characters like any other. */
function commonPath(path: string): string {
  return PLAIN.test(path) ? path : octetsOf(path).replace(UNCOMMON, common)
}

/** The common form of a pattern in octets. `*`, and `$` at the end, keep their meaning; a `$` elsewhere is a character (RFC 9309 §2.2.3). */
function commonPattern(pattern: string): string {
  if (PLAIN.test(pattern)) return pattern
  const last = pattern.length - 1
  return pattern.replace(UNCOMMON, (piece, at: number) =>
    piece === '*' || (piece === '$' && at === last) ? piece : common(piece),
  )
}

function common(piece: string): string {
  const code = piece.length === 3 ? Number.parseInt(piece.slice(1), 16) : piece.charCodeAt(0)
  return COMMON[code] ?? piece
}

/** What patterns are matched with; undefined for the file itself, which is always allowed (RFC 9309 §2.2.2). */
export function matchedPathOf(url: string): string | undefined {
  const path = commonPath(pathOf(url))
  return path === '/robots.txt' ? undefined : path
}

/** Path and query, by hand: it is asked once a page, and what is no URL has a path too. */
function pathOf(url: string): string {
  const hash = url.indexOf('#')
  const whole = hash === -1 ? url : url.slice(0, hash)
  const rest = whole.slice(BEFORE_AUTHORITY.exec(whole)?.[0].length ?? 0)
  const start = rest.search(/[/?;]/)
  if (start === -1) return '/'
  return rest[start] === '/' ? rest.slice(start) : `/${rest.slice(start)}`
}
