// Lines of the command and of sink-s3: one rule for cells, line ends and formulas of CSV, and for what ends a line of JSON.
import { csvFormat } from '../../../packages/sink-files/src/csv.ts'
import { jsonLines } from '../../../packages/sink-files/src/format.ts'
import { firstLine, lineOf } from '../../../packages/sink-s3/src/open-bucket.ts'
import { expect, it } from 'vitest'

it.each([
  ['tea', 'tea'],
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@A1', "'@A1"],
  [' =1', "' =1"],
  ['\t1', "'\t1"],
  ["'=1", "''=1"],
  ['＝1', "'＝1"],
  ['a,b', '"a,b"'],
  ['say "no"', '"say ""no"""'],
  ['=cmd,"x"', `"'=cmd,""x"""`],
  ['two\nlines', '"two\nlines"'],
  [-5, '-5'],
  [true, 'true'],
  [null, ''],
  [{ a: 1 }, '"{""a"":1}"'],
  [[1, 2], '"[1,2]"'],
])('writes %j as %s', (value, cell) => {
  const json = JSON.stringify({ '=name': value, n: 1 })
  const expected = `'=name,n\n${cell},1\n`

  expect(csvFormat({ say: () => {} }).encode([json], true)).toBe(expected)
  const columns = ['=name', 'n']
  expect(firstLine(columns) + lineOf({ json, value: JSON.parse(json) as unknown }, columns)).toBe(expected)
})

it.each([[''], [null], [undefined]])(
  'writes %j as a quoted cell where it is the only one, for a blank line is no record',
  (value) => {
    const json = JSON.stringify({ name: value, n: 1 })

    expect(csvFormat({ say: () => {}, columns: ['name'] }).encode([json], true)).toBe('name\n""\n')
    expect(firstLine(['name']) + lineOf({ json, value: JSON.parse(json) as unknown }, ['name'])).toBe('name\n""\n')
  },
)

it('writes one line for each item, whatever ends a line in Unicode', () => {
  const json = JSON.stringify({ text: 'a\u2028b\u2029c\u0085d\ne' })
  const expected = '{"text":"a\\u2028b\\u2029c\\u0085d\\ne"}\n'

  expect(jsonLines().encode([json], true)).toBe(expected)
  expect(lineOf({ json, value: JSON.parse(json) as unknown }, undefined)).toBe(expected)
})
