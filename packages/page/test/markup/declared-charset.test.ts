// What is read without the parsers of MIME types and of declarations is what they would read.
import { createRequire } from 'node:module'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { charsetOf, contentTypeOf } from '../../src/markup/charset.ts'

interface Type {
  readonly essence: string
  readonly parameters: ReadonlyMap<string, string>
}

const require = createRequire(import.meta.url)
const { MIMEType } = require('whatwg-mimetype') as { readonly MIMEType: { parse(text: string): Type | null } }
const sniff = require('html-encoding-sniffer') as (bytes: Uint8Array, options: object) => string
/** Pieces that decide, in any order. */
const PIECES = [
  '<?xml',
  ' encoding="koi8-r"',
  '?>',
  '<',
  '\0',
  '?',
  'x',
  '<meta ',
  'charset=',
  'CharSet',
  '"koi8-r"',
  '>',
  'é',
  ' ',
]

describe('a plain content type', () => {
  const token = fc.stringMatching(/^[!#$%&'*+.^_`|~A-Za-z0-9-]{1,6}$/)
  const separator = fc.constantFrom(';', '; ', ' ; ', ';;', ';  ', '')
  const parameter = fc.constantFrom('charset=', 'Charset=', 'charset =', 'charset="', 'boundary=', 'charset=a; charset=')

  it('is read as the MIME Sniffing Standard says', () => {
    const field = fc.tuple(token, fc.constantFrom('/', ' /', ''), token, separator, parameter, token, separator)
    fc.assert(
      fc.property(field, (parts) => {
        const type = MIMEType.parse(parts.join(''))
        // Of what says that it does not know, the body is looked at.
        fc.pre(type !== null && type.essence !== '*/*')
        const charset = type.parameters.get('charset')

        expect(contentTypeOf(parts.join(''), new Uint8Array())).toEqual({
          essence: type.essence,
          ...(charset !== undefined && { charset }),
        })
      }),
    )
  })
})

describe('a document that declares no charset', () => {
  it.each(['html', 'xml'] as const)('is read as if the prescan of %s had looked for one', (markup) => {
    const document = fc
      .array(fc.constantFrom(...PIECES), { maxLength: 8 })
      .map((pieces) => Buffer.from(pieces.join(''), 'latin1'))
    fc.assert(
      fc.property(document, (body) => {
        const declared = sniff(body, { xml: markup === 'xml', defaultEncoding: '' })

        expect(charsetOf(body, { markup })).toBe(declared === '' ? (body.includes(0xe9) ? 'windows-1252' : 'UTF-8') : declared)
      }),
      { numRuns: 2_000 },
    )
  })
})
