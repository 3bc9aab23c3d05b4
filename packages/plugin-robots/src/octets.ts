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
export function commonPattern(pattern: string): string {
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
