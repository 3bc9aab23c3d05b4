// CSV of the command and of sink-s3: one rule for cells, line ends and formulas.
import { csvFormat } from '../../packages/sink-files/src/csv-format.ts'
import { firstLine, lineOf } from '../../packages/sink-s3/src/lines.ts'
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
