// A text, and the texts within it: JSON in an attribute, a URL in a URL, a form in a script. Each layer has one more level of escapes decoded.
//
// Percent-encoding, character references of HTML, and escapes of JavaScript and JSON, all at once: what is decoded too far in one layer was as it is meant in
// the one before. A layer knows which of its octets came from an escape of the layer before, so a place in any layer is one in the source. Most of a text is
// no escape: it is copied as a whole, and nothing is remembered of it.
import { ESCAPE_SIGNS, escapeAt, lengthOf, writeMeant } from './escapes.ts'

/** How often a text is decoded: a URL in a URL in JSON in an attribute, and some. */
const MAX_LAYERS = 6
/** Octets that are looked at one by one before the next escape is searched for, or copied one by one. */
const NEAR = 24
const IS_SIGN = Uint8Array.from({ length: 256 }, (_, octet) => (ESCAPE_SIGNS.includes(octet) ? 1 : 0))

/** Of an escape: where it begins and ends in a layer, and where it ends in the layer before. */
const OFFSETS = 3

/** What a layer came from. */
interface Before {
  readonly layer: DecodedLayer
  /** `OFFSETS` for each escape, in order. */
  readonly offsets: Int32Array
}

/** A text with some levels of escapes decoded. */
export class DecodedLayer {
  /** In UTF-8, or as the source has it. */
  readonly bytes: Buffer
  readonly #before: Before | undefined

  constructor(bytes: Buffer, before?: Before) {
    this.bytes = bytes
    this.#before = before
  }

  /** Offsets in the source for those in this layer, which ascend. */
  inSource(offsets: readonly number[]): readonly number[] {
    if (offsets.length === 0 || this.#before === undefined) return offsets
    return this.#before.layer.inSource(offsetsBefore(offsets, this.#before.offsets))
  }

  /** One more level; undefined where no escape is left. */
  decoded(): DecodedLayer | undefined {
    const { bytes } = this
    const signs = new Signs(bytes)
    let at = signs.from(0)
    while (at < bytes.length && escapeAt(bytes, at) === 0) at = signs.from(at + 1)
    if (at === bytes.length) return undefined
    const out = Buffer.allocUnsafe(bytes.length)
    let offsets = new Int32Array(OFFSETS * 64)
    let [length, copied, count] = [0, 0, 0]
    while (at < bytes.length) {
      const escape = escapeAt(bytes, at)
      if (escape === 0) {
        at = signs.from(at + 1)
        continue
      }
      const start = copied === at ? length : copy(bytes, out, { from: copied, to: at, length })
      copied = at + lengthOf(escape)
      length = writeMeant(out, start, escape)
      if (count === offsets.length) offsets = twiceAsLong(offsets)
      offsets[count] = start
      offsets[count + 1] = length
      offsets[count + 2] = copied
      count += OFFSETS
      at = IS_SIGN[bytes[copied] ?? 0] === 1 ? copied : signs.from(copied)
    }
    length = copy(bytes, out, { from: copied, to: bytes.length, length })
    return new DecodedLayer(out.subarray(0, length), { layer: this, offsets: offsets.subarray(0, count) })
  }
}

/** `source`, then each of its layers. Linear in the source. */
export function* layersOf(source: Buffer): Generator<DecodedLayer> {
  let layer: DecodedLayer | undefined = new DecodedLayer(source)
  for (let left = MAX_LAYERS; layer !== undefined && left > 0; left--) {
    yield layer
    layer = left === 1 ? undefined : layer.decoded()
  }
}

/** Where an escape may begin: near the last one by a look at each octet, and farther away by a search for each sign. */
class Signs {
  readonly #bytes: Buffer
  readonly #next = ESCAPE_SIGNS.map(() => -1)

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  /** At `from` or behind it; the length of the text where there is none. `from` ascends. */
  from(from: number): number {
    const bytes = this.#bytes
    const near = Math.min(bytes.length, from + NEAR)
    for (let at = from; at < near; at++) if (IS_SIGN[bytes[at] ?? 0] === 1) return at
    let first = bytes.length
    for (const [index, sign] of ESCAPE_SIGNS.entries()) {
      const known = this.#next[index] ?? -1
      const next = known >= near ? known : bytes.indexOf(sign, near)
      this.#next[index] = next === -1 ? Infinity : next
      if (next !== -1 && next < first) first = next
    }
    return first
  }
}

/** Offsets in the layer before for those in a layer, which ascend. All behind the first octet of an escape is at its end. */
function offsetsBefore(offsets: readonly number[], escapes: Int32Array): readonly number[] {
  let [index, shift, least] = [0, 0, 0]
  return offsets.map((offset) => {
    for (; index < escapes.length && (escapes[index] ?? 0) < offset; index += OFFSETS) {
      least = escapes[index + 2] ?? 0
      shift = least - (escapes[index + 1] ?? 0)
    }
    return Math.max(least, offset + shift)
  })
}

function twiceAsLong(offsets: Int32Array): Int32Array<ArrayBuffer> {
  const more = new Int32Array(2 * offsets.length)
  more.set(offsets)
  return more
}

/** Returns where the next octet goes. */
function copy(
  bytes: Buffer,
  out: Buffer,
  { from, to, length }: { readonly from: number; readonly to: number; readonly length: number },
): number {
  if (to - from > NEAR) bytes.copy(out, length, from, to)
  else for (let at = from; at < to; at++) out[length + at - from] = bytes[at] ?? 0
  return length + to - from
}
