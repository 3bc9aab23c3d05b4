// A byte fuzzer as an arbitrary of fast-check: a recorded file and a list of edits, so that what fails is shrunk to few edits of one file.
import * as fc from 'fast-check'

/** Longest result: a parser that is quadratic takes a second for it, not an hour. */
const MAX_BYTES = 32 * 2 ** 10
const MAX_EDITS = 10
const MAX_REPEATS = 200

/** Where an edit is made: a share of the length, in 65,536ths, so that it is somewhere in every file. */
const place = fc.nat({ max: 65_535 })
const length = fc.oneof(fc.nat({ max: 8 }), fc.nat({ max: 300 }))

/** A change to some bytes; the edits before it have been made. */
type Edit =
  | { readonly kind: 'flip'; readonly at: number; readonly bit: number }
  | { readonly kind: 'write'; readonly at: number; readonly byte: number }
  | { readonly kind: 'insert'; readonly at: number; readonly token: string }
  | { readonly kind: 'repeat'; readonly at: number; readonly length: number; readonly times: number }
  | { readonly kind: 'remove'; readonly at: number; readonly length: number }
  | { readonly kind: 'move'; readonly at: number; readonly length: number; readonly to: number }
  | { readonly kind: 'splice'; readonly at: number; readonly other: number; readonly from: number; readonly length: number }
  | { readonly kind: 'truncate'; readonly at: number }

/** Where mutations start from. */
export interface Recorded {
  readonly files: readonly Uint8Array[]
  /** What the parser knows: put in at random places. */
  readonly tokens: readonly string[]
}

/** Bytes that were a file once. */
export function mutated(recorded: Recorded): fc.Arbitrary<Buffer> {
  const { files, tokens } = recorded
  const edits: fc.Arbitrary<Edit> = fc.oneof(
    fc.record({ kind: fc.constant('flip'), at: place, bit: fc.nat({ max: 7 }) }),
    fc.record({ kind: fc.constant('write'), at: place, byte: fc.nat({ max: 255 }) }),
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('insert'), at: place, token: fc.constantFrom(...tokens) }) },
    fc.record({ kind: fc.constant('repeat'), at: place, length, times: fc.integer({ min: 2, max: MAX_REPEATS }) }),
    fc.record({ kind: fc.constant('remove'), at: place, length }),
    fc.record({ kind: fc.constant('move'), at: place, length, to: place }),
    fc.record({ kind: fc.constant('splice'), at: place, other: fc.nat({ max: files.length - 1 }), from: place, length }),
    fc.record({ kind: fc.constant('truncate'), at: place }),
  )
  return fc
    .tuple(fc.nat({ max: files.length - 1 }), fc.array(edits, { maxLength: MAX_EDITS }))
    .map(([file, list]) => list.reduce<Buffer>((bytes, edit) => edited(bytes, edit, files), Buffer.from(files[file] ?? [])))
    .map(told)
}

/** `bytes`, told as text where an input is told. */
export function told(bytes: Buffer): Buffer {
  const text = (): string => `Buffer.from(${JSON.stringify(bytes.toString('latin1'))}, 'latin1')`
  return Object.defineProperty(bytes, fc.toStringMethod, { value: text, configurable: true })
}

/** The same as text; every third is read as Latin-1, in which all bytes are characters. */
export function mutatedText(recorded: Recorded): fc.Arbitrary<string> {
  return fc
    .tuple(mutated(recorded), fc.constantFrom('utf8', 'utf8', 'latin1'))
    .map(([bytes, encoding]) => bytes.toString(encoding as BufferEncoding))
}

function edited(bytes: Buffer, edit: Edit, files: readonly Uint8Array[]): Buffer {
  const at = placeIn(bytes, edit.at)
  switch (edit.kind) {
    case 'flip':
      return changed(bytes, at, (byte) => byte ^ (1 << edit.bit))
    case 'write':
      return changed(bytes, at, () => edit.byte)
    case 'insert':
      return joined(bytes.subarray(0, at), Buffer.from(edit.token), bytes.subarray(at))
    case 'repeat': {
      const piece = bytes.subarray(at, at + edit.length)
      const times = Math.min(edit.times, Math.floor(MAX_BYTES / Math.max(1, piece.length)))
      return joined(bytes.subarray(0, at), ...Array.from({ length: times }, () => piece), bytes.subarray(at + edit.length))
    }
    case 'remove':
      return joined(bytes.subarray(0, at), bytes.subarray(at + edit.length))
    case 'move': {
      const piece = bytes.subarray(at, at + edit.length)
      const rest = joined(bytes.subarray(0, at), bytes.subarray(at + edit.length))
      const to = placeIn(rest, edit.to)
      return joined(rest.subarray(0, to), piece, rest.subarray(to))
    }
    case 'splice': {
      const other = files[edit.other] ?? bytes
      const from = placeIn(other, edit.from)
      return joined(bytes.subarray(0, at), other.subarray(from, from + edit.length), bytes.subarray(at))
    }
    case 'truncate':
      break
  }
  return bytes.subarray(0, at)
}

function placeIn(bytes: Uint8Array, at: number): number {
  return Math.floor((at * (bytes.length + 1)) / 65_536)
}

function changed(bytes: Buffer, at: number, change: (byte: number) => number): Buffer {
  const copy = Buffer.from(bytes)
  const byte = copy[at]
  if (byte !== undefined) copy[at] = change(byte)
  return copy
}

function joined(...pieces: readonly Uint8Array[]): Buffer {
  return Buffer.concat(pieces).subarray(0, MAX_BYTES)
}
