// Reads one escape: percent-encoding, a character reference of HTML, or an escape of JavaScript and JSON.
//
// An escape is a number, so that none of a million of them is an object: the code that it means, and its length in the lowest bits.

const [PERCENT, AMPERSAND, BACKSLASH, HASH, SEMICOLON, LOWER_U, LOWER_X] = [37, 38, 92, 35, 59, 117, 120]
const [OPEN_BRACE, CLOSE_BRACE] = [123, 125]
/** Digits of a reference, and of `\u{…}`. */
const [MAX_HEX, MAX_DECIMAL] = [6, 7]
/** Letters of a named reference. */
const MAX_NAME = 7
/** An escape is shorter than 32 octets. */
const LENGTH_BITS = 5
/** Of `%41`. */
const OCTET_LENGTH = 3
const MAX_CODE = 0x10_ffff
/** Character references of punctuation (HTML Standard §13.5), without their semicolon. */
const NAMED: Readonly<Record<string, string>> = {
  ...{ amp: '&', AMP: '&', quot: '"', QUOT: '"', apos: "'", lt: '<', LT: '<', gt: '>', GT: '>', nbsp: '\u00a0' },
  ...{ Tab: '\t', NewLine: '\n', excl: '!', num: '#', dollar: '$', percnt: '%', lpar: '(', rpar: ')', ast: '*', plus: '+' },
  ...{ comma: ',', period: '.', sol: '/', colon: ':', semi: ';', equals: '=', quest: '?', commat: '@', lsqb: '[' },
  ...{ lbrack: '[', bsol: '\\', rsqb: ']', rbrack: ']', Hat: '^', lowbar: '_', grave: '`', lcub: '{', lbrace: '{' },
  ...{ verbar: '|', vert: '|', rcub: '}', rbrace: '}' },
}
/** Seven letters of six bits. */
const BY_LETTERS: ReadonlyMap<number, number> = new Map(
  Object.entries(NAMED).map(([name, sign]) => [
    Buffer.from(name).reduce((letters, letter) => withLetter(letters, letter), 0),
    sign.charCodeAt(0),
  ]),
)
/** What a letter behind a backslash is, and what stands for itself there; 0 elsewhere. */
const AFTER_BACKSLASH = new Uint8Array(256)
for (const [letter, sign] of Object.entries({ n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', v: '\v' }))
  AFTER_BACKSLASH[letter.charCodeAt(0)] = sign.charCodeAt(0)
for (const sign of Buffer.from(`"'\`/\\&=?:;,-.~`)) AFTER_BACKSLASH[sign] = sign
/** 255 for what is no digit. */
const DIGITS = Uint8Array.from({ length: 256 }, (_, code) => {
  const sign = String.fromCharCode(code)
  return /[\da-f]/i.test(sign) ? Number.parseInt(sign, 16) : 255
})

/** What an escape begins with, as octets. */
export const ESCAPE_SIGNS: readonly number[] = [PERCENT, AMPERSAND, BACKSLASH]

/** The escape at `at`; 0 where there is none. None means a zero. */
export function escapeAt(bytes: Buffer, at: number): number {
  if (bytes[at] === PERCENT) return packed(hexAt(bytes, at + 1, 2), OCTET_LENGTH)
  if (bytes[at] === AMPERSAND) return bytes[at + 1] === HASH ? numberAt(bytes, at) : namedAt(bytes, at)
  return bytes[at] === BACKSLASH ? backslashAt(bytes, at) : 0
}

/** Octets of an escape. */
export function lengthOf(escape: number): number {
  return escape & (2 ** LENGTH_BITS - 1)
}

/** Writes what `escape` means at `at`, in UTF-8, or as the octet that was percent-encoded. Returns where the next octet goes. */
export function writeMeant(out: Buffer, at: number, escape: number): number {
  const code = escape >> LENGTH_BITS
  // No other escape of this length means more than a digit.
  if (code < 0x80 || lengthOf(escape) === OCTET_LENGTH) {
    out[at] = code
    return at + 1
  }
  return at + out.write(String.fromCodePoint(code), at)
}

function numberAt(bytes: Buffer, at: number): number {
  const isHex = ((bytes[at + 2] ?? 0) | 0x20) === LOWER_X
  const [first, base] = isHex ? [at + 3, 16] : [at + 2, 10]
  const last = first + (isHex ? MAX_HEX : MAX_DECIMAL)
  let [end, code] = [first, 0]
  for (; end < last; end++) {
    const digit = DIGITS[bytes[end] ?? 0] ?? 255
    if (digit >= base) break
    code = code * base + digit
  }
  if (end === first) return 0
  return packed(code, end - at + (bytes[end] === SEMICOLON ? 1 : 0))
}

function namedAt(bytes: Buffer, at: number): number {
  let [end, letters] = [at + 1, 0]
  for (const last = at + MAX_NAME; end <= last && isLetter(bytes[end] ?? 0); end++) letters = withLetter(letters, bytes[end] ?? 0)
  return bytes[end] === SEMICOLON ? packed(BY_LETTERS.get(letters) ?? 0, end + 1 - at) : 0
}

function withLetter(letters: number, letter: number): number {
  return letters * 64 + (letter & 63)
}

function isLetter(code: number): boolean {
  return (code | 0x20) >= 97 && (code | 0x20) <= 122
}

function backslashAt(bytes: Buffer, at: number): number {
  const next = bytes[at + 1] ?? 0
  if (next === LOWER_X) return packed(hexAt(bytes, at + 2, 2), 4)
  if (next !== LOWER_U) return packed(AFTER_BACKSLASH[next] ?? 0, 2)
  if (bytes[at + 2] !== OPEN_BRACE) return packed(hexAt(bytes, at + 2, 4), 6)
  let digits = 0
  while (digits < MAX_HEX && (DIGITS[bytes[at + 3 + digits] ?? 0] ?? 255) < 16) digits++
  const isClosed = digits > 0 && bytes[at + 3 + digits] === CLOSE_BRACE
  return isClosed ? packed(hexAt(bytes, at + 3, digits), digits + 4) : 0
}

/** 0 where a digit is none. */
function hexAt(bytes: Buffer, from: number, digits: number): number {
  let code = 0
  for (let at = from; at < from + digits; at++) {
    const digit = DIGITS[bytes[at] ?? 0] ?? 255
    if (digit > 15) return 0
    code = code * 16 + digit
  }
  return code
}

function packed(code: number, length: number): number {
  return code < 1 || code > MAX_CODE ? 0 : (code << LENGTH_BITS) | length
}
