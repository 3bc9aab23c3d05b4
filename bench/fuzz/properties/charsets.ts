// Charsets: bodies as text, against the platform's TextDecoder, at once and in pieces.
//
// Charsets of several bytes are compared on what is valid in them: the platform's tables (ICU) and the standard's differ in what becomes U+FFFD.
import * as fc from 'fast-check'
import assert from 'node:assert/strict'
import { charsetOf, decodeText, decodedInSteps, withLegacyQuery } from '../../../packages/page/src/markup/charset.ts'
import { corpusOf } from '../corpus.ts'
import { mutated, told } from '../mutated.ts'
import { property, type Property } from '../property.ts'

const LABELS = [
  ...[
    'utf-8',
    'UTF8',
    'latin1',
    'iso-8859-1',
    'windows-1252',
    'us-ascii',
    'utf-16',
    'utf-16be',
    'shift_jis',
    'euc-jp',
    'iso-2022-jp',
    'gbk',
    'gb18030',
  ],
  ...[
    'big5',
    'euc-kr',
    'koi8-r',
    'iso-8859-15',
    'windows-1251',
    'x-user-defined',
    'hz-gb-2312',
    'iso-2022-kr',
    'macintosh',
    'ibm866',
    'nonsense',
    '',
    ' utf-8 ',
  ],
] as const
/** Of one byte a character, and those of Unicode, are the same everywhere. */
const ALIKE = [
  'UTF-8',
  'UTF-16LE',
  'UTF-16BE',
  'KOI8-R',
  'windows-1251',
  'windows-1250',
  'IBM866',
  'ISO-8859-2',
  'ISO-8859-5',
  'ISO-8859-15',
  'macintosh',
] as const

const TOKENS = [
  '\ufeff',
  '\ufffe',
  '<meta charset=',
  '<meta charset=koi8-r>',
  'encoding="',
  '<?xml version="1.0" encoding="',
  '\u001b$B',
  '\u001b(B',
  'é',
  '漢字',
  '😀',
  '\0',
] as const
const page = mutated({ files: corpusOf('pages'), tokens: TOKENS })
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 200 }).map((all) => told(Buffer.from(all))),
  fc.string({ unit: 'binary', maxLength: 60 }).map((text) => told(Buffer.from(text))),
  page,
)

const known = property(
  { name: 'charset', what: 'every body has a charset, and is text in it', runs: 2_500 },
  fc.record({
    body: bytes,
    label: fc.option(fc.constantFrom(...LABELS), { nil: undefined }),
    markup: fc.constantFrom('html', 'xml', 'none'),
  }),
  ({ body, label, markup }) => {
    const charset = charsetOf(body, { label, markup })
    const text = decodeText(body, charset)
    assert.ok(text.length <= body.length + 1, `${String(text.length)} characters of ${String(body.length)} bytes`)
    assert.equal(text.isWellFormed(), true)
    const href = text.slice(0, 300)
    assert.equal(withLegacyQuery(href, charset).split('#', 1)[0]?.split('?', 1)[0], href.split('#', 1)[0]?.split('?', 1)[0])
  },
)

const platform = property(
  { name: 'charset-platform', what: 'text of the charsets that are the same everywhere is what the platform reads', runs: 2_500 },
  fc.tuple(bytes, fc.constantFrom(...ALIKE)),
  ([body, charset]) => {
    // A byte order mark wins over whatever was declared.
    const marked = charsetOf(body, { label: charset, markup: 'none' })
    assert.equal(decodeText(body, charset), new TextDecoder(marked).decode(body))
  },
)

/** A body of some pieces: characters may be cut wherever one piece ends. */
const large = fc
  .tuple(
    bytes.filter((piece) => piece.length > 0),
    fc.integer({ min: 524_285, max: 1_100_000 }),
  )
  .map(([piece, length]) => Buffer.alloc(length, piece))
const inPieces = property(
  { name: 'charset-pieces', what: 'a large body that is decoded piece by piece is the same text', runs: 12 },
  fc.tuple(
    large.map(shortlyTold),
    fc.constantFrom(
      'UTF-8',
      'UTF-16LE',
      'windows-1252',
      'Shift_JIS',
      'EUC-JP',
      'ISO-2022-JP',
      'gb18030',
      'Big5',
      'EUC-KR',
      'replacement',
    ),
  ),
  ([body, declared]) => {
    // A byte order mark wins over whatever was declared.
    const charset = charsetOf(body, { label: declared, markup: 'none' })
    const steps = decodedInSteps(body, charset)
    let step = steps.next()
    while (step.done !== true) step = steps.next()
    assert.ok(step.value === decodeText(body, charset), 'the texts differ')
  },
)

function shortlyTold(body: Buffer): Buffer {
  const text = (): string => `${String(body.length)} bytes of ${JSON.stringify(body.toString('latin1', 0, 200))}…`
  return Object.defineProperty(body, fc.toStringMethod, { value: text, configurable: true })
}

/** All of this file. */
export const CHARSET_PROPERTIES: readonly Property[] = [known, platform, inPieces]
