// A path pattern with `*` and a `$` at the end, matched in linear time: each piece between two stars is looked for once, from left to right.
//
// The leftmost place for a piece is always good enough, since it leaves most room for the rest; only the last piece of a pattern with `$` is
// tied to a place. So nothing is ever tried again, and `*a*a…*b$` costs what its length says (RFC 9309 §2.2.3).

/** A line `Allow: …` or `Disallow: …`, ready to match. */
export interface Rule {
  readonly allow: boolean
  /** In its common form; its length in octets is its weight. */
  readonly pattern: string
  /** What stands before the first star. */
  readonly prefix: string
  /** What stands after each star, but for the last piece of an anchored pattern. */
  readonly pieces: readonly string[]
  /** What the path must end with after the last star; undefined when the pattern has no `$`. Without a star: the empty text. */
  readonly suffix: string | undefined
}

const NO_PIECES: readonly string[] = []

/** Makes a rule of a pattern in octets. */
export function ruleOf(allow: boolean, written: string): Rule {
  const pattern = commonPattern(written)
  // Nearly all patterns are plain, and a file may hold 46,000: what they have in common is there once.
  if (!pattern.includes('*') && !pattern.endsWith('$')) {
    return { allow, pattern, prefix: pattern, pieces: NO_PIECES, suffix: undefined }
  }
  const anchored = pattern.endsWith('$')
  const [prefix = '', ...rest] = (anchored ? pattern.slice(0, -1) : pattern).split('*')
  const suffix = anchored ? (rest.pop() ?? '') : undefined
  return { allow, pattern, prefix, pieces: rest.filter((piece) => piece !== ''), suffix }
}

/** Whether `rule` is about `path`, which is in its common form. */
export function matches({ prefix, pieces, suffix, pattern }: Rule, path: string): boolean {
  if (!path.startsWith(prefix)) return false
  let at = prefix.length
  for (const piece of pieces) {
    const found = path.indexOf(piece, at)
    if (found === -1) return false
    at = found + piece.length
  }
  if (suffix === undefined) return true
  // `/a$` has no star that could stand for the rest.
  if (prefix.length + 1 === pattern.length) return at === path.length
  return path.length - suffix.length >= at && path.endsWith(suffix)
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
export function commonPath(path: string): string {
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
