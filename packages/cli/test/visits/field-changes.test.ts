// Which fields of an item changed: by path, before and after, in few and short texts.
import { describe, expect, it } from 'vitest'
import { fieldChanges } from '../../src/visits/field-changes.ts'

/** `price: 19.9 -> 17.9`; a dash where it is not there. */
function changes(before: unknown, after: unknown, most = 20): string[] {
  const { fields, more } = fieldChanges(before, after, most)
  const lines = fields.map(({ path, before: was, after: is }) => `${path}: ${was ?? '-'} -> ${is ?? '-'}`)
  return more > 0 ? [...lines, `${more} more`] : lines
}

describe('the fields that changed', () => {
  it.each<[string, unknown, unknown, readonly string[]]>([
    ['are none of what is the same in another order', { a: 1, b: [{ c: 2 }] }, { b: [{ c: 2 }], a: 1 }, []],
    ['have what was before and what is now', { price: 19.9, name: 'tea' }, { price: 17.9, name: 'tea' }, ['price: 19.9 -> 17.9']],
    ['are told apart from fields that are new or gone', { a: 1 }, { b: null }, ['b: - -> null', 'a: 1 -> -']],
    ['have the path that leads to them', { a: { b: [{ c: 1 }] } }, { a: { b: [{ c: 2 }] } }, ['a.b[0].c: 1 -> 2']],
    ['have names that are no words in quotes', { 'a b': { 'x"': 1 } }, { 'a b': { 'x"': 2 } }, ['["a b"]["x\\""]: 1 -> 2']],
    [
      'are elements that came in at the beginning, not all behind them',
      { l: ['b', 'c'] },
      { l: ['a', 'b', 'c'] },
      ['l[0]: - -> a'],
    ],
    ['are elements that went from the middle', { l: [1, 2, 3] }, { l: [1, 3] }, ['l[1]: 2 -> -']],
    ['are elements that were replaced by several', { l: [1, 2, 9] }, { l: [1, 3, 4, 9] }, ['l[1]: 2 -> 3', 'l[2]: - -> 4']],
    ['are the whole where the kind is another', { a: { b: 1 } }, { a: [1] }, ['a: {"b":1} -> [1]']],
    ['show texts with quotes where they would look the same', { a: '1' }, { a: 1 }, ['a: "1" -> 1']],
    ['show an empty text', { a: 'x' }, { a: '' }, ['a: "x" -> ""']],
    ['are the item itself where it is no object', 'tea', 'coffee', [': tea -> coffee']],
    ['are none of what an object inherits', {}, JSON.parse('{"__proto__":1}'), ['__proto__: - -> 1']],
    ['are not those of the prototype', { a: 1 }, { a: 1, toString: 2 }, ['toString: - -> 2']],
  ])('%s', (_what, before, after, expected) => {
    expect(changes(before, after)).toEqual(expected)
  })

  it('are so many at most, and counted beyond that', () => {
    const fields = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`f${n}`, n]))

    expect(changes({}, fields, 2)).toEqual(['f0: - -> 0', 'f1: - -> 1', '8 more'])
  })

  it('of long texts show where they begin to differ', () => {
    const [before, after] = [
      `${'x'.repeat(5_000)} in stock ${'y'.repeat(500)}`,
      `${'x'.repeat(5_000)} sold out ${'y'.repeat(500)}`,
    ]

    const [{ before: was, after: is } = { before: null, after: null }] = fieldChanges({ text: before }, { text: after }, 9).fields
    expect([was?.slice(0, 30), is?.slice(0, 30)]).toEqual([`…${'x'.repeat(19)} in stock `, `…${'x'.repeat(19)} sold out `])
    expect([was?.length, is?.length]).toEqual([162, 162])
  })

  it('have short paths and texts, however long names and values are, and no half characters', () => {
    const [field] = fieldChanges({}, { ['n'.repeat(9_999)]: '😀'.repeat(9_999) }, 9).fields

    expect(field?.path.length).toBeLessThanOrEqual(121)
    expect(field?.after?.length).toBeLessThanOrEqual(161)
    expect(field?.after?.isWellFormed()).toBe(true)
  })

  it('are compared as texts where they are nested deeply', () => {
    const nested = (depth: number, inner: string): unknown => JSON.parse(`${'['.repeat(depth)}${inner}${']'.repeat(depth)}`)
    const inObjects = (inner: number): unknown => JSON.parse(`${'{"a":'.repeat(100_000)}${inner}${'}'.repeat(100_000)}`)

    expect(changes(nested(12, '1'), nested(12, '2'))).toEqual(['[0][0][0][0][0][0][0][0]: [[[[1]]]] -> [[[[2]]]]'])
    expect(changes(nested(100_000, '1'), nested(100_000, '2')).join('').length).toBeLessThan(400)
    expect(changes(inObjects(1), inObjects(2)).join('')).toMatch(/^(a\.){7}a: …/)
  })

  it('of a megabyte are counted beyond the first few', () => {
    const list = Array.from({ length: 50_000 }, (_, n) => ({ n, text: 'x' }))
    const other = list.map((each) => ({ ...each, n: each.n + 1 }))

    expect(fieldChanges({ list }, { list: other }, 8)).toMatchObject({ more: 49_992 })
  })
})
