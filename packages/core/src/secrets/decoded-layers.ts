// A text, and the texts within it: JSON in an attribute, a URL in a URL, a form in a script. Each layer has one more level of escapes decoded.
//
// Percent-encoding, character references of HTML, and escapes of JavaScript and JSON, all at once, octet by octet: what is decoded too far in one layer was
// as it is meant in the one before. Each octet of a layer knows how many octets of the source it came from, so a place in any layer is one in the source.

/** How often a text is decoded: a URL in a URL in JSON in an attribute, and some. */
const MAX_LAYERS = 6
/** Octets of the source that one of a layer may come from. */
const MAX_WIDTH = 0xffff
const [PERCENT, AMPERSAND, BACKSLASH, HASH, SEMICOLON, LOWER_A] = [37, 38, 92, 35, 59, 97]
/** Letters of a named reference. */
const MAX_NAME = 7
/** An escape is shorter than 32 octets: a code and a length in one number. */
const LENGTH_BITS = 5
/** Character references of punctuation (HTML Standard §13.5), without their semicolon. */
const NAMED: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{
      amp: '&',
      AMP: '&',
      quot: '"',
      QUOT: '"',
      apos: "'",
      lt: '<',
      LT: '<',
      gt: '>',
      GT: '>',
      nbsp: '\u00a0',
      Tab: '\t',
      NewLine: '\n',
    },
    ...{
      excl: '!',
      num: '#',
      dollar: '$',
      percnt: '%',
      lpar: '(',
      rpar: ')',
      ast: '*',
      plus: '+',
      comma: ',',
      period: '.',
      sol: '/',
    },
    ...{
      colon: ':',
      semi: ';',
      equals: '=',
      quest: '?',
      commat: '@',
      lsqb: '[',
      lbrack: '[',
      bsol: '\\',
      rsqb: ']',
      rbrack: ']',
    },
    ...{ Hat: '^', lowbar: '_', grave: '`', lcub: '{', lbrace: '{', verbar: '|', vert: '|', rcub: '}', rbrace: '}' },
  }),
)
/** What a letter behind a backslash is, and what stands for itself there. */
const AFTER_BACKSLASH: ReadonlyMap<number, number> = new Map([
  ...Object.entries({ n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', v: '\v' }).map(([letter, sign]): [number, number] => [
    letter.charCodeAt(0),
    sign.charCodeAt(0),
  ]),
  ...`"'\`/\\&=?:;,-.~`.split('').map((sign): [number, number] => [sign.charCodeAt(0), sign.charCodeAt(0)]),
])

/** A text with some levels of escapes decoded. */
export class DecodedLayer {
  /** In UTF-8, or as the source has it. */
  readonly bytes: Buffer
  /** Octets of the source for each of `bytes`; absent where it is one. */
  readonly #widths: Uint16Array | undefined

  constructor(bytes: Buffer, widths?: Uint16Array) {
    this.bytes = bytes
    this.#widths = widths
  }

  /** Offsets in the source for those in this layer, which ascend. */
  inSource(offsets: readonly number[]): readonly number[] {
    const widths = this.#widths
    if (widths === undefined) return offsets
    let [at, source] = [0, 0]
    return offsets.map((offset) => {
      for (; at < offset; at++) source += widths[at] ?? 1
      return source
    })
  }

  /** One more level; undefined where no escape is left. */
  decoded(): DecodedLayer | undefined {
    const { bytes } = this
    if ([PERCENT, AMPERSAND, BACKSLASH].every((sign) => !bytes.includes(sign))) return undefined
    const out = Buffer.allocUnsafe(bytes.length)
    const widths = new Uint16Array(bytes.length)
    const before = this.#widths
    let [length, at] = [0, 0]
    while (at < bytes.length) {
      const code = bytes[at] ?? 0
      const escape = code === PERCENT || code === AMPERSAND || code === BACKSLASH ? escapeAt(bytes, at) : 0
      const width = escape === 0 ? 0 : this.#width(at, at + lengthOf(escape))
      if (width === 0 || width > MAX_WIDTH) {
        widths[length] = before === undefined ? 1 : (before[at] ?? 1)
        out[length++] = code
        at++
      } else {
        widths[length] = width
        length = written(out, length, { code: escape >> LENGTH_BITS, isOctet: code === PERCENT })
        at += lengthOf(escape)
      }
    }
    return length === bytes.length ? undefined : new DecodedLayer(out.subarray(0, length), widths.subarray(0, length))
  }

  #width(from: number, to: number): number {
    if (this.#widths === undefined) return to - from
    let width = 0
    for (let at = from; at < to; at++) width += this.#widths[at] ?? 1
    return width
  }
}

/** `source`, then each of its layers. Linear in the source. */
export function* layersOf(source: Buffer): Generator<DecodedLayer> {
  let layer: DecodedLayer | undefined = new DecodedLayer(source)
  for (let left = MAX_LAYERS; layer !== undefined && left > 0; left--) {
    yield layer
    layer = layer.decoded()
  }
}

/** Returns where the next octet goes. The octets behind the first one come from none of the source: their width stays 0. */
function written(out: Buffer, at: number, { code, isOctet }: { readonly code: number; readonly isOctet: boolean }): number {
  if (isOctet || code < 0x80) {
    out[at] = code
    return at + 1
  }
  return at + out.write(String.fromCodePoint(code), at)
}

/** The code that an escape means, and its length in the lowest bits; 0 where there is none. */
function escapeAt(bytes: Buffer, at: number): number {
  if (bytes[at] === PERCENT) return packed(hexAt(bytes, at + 1, 2), 3)
  return bytes[at] === AMPERSAND ? referenceAt(bytes, at) : backslashAt(bytes, at)
}

function referenceAt(bytes: Buffer, at: number): number {
  if (bytes[at + 1] !== HASH) return namedAt(bytes, at)
  const found = /^(?:x([\da-f]{1,6})|(\d{1,7}));?/i.exec(bytes.toString('latin1', at + 2, at + 10))
  if (found === null) return 0
  const [whole, hex, decimal] = found
  return packed(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16), 2 + whole.length)
}

function namedAt(bytes: Buffer, at: number): number {
  let end = at + 1
  for (const last = at + MAX_NAME; end <= last && isLetter(bytes[end] ?? 0); end++);
  if (bytes[end] !== SEMICOLON) return 0
  const name = bytes.toString('latin1', at + 1, end)
  return packed(NAMED.get(name)?.charCodeAt(0) ?? -1, end + 1 - at)
}

function isLetter(code: number): boolean {
  return (code | 0x20) >= LOWER_A && (code | 0x20) <= LOWER_A + 25
}

function backslashAt(bytes: Buffer, at: number): number {
  const next = bytes[at + 1] ?? 0
  if (next === 117 && bytes[at + 2] === 123) {
    const found = /^([\da-f]{1,6})\}/i.exec(bytes.toString('latin1', at + 3, at + 10))
    return found === null ? 0 : packed(Number.parseInt(found[1] ?? '', 16), 3 + found[0].length)
  }
  if (next === 117) return packed(hexAt(bytes, at + 2, 4), 6)
  if (next === 120) return packed(hexAt(bytes, at + 2, 2), 4)
  return packed(AFTER_BACKSLASH.get(next) ?? -1, 2)
}

function lengthOf(escape: number): number {
  return escape & (2 ** LENGTH_BITS - 1)
}

function packed(code: number, length: number): number {
  return code < 1 || code > 0x10_ffff ? 0 : (code << LENGTH_BITS) | length
}

/** -1 where a digit is none. */
function hexAt(bytes: Buffer, at: number, digits: number): number {
  let value = 0
  for (let offset = 0; offset < digits; offset++) {
    const code = (bytes[at + offset] ?? 0) | 0x20
    const digit = code >= 97 && code <= 102 ? code - 87 : (bytes[at + offset] ?? 0) - 48
    if (digit < 0 || digit > 15 || (code < 97 && digit > 9)) return -1
    value = value * 16 + digit
  }
  return value
}
