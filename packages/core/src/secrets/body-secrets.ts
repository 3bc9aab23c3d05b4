// A body without the secrets of its crawl: what the crawl knows to be one, and what the body itself names as one, also within escapes.
//
// A body is searched layer by layer (decoded-layers.ts): first for values with the name of a secret parameter, then for these and all known values. Names
// are words, and a site may use them for its own: what looks like words is hidden only where it can be nothing else. Each place is replaced by a reference,
// so that a handler makes the same links as before, for links hold references, too.
import { layersOf, type DecodedLayer } from './decoded-layers.ts'
import { looksLikeWords } from './secret-value.ts'
import type { NamedPlaces, NamedPlace } from './named-places.ts'
import { MIN_CHARACTERS_IN_TEXT } from './known-values.ts'
import { PreparedSearch, searchFor } from './prepared-search.ts'
import { beginsAsReference, SECRET_REFERENCE } from './reference.ts'
import type { SecretSpan } from './value-search.ts'

/** Of one body, beside those that are known. */
const MAX_FOUND = 50
const MAX_VALUE = 4_096
/** For names in all layers of a body: some 100 ms, in which a crawl does nothing else. */
const MAX_EFFORT = 2 ** 18
const [DOUBLE_QUOTE, SINGLE_QUOTE, BACKSLASH] = [34, 39, 92]
/** Octets; markup comes first. */
const UTF_16_LOOKED_AT = 1_024
/** A value that has a name takes so much longer than a name alone. */
const EFFORT_OF_PLACE = 5

/** What is looked for. */
export interface BodySecrets {
  /** Decoded; values of parameters with these names. */
  readonly names: readonly string[]
  /** Values that are known, as they were sent. */
  readonly values: Iterable<string>
}

/** `body` with references; undefined where it cannot be searched: UTF-16, or one in which a search takes too long. The same bytes where nothing is hidden. */
export function withoutBodySecrets(
  body: Uint8Array,
  { names, values }: BodySecrets,
  prepared: PreparedSearch = new PreparedSearch(),
): Uint8Array | undefined {
  const known = prepared.known([...values])
  if (names.length === 0 && known.isEmpty) return body
  if (isUtf16(body)) return undefined
  const source = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const layers = [...layersOf(source)]
  const found = names.length === 0 ? NOTHING : namedIn(layers, prepared.places(names), MAX_EFFORT)
  if (found === undefined) return undefined
  const named = replaced(source, found.spans)
  const searches = [known, searchFor(found.values)].filter(({ isEmpty }) => !isEmpty)
  const spans: SecretSpan[][] = []
  for (const layer of searches.length === 0 ? [] : named === source ? layers : layersOf(named)) {
    for (const search of searches) {
      const inLayer = search.in(layer.bytes)
      if (inLayer === undefined) return undefined
      spans.push(inSource(layer, inLayer))
    }
  }
  const hidden = replaced(named, joined(spans.flat()))
  return hidden === source ? body : hidden
}

/** The values in `text`, such as the body of a request, that have one of `names`. */
export function namedValuesIn(
  text: string,
  names: readonly string[],
  prepared: PreparedSearch = new PreparedSearch(),
): readonly string[] {
  if (names.length === 0 || text === '') return []
  const found = namedIn([...layersOf(Buffer.from(text))], prepared.places(names), Infinity)
  return (found?.values ?? []).map((value) => Buffer.from(value, 'latin1').toString())
}

/** By its mark, or by a zero in every other pair of octets: no name would be found. */
function isUtf16(body: Uint8Array): boolean {
  if ((body[0] === 0xff && body[1] === 0xfe) || (body[0] === 0xfe && body[1] === 0xff)) return true
  const zeros = [0, 0]
  const most = Math.min(body.length, UTF_16_LOOKED_AT)
  for (let at = 0; at < most; at++) if (body[at] === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1
  return zeros.some((count) => count > 0 && count >= most / 4)
}

const NOTHING: Found = { spans: [], values: [] }

/** Places that are hidden, and values that are hidden wherever else they are. */
interface Found {
  readonly spans: readonly SecretSpan[]
  readonly values: readonly string[]
}

/** Words with one name: the first, whether another is there, and where they are. */
interface Words {
  readonly first: string
  /** For each layer. */
  readonly spans: SecretSpan[][]
  isSeveral: boolean
}

/** Undefined where that takes more than `effort`: 1 for each name, and more for each value. */
function namedIn(layers: readonly DecodedLayer[], places: NamedPlaces, effort: number): Found | undefined {
  let left = effort
  const source = layers[0]?.bytes ?? Buffer.alloc(0)
  const spans: SecretSpan[][] = []
  const values = new Set<string>()
  const words = new Map<string, Words>()
  for (const layer of layers) {
    const certain: NamedPlace[] = []
    const doubtful: NamedPlace[] = []
    const text = layer.bytes.toString('latin1')
    const starts = places.startsIn(text, left)
    if (starts === undefined) return undefined
    const inLayer = places.in(text, starts, (left - starts.length) / EFFORT_OF_PLACE)
    if (inLayer === undefined) return undefined
    left -= starts.length + EFFORT_OF_PLACE * inLayer.length
    for (const place of inLayer) {
      if (beginsAsReference(place.value)) continue
      const kind = kindOf(place)
      if (place.isSure || kind === 'credential') certain.push(place)
      else if (kind === 'word') doubtful.push(place)
      const isSearched = kind === 'credential' && place.value.length <= MAX_VALUE && values.size < MAX_FOUND
      if (isSearched) values.add(place.value)
    }
    spans.push(withinStrings(source, inSource(layer, certain)))
    learn(words, doubtful)
    for (const [name, known] of words) {
      if (known.isSeveral) continue
      const some = doubtful.filter((place) => place.name === name)
      known.spans.push(withinStrings(source, inSource(layer, some)))
    }
  }
  // One name with one value may be a secret of letters only; with several it is a word that the site uses for its own.
  for (const { isSeveral, spans: some } of words.values()) if (!isSeveral) spans.push(...some)
  return { spans: joined(spans.flat()), values: [...values] }
}

function learn(words: Map<string, Words>, doubtful: readonly NamedPlace[]): void {
  for (const { name, value } of doubtful) {
    const known = words.get(name) ?? { first: value, isSeveral: false, spans: [] }
    words.set(name, known)
    if (known.first !== value) known.isSeveral = true
  }
}

/** `word`: one word, which could be a secret. `plain`: no secret, unless nothing else can be in its place. */
function kindOf({ value }: NamedPlace): 'credential' | 'word' | 'plain' {
  if (!looksLikeWords(value)) return 'credential'
  return value.length >= MIN_CHARACTERS_IN_TEXT && /^[a-z]+$/i.test(value) ? 'word' : 'plain'
}

/**
 * Each without what is behind the string of the source that it begins in: a backslash that the string ends with is escaped there, and in the next layer
 * it seems to escape the quote.
 */
function withinStrings(source: Buffer, spans: readonly SecretSpan[]): SecretSpan[] {
  return spans.map(({ start, end }) => {
    const quote = source[start - 1]
    if ((quote !== DOUBLE_QUOTE && quote !== SINGLE_QUOTE) || source[start - 2] === BACKSLASH) return { start, end }
    for (let at = start; at < end; at++) {
      if (source[at] === quote) return { start, end: at }
      if (source[at] === BACKSLASH) at++
    }
    return { start, end }
  })
}

/** In order, and each octet once. */
function inSource(layer: DecodedLayer, spans: readonly SecretSpan[]): SecretSpan[] {
  if (spans.length === 0) return []
  const apart = joined(spans)
  const offsets = layer.inSource(apart.flatMap(({ start, end }) => [start, end]))
  return apart.map((_, index) => ({ start: offsets[2 * index] ?? 0, end: offsets[2 * index + 1] ?? 0 }))
}

/** Those that overlap as one, in order. */
function joined(spans: readonly SecretSpan[]): readonly SecretSpan[] {
  const all: SecretSpan[] = []
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    const last = all.at(-1)
    if (last === undefined || span.start >= last.end) all.push(span)
    else all[all.length - 1] = { start: last.start, end: Math.max(last.end, span.end) }
  }
  return all
}

function replaced(source: Buffer, spans: readonly SecretSpan[]): Buffer {
  if (spans.length === 0) return source
  const text = source.toString('latin1')
  const pieces = spans.flatMap(({ start, end }, index) => [
    text.slice(spans[index - 1]?.end ?? 0, start),
    isNumber(text, { start, end }) ? '0' : SECRET_REFERENCE,
  ])
  return Buffer.from(pieces.join('') + text.slice(spans.at(-1)?.end ?? 0), 'latin1')
}

/** Whether it is a number of JSON, which must stay one, or a handler fails to read the whole. */
function isNumber(text: string, { start, end }: SecretSpan): boolean {
  if (!/[-\d]/.test(text[start] ?? '') || !/^-?\d+$/.test(text.slice(start, Math.min(end, start + 400)))) return false
  const around = [text.slice(Math.max(0, start - 20), start), text.slice(end, end + 20)] as const
  return /[:[,]\s*-?$/.test(around[0]) && /^\s*(?:[,}\]]|$)/.test(around[1])
}
