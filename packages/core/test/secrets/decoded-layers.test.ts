// Layers, and values in them, compared with a slow way to find the same: one regular expression for escapes, a width for each octet, a look at each place.
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { layersOf } from '../../src/secrets/decoded-layers.ts'
import { ValueSearch } from '../../src/secrets/value-search.ts'

const PIECES = [
  ...[
    'a',
    'token',
    '"',
    '=',
    ' ',
    ';',
    '&',
    '#',
    '%',
    '\\',
    'x',
    'u',
    '{',
    '}',
    'é',
    '\u{1F600}',
    'a plain text without any escapes ',
  ],
  ...[
    '&amp;',
    '&quot;',
    '&#34;',
    '&#x22',
    '&#X22;',
    '&#x2028;',
    '&#128512;',
    '&nbsp;',
    '&lowbar;',
    '&none;',
    '&#0;',
    '&#9999999;',
  ],
  ...[
    '%22',
    '%2522',
    '%c3%A9',
    '%e',
    '%00',
    '\\"',
    '\\\\',
    '\\n',
    '\\x41',
    '\\u0022',
    '\\u005cu0022',
    '\\u{1F600}',
    '\\ud83d',
    '\\u{}',
  ],
  ...['ab12cd', 'ab12cd34', 'b12cd34e', '123456', '23456789', 'tomato'],
]
const texts = fc.array(fc.constantFrom(...PIECES), { maxLength: 60 }).map((pieces) => Buffer.from(pieces.join('')))

const HEX = '[0-9a-fA-F]'
const ESCAPE = new RegExp(
  [
    `%(?<octet>${HEX}{2})`,
    `&#[xX](?<hex>${HEX}{1,6});?`,
    `&#(?<decimal>[0-9]{1,7});?`,
    `&(?<name>[a-zA-Z]{1,7});`,
    `\\\\u\\{(?<braced>${HEX}{1,6})\\}|\\\\u(?<four>${HEX}{4})|\\\\x(?<two>${HEX}{2})`,
    `\\\\(?<sign>[nrtbfv"'\`/\\\\&=?:;,.~-])`,
  ].join('|'),
  'g',
)
const NAMES: Readonly<Record<string, number>> = { amp: 0x26, quot: 0x22, nbsp: 0xa0, lowbar: 0x5f }
const SIGNS: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, b: 8, f: 12, v: 11 }

/** One octet a character; undefined where it means nothing. */
function meant(of: Readonly<Record<string, string | undefined>>): string | undefined {
  const { octet, decimal, name, sign } = of
  const hex = octet ?? of['hex'] ?? of['braced'] ?? of['four'] ?? of['two']
  const named = name === undefined ? undefined : (NAMES[name] ?? 0)
  const signed = sign === undefined ? undefined : (SIGNS[sign] ?? sign.charCodeAt(0))
  const code = named ?? signed ?? (hex === undefined ? Number(decimal) : Number.parseInt(hex, 16))
  if (code < 1 || code > 0x10_ffff) return undefined
  return octet === undefined ? Buffer.from(String.fromCodePoint(code)).toString('latin1') : String.fromCharCode(code)
}

interface SlowLayer {
  readonly text: string
  /** Octets of the source for each octet of the text. */
  readonly widths: readonly number[]
}

function decoded({ text, widths }: SlowLayer): SlowLayer {
  const after: { text: string; widths: number[] } = { text: '', widths: [] }
  let copied = 0
  const keep = (to: number): void => {
    after.text += text.slice(copied, to)
    after.widths.push(...widths.slice(copied, to))
  }
  for (const { 0: escape, index, groups = {} } of text.matchAll(ESCAPE)) {
    const meaning = meant(groups)
    if (meaning === undefined) continue
    keep(index)
    copied = index + escape.length
    const width = widths.slice(index, copied).reduce((sum, each) => sum + each, 0)
    after.text += meaning
    after.widths.push(width, ...Array.from({ length: meaning.length - 1 }, () => 0))
  }
  keep(text.length)
  return after
}

function slowLayers(source: Buffer): readonly SlowLayer[] {
  const layers: SlowLayer[] = [{ text: source.toString('latin1'), widths: Array.from(source, () => 1) }]
  for (let last = layers[0]; last !== undefined && layers.length < 6;) {
    const next = decoded(last)
    if (next.text === last.text) return layers
    layers.push(next)
    last = next
  }
  return layers
}

describe('layers', () => {
  it('are those of a regular expression that replaces each escape', () => {
    fc.assert(
      fc.property(texts, (source) => {
        expect([...layersOf(source)].map(({ bytes }) => bytes.toString('latin1'))).toEqual(
          slowLayers(source).map(({ text }) => text),
        )
      }),
      { numRuns: 2_000 },
    )
  })

  it('know for each octet where it is in the source', () => {
    fc.assert(
      fc.property(texts, (source) => {
        const places = [...layersOf(source)].map((layer) => layer.inSource([...layer.bytes.keys(), layer.bytes.length]))
        const expected = slowLayers(source).map(({ widths }) => {
          let at = 0
          return [0, ...widths.map((width) => (at += width))]
        })

        expect(places).toEqual(expected)
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('values in a text', () => {
  /** Whether it is part of a longer number or word. */
  const isPart = (text: string, value: string, start: number): boolean => {
    const around = `${text.slice(Math.max(0, start - 2), start)}|${text.slice(start + value.length, start + value.length + 2)}`
    if (/^\d+$/.test(value)) return /\d[.,]?\||\|[.,]?\d/.test(around)
    return value === 'tomato' && /[\w\u0080-\u00ff-]\||\|[\w\u0080-\u00ff-]/.test(around)
  }

  it('are at each place where one is, the longest', () => {
    const some = fc.subarray([
      'ab12cd',
      'ab12cd34',
      'b12cd34e',
      '123456',
      '23456789',
      'tomato',
      'token"=',
      `${'a plain '.repeat(40)}1`,
    ])
    fc.assert(
      fc.property(texts, some, (source, values) => {
        const text = source.toString('latin1')
        const longest = values.toSorted((a, b) => b.length - a.length)
        const expected = [...source.keys()].flatMap((start) => {
          const found = longest.find((value) => {
            return text.startsWith(value, start) && !isPart(text, value, start)
          })
          return found === undefined ? [] : [{ start, end: start + found.length }]
        })

        expect(new ValueSearch(values).in(source)).toEqual(expected)
      }),
      { numRuns: 2_000 },
    )
  })
})
