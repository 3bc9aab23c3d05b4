// Charsets: BOM, then header, then what the document says, then valid UTF-8, then windows-1252. Rows marked html5lib are from its encoding tests.
import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { charsetOf, decodeText, withLegacyQuery } from '../../src/markup/charset.ts'

const latin1 = (text: string): Uint8Array => Buffer.from(text, 'latin1')

describe('charsetOf', () => {
  it.each([
    ['a BOM before all', Uint8Array.of(0xef, 0xbb, 0xbf, 0x61), 'shift_jis', 'UTF-8'],
    ['a BOM of UTF-16, little end first', Uint8Array.of(0xff, 0xfe, 0x61, 0), 'utf-8', 'UTF-16LE'],
    ['a BOM of UTF-16, big end first', Uint8Array.of(0xfe, 0xff, 0, 0x61), 'utf-8', 'UTF-16BE'],
    ['the header before meta', latin1('<meta charset=shift_jis>'), 'UTF8', 'UTF-8'],
    ['a label by its other name', latin1('é'), 'latin1', 'windows-1252'],
    ['an unknown label is none', latin1('<meta charset=koi8-r>'), 'nonsense', 'KOI8-R'],
    ['meta (html5lib)', latin1('<!DOCTYPE HTML>\n<meta charset="iso8859-2">'), undefined, 'ISO-8859-2'],
    ['meta in single quotes (html5lib)', latin1("<!DOCTYPE HTML>\n<meta charset='iso8859-2'>"), undefined, 'ISO-8859-2'],
    ['http-equiv', latin1('<meta http-equiv="Content-Type" content="text/html; charset=euc-jp">'), undefined, 'EUC-JP'],
    ['meta in a comment is none', latin1('<!-- <meta charset=euc-jp> -->é'), undefined, 'windows-1252'],
    ['meta that says UTF-16 lies', latin1('<meta charset=utf-16>'), undefined, 'UTF-8'],
    [
      'meta after a long comment (html5lib)',
      latin1(`<!-- ${'x'.repeat(8_000)} --><meta charset="iso8859-2">`),
      undefined,
      'ISO-8859-2',
    ],
    ['nothing said, valid UTF-8', Buffer.from('é'), undefined, 'UTF-8'],
    ['nothing said, not UTF-8', latin1('é'), undefined, 'windows-1252'],
    ['nothing at all', Uint8Array.of(), undefined, 'UTF-8'],
  ])('%s', (_, body, label, expected) => {
    expect(charsetOf(body, { label, markup: 'html' })).toBe(expected)
  })

  it('reads the declaration of XML, and nothing from what is no markup', () => {
    const xml = latin1('<?xml version="1.0" encoding="ISO-8859-2"?><a>é</a>')

    expect(charsetOf(xml, { markup: 'xml' })).toBe('ISO-8859-2')
    expect(charsetOf(latin1('{"meta":"<meta charset=koi8-r>é"}'), { markup: 'none' })).toBe('windows-1252')
  })
})

describe('decodeText', () => {
  it.each([
    ['ASCII', latin1('abc'), 'UTF-8', 'abc'],
    ['UTF-8 with a BOM', Buffer.from('\uFEFFaé😀'), 'UTF-8', 'aé😀'],
    ['invalid UTF-8', Uint8Array.of(0x61, 0xff, 0x62), 'UTF-8', 'a\uFFFDb'],
    ['an overlong form', Uint8Array.of(0xc0, 0xaf), 'UTF-8', '\uFFFD\uFFFD'],
    ['a lone surrogate', Uint8Array.of(0xed, 0xa0, 0x80), 'UTF-8', '\uFFFD\uFFFD\uFFFD'],
    ['a NUL', Uint8Array.of(0x61, 0, 0x62), 'UTF-8', 'a\0b'],
    ['windows-1252, where Node 22 is wrong', Uint8Array.of(0x80, 0x92, 0xe9), 'windows-1252', '€’é'],
    ['Shift_JIS', Uint8Array.of(0x83, 0x65, 0x83, 0x58), 'Shift_JIS', 'テス'],
    ['UTF-16 with a BOM', Uint8Array.of(0xff, 0xfe, 0xe9, 0), 'UTF-16LE', 'é'],
    ['x-user-defined', Uint8Array.of(0x61, 0xff), 'x-user-defined', 'a\uF7FF'],
    ['a charset that is only for attacks', Uint8Array.of(0x61, 0x62), 'replacement', '\uFFFD'],
  ])('%s', (_, body, charset, text) => {
    expect(decodeText(body, charset)).toBe(text)
  })

  it('decodes a view into a larger buffer', () => {
    expect(decodeText(Buffer.from('xxabcxx').subarray(2, 5), 'UTF-8')).toBe('abc')
  })
})

describe('withLegacyQuery', () => {
  it.each([
    ['writes the query in the charset of the page', '/é?q=é#é', 'windows-1252', '/é?q=%E9#é'],
    ['in two bytes, too', '?q=テ', 'Shift_JIS', '?q=%83e'],
    ['what the charset lacks as a reference', '?q=テ', 'windows-1252', '?q=%26%2312486%3B'],
    ['and leaves escapes', '?a=%e9&q=é', 'windows-1252', '?a=%e9&q=%E9'],
    ['not in UTF-8', '?q=é', 'UTF-8', '?q=é'],
    ['not in UTF-16', '?q=é', 'UTF-16LE', '?q=é'],
    ['not without a query', '/é#?é', 'windows-1252', '/é#?é'],
  ])('%s', (_, href, charset, expected) => {
    expect(withLegacyQuery(href, charset)).toBe(expected)
  })
})

describe('what a plain page loads', () => {
  it('is neither cheerio, nor the public suffix list, nor tables of charsets', () => {
    const program = `
      import { createRequire } from 'node:module'
      import { pageOf } from '@avocet/page'
      import { hostKeyOf } from '@avocet/core/store'
      const response = { headers: { 'content-type': 'text/html; charset=utf-8' }, body: Buffer.from('<title>é</title><a href=x>y</a>') }
      const page = pageOf({ request: { url: 'http://h.example/' }, response })
      const links = [...page.links()].map((link) => hostKeyOf(link.url, 'host'))
      const loaded = () => Object.keys(createRequire(import.meta.url).cache).filter((path) => /cheerio|parse5|tldts|exodus|sniffer/.test(path)).length
      const before = loaded()
      page.$
      console.log(JSON.stringify([page.title, links, before, loaded() > 0]))
    `
    const output = execFileSync(process.execPath, ['--conditions=@avocet/source', '--input-type=module', '--eval', program], {
      encoding: 'utf8',
    })

    expect(JSON.parse(output)).toEqual(['é', ['h.example'], 0, true])
  })

  it('is not the HTTP client that cheerio brings, with a DOM neither', () => {
    const program = `
      import { createRequire } from 'node:module'
      import { pageOf } from '@avocet/page'
      for (const type of ['text/html', 'text/xml']) {
        const response = { headers: { 'content-type': type }, body: Buffer.from('<a href="x">y</a>') }
        const page = pageOf({ request: { url: 'http://h.example/' }, response })
        void page.$('a').text()
        void page.text('a')
        void [...page.links('a')]
      }
      const paths = Object.keys(createRequire(import.meta.url).cache)
      console.log(JSON.stringify([paths.some((path) => path.includes('cheerio')), paths.filter((path) => /[\\\\/]undici[\\\\/]/.test(path))]))
    `
    const output = execFileSync(process.execPath, ['--conditions=@avocet/source', '--input-type=module', '--eval', program], {
      encoding: 'utf8',
    })

    expect(JSON.parse(output)).toEqual([true, []])
  })
})
