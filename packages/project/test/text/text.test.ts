// Text for terminals: what is escaped, how wide it is, how numbers read.
import { describe, expect, it } from 'vitest'
import { column, columnsOf, fit, fold } from '../../src/text/terminal.ts'
import { printable } from '../../src/text/printable.ts'
import { formatCount, formatRate, formatRoughly, formatBytes } from '../../src/text/quantity.ts'
import { formatDuration } from '@avocet/core/plugin'

describe('printable', () => {
  it.each([
    ['\u001b[2J', String.raw`\u{1b}[2J`],
    ['a\r\nb\tc\0', String.raw`a\u{d}\u{a}b\u{9}c\u{0}`],
    ['\u007f\u009b31m', String.raw`\u{7f}\u{9b}31m`],
    ['\u202egpj.exe\u2066', String.raw`\u{202e}gpj.exe\u{2066}`],
    ['a\u2028b\ufeff', String.raw`a\u{2028}b\u{feff}`],
    ['\ud800', String.raw`\u{d800}`],
    ['grüße 日本 😀', 'grüße 日本 😀'],
  ])('shows %j', (text, shown) => {
    expect(printable(text)).toBe(shown)
  })

  it('cuts a field at 2,048 characters', () => {
    expect(printable('x'.repeat(9_000))).toBe(`${'x'.repeat(8_000)}…`)
  })
})

describe('columns', () => {
  it('counts wide characters as two and combining marks as none', () => {
    expect([columnsOf('abc'), columnsOf('日本'), columnsOf('e\u0301'), columnsOf('😀')]).toEqual([3, 4, 1, 2])
  })

  it('cuts with an ellipsis and never exceeds the width', () => {
    expect([fit('quotes.example', 8), fit('日本語', 4), fit('abc', 3), fit('abc', 0)]).toEqual(['quotes.…', '日…', 'abc', ''])
  })

  it('fills up on either side', () => {
    expect([column('ab', 4), column('ab', 4, 'right'), column('abcdef', 4)]).toEqual(['ab  ', '  ab', 'abc…'])
  })
})

describe('fold', () => {
  it.each([
    ['one two three', 8, ['one two', '  three']],
    ['  indented line', 11, ['  indented', '    line']],
    ['see https://a.example/long now', 10, ['see', '  https://a.example/long', '  now']],
    ['\u001b[31mred\u001b[39m sky', 7, ['\u001b[31mred\u001b[39m sky']],
    ['日本 語', 6, ['日本', '  語']],
    ["  npx avocet failed retry 'my shop' --class handler", 20, ["  npx avocet failed retry 'my shop' --class handler"]],
    ['two columns  of a table', 11, ['two columns', '  of a', '  table']],
    ['as it is', Infinity, ['as it is']],
    ['', 10, ['']],
  ])('%j to %d columns', (line, columns, lines) => {
    expect(fold(line, columns)).toEqual(lines)
  })
})

describe('quantities', () => {
  it('read as people read them', () => {
    expect([formatCount(12_034), formatBytes(512), formatBytes(1_536), formatBytes(10 * 2 ** 20)]).toEqual([
      '12,034',
      '512 B',
      '1.5 KiB',
      '10 MiB',
    ])
    expect([formatRate(0), formatRate(0.25), formatRate(12.44), formatRate(1_400)]).toEqual([
      '0.0 /s',
      '0.25 /s',
      '12.4 /s',
      '1,400 /s',
    ])
  })

  it.each([
    [850, '850 ms'],
    [4_230, '4.2 s'],
    [59_000, '59 s'],
    [90_000, '1 min 30 s'],
    [12_000_000, '3 h 20 min'],
    [187_200_000, '2 d 4 h'],
    [Infinity, 'for ever'],
  ])('writes %d ms as %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text)
  })
})

describe('a duration', () => {
  it.each([
    [999.6, '1.0 s'],
    [9_960, '10 s'],
    [59_600, '1 min'],
    [59_499, '59 s'],
  ])('of %d ms is rounded before its unit is chosen: %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text)
  })
})

describe('a size', () => {
  it.each([
    [1_023.6, '1.0 KiB'],
    [1_048_575, '1.0 MiB'],
    [10_188, '9.9 KiB'],
    [10_230, '10 KiB'],
  ])('of %d bytes is rounded before its unit is chosen: %s', (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text)
  })
})

describe('a guess', () => {
  it.each([
    [129, '5 s'],
    [21_000, '25 s'],
    [88_000, '90 s'],
    [95_000, '2 min'],
    [240_400, '4 min'],
    [7_200_000, '2 h'],
    [187_200_000, '2 d'],
    [Infinity, 'for ever'],
  ])('of %d ms is said as %s', (ms, text) => {
    expect(formatRoughly(ms)).toBe(text)
  })
})
