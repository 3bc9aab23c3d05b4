// What is printed: no terminal obeys any of it, and no secret is in it.
import { withoutCredentials } from '@avocet/plugin-secrets/names'
import * as fc from 'fast-check'
import assert from 'node:assert/strict'
import { stripVTControlCharacters } from 'node:util'
import { printableJson } from '../../../packages/project/src/output/machines.ts'
import { column, columnsOf, fit, fold } from '../../../packages/project/src/text/terminal.ts'
import { printable, printableLine, printableText } from '../../../packages/project/src/text/printable.ts'
import { property, type Property } from '../property.ts'

const AWKWARD = [
  ...[
    '\u001b[31m',
    '\u001b[0m',
    '\u001b[39m',
    '\u001b[2J',
    '\u001b]0;x\u0007',
    '\u001b]8;;http://x\u001b\\',
    '\u009b31m',
    '\u001b[38;5;1m',
    '\u001b[1',
    '\u001bc',
  ],
  ...[
    '\r',
    '\n',
    '\r\n',
    '\t',
    '\b',
    '\0',
    '\u007f',
    '\u0085',
    '\u202e',
    '\u2066',
    '\u200e',
    '\u061c',
    '\u2028',
    '\ufeff',
    '\ud800',
    '\udfff',
    '\u{e0041}',
    '\u00ad',
  ],
  ...[
    '<b>',
    '&amp;',
    '"',
    "'",
    '<script>',
    '</',
    '漢',
    '😀',
    'e\u0301',
    '\ufe0f',
    'word',
    ' ',
    '  ',
    '\u001b\u001b[31m',
    '\u001b[\u001b[31m31m',
  ],
] as const
const text = fc
  .array(fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...AWKWARD) }, fc.string({ unit: 'binary', maxLength: 4 })), {
    maxLength: 12,
  })
  .map((parts) => parts.join(''))

/** Controls, separators of lines, changes of direction, and halves of characters. */
const OBEYED = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Cs}]/u
const ESCAPE = '\u001b'
const COLOUR = new RegExp(`${ESCAPE}\\[(?:[1-4]|2[234]|3[1-69]|90)m`, 'g')

const terminal = property(
  { name: 'terminal', what: 'nothing that is printed is obeyed by a terminal, but our own colours', runs: 5_000 },
  text,
  (given) => {
    assert.doesNotMatch(printable(given), OBEYED)
    assert.doesNotMatch(printableLine(given).replace(COLOUR, ''), OBEYED)
    assert.doesNotMatch(printableText(given).replaceAll(/[\t\n]/g, ''), OBEYED)
    const json = printableJson(JSON.stringify({ [given]: given }))
    assert.doesNotMatch(json, OBEYED)
    assert.deepEqual(Object.entries(JSON.parse(json) as object), [[given, given]])
    for (const write of [printable, printableLine, printableText]) assert.equal(write(write(given)), write(given), 'twice')
  },
)

const columns = property(
  { name: 'columns', what: 'a text that is fitted into columns takes no more of them, and folding loses no word', runs: 3_000 },
  fc.tuple(text.map(printable), fc.integer({ min: 0, max: 30 })),
  ([shown, width]) => {
    assert.ok(columnsOf(fit(shown, width)) <= width)
    assert.equal(columnsOf(column(shown, width)), width)
    assert.equal(columnsOf(column(shown, width, 'right')), width)
    const words = (lines: readonly string[]): string[] => lines.flatMap((line) => line.split(' ').filter((word) => word !== ''))
    assert.deepEqual(words(fold(shown, width)), words([shown]))
    assert.ok(stripVTControlCharacters(shown) === shown)
  },
)

const SECRET = 'hunter2'
const word = fc.stringMatching(/^[a-z0-9._~!$&()*+,;=-]{0,6}$/)
const password = fc.tuple(word, word).map(([before, after]) => `${before}${SECRET}${after}`)
const oddPassword = fc
  .tuple(fc.array(fc.constantFrom('/', '?', '#', ':', 'p', '%40', '@/', '@?', 'ä', '\\'), { maxLength: 4 }), word)
  .map(([odd, after]) => `p${odd.join('')}${SECRET}${after}`)
const secretUrl = fc.record({
  scheme: fc.constantFrom(
    'http://',
    'https://',
    'HTTPS://',
    'ftp://',
    'http:/',
    'https:',
    'http:\\\\',
    'sftp://',
    'ws://',
    'socks5://',
    'postgres://',
  ),
  user: fc.stringMatching(/^[a-z][a-z0-9.-]{0,5}$/),
  password: fc.oneof(password, oddPassword),
  rest: fc.constantFrom('h.example/', 'h.example:8080/a?b#c', '[::1]/', 'h.example', 'h.example/a@b'),
})
const quote = fc
  .constantFrom(['', ''], ['"', '"'], ["'", "'"], ['`', '`'], ['<', '>'], ['(', ')'], ['got ', '; use another'])
  .map((pair) => pair as readonly [string, string])

const secrets = property(
  { name: 'userinfo', what: 'no text that quotes a URL tells its password', runs: 6_000 },
  fc.array(fc.tuple(quote, secretUrl), { minLength: 1, maxLength: 3 }),
  (all) => {
    const given = all
      .map(([[open, close], { scheme, user, password: secret, rest }]) => `${open}${scheme}${user}:${secret}@${rest}${close}`)
      .join(' and ')
    const told = withoutCredentials(given)
    assert.ok(!told.includes(SECRET), told)
    for (const [, { rest }] of all) assert.ok(told.includes(rest.replace(/^.*@/, '')), `${rest} is gone from ${told}`)
    assert.equal(withoutCredentials(told), told, 'twice')
  },
)

const others = property(
  { name: 'userinfo-none', what: 'a text without credentials stays as it is', runs: 3_000 },
  fc.tuple(fc.webUrl({ withQueryParameters: true, withFragments: true }), fc.string({ maxLength: 20 })),
  ([url, more]) => {
    const given = `expected ${url}, ${more.replaceAll('@', '')}`
    assert.equal(withoutCredentials(given.replaceAll('@', '%40')), given.replaceAll('@', '%40'))
    const once = withoutCredentials(`${more}${url}${more}`)
    assert.equal(withoutCredentials(once), once, 'twice')
  },
)

/** All of this file. */
export const PRINTED_PROPERTIES: readonly Property[] = [terminal, columns, secrets, others]
