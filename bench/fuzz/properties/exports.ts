// Exports: what is written of items, read back by somebody else, is these items.
import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { csvFormat } from '../../../packages/sink-files/src/csv.ts'
import { jsonArray, jsonLines } from '../../../packages/sink-files/src/format.ts'
import { printableJson } from '../../../packages/project/src/output/machines.ts'
import { property, type Property } from '../property.ts'
import { csvRecords } from './csv-reading.ts'

/** What breaks lines, cells, formulas or terminals. */
const AWKWARD = [
  ...[
    '=',
    '=1+1',
    '+',
    '-1',
    '@',
    '\t=',
    '\r',
    '\n',
    '\r\n',
    '"',
    '""',
    ',',
    ';',
    "'",
    "'=",
    "''=",
    '\0',
    '\u0085',
    '\u2028',
    '\u2029',
    '\u200b=',
    '\u00a0=',
    '\ufeff',
    '\ufeff=1',
  ],
  ...[
    '\ud800',
    '\udc00',
    '😀',
    '\u202e',
    '\u001b[2J',
    '\uff1d1',
    ' ',
    '',
    '\\',
    '\\u2028',
    'null',
    'true',
    '1e999',
    '{',
    '[',
    '\v=',
    '\u00ad=',
    '\u{e0001}=',
    '\u180e=',
  ],
] as const
const text = fc.oneof(
  fc.array(fc.constantFrom(...AWKWARD), { maxLength: 4 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.string({ unit: 'grapheme', maxLength: 6 }),
)
const value: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 5, arbitrary: text },
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.array(text, { maxLength: 2 }),
  fc.dictionary(
    text.filter((name) => !name.startsWith('\\')),
    text,
    { maxKeys: 2 },
  ),
)
/**
 * No key begins with a backslash: V8 14.6 reads another key that begins with an escape as that one, where an object before it had it in the same place
 * (`JSON.parse('[{"a":1,"\\\\":1},{"a":1,"\\n":1}]')`), which fails the oracle, not us.
 */
const key = fc.oneof(text, fc.constantFrom('name', 'price', '__proto__', 'constructor')).filter((name) => !name.startsWith('\\'))
const item = fc.oneof({ weight: 8, arbitrary: fc.dictionary(key, value, { maxKeys: 4 }) }, value)
const batches = fc.array(fc.array(item, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 })
const jsonOf = (items: readonly unknown[]): string[] => items.map((each) => JSON.stringify(each))

/** Of Python's `splitlines`, which knows most; but for the separators of ASCII, which JSON escapes. */
const LINE_ENDS = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/

const lines = property(
  {
    name: 'export-jsonl',
    what: 'JSON Lines hold the items, one a line, whatever a reader takes for the end of one',
    runs: 2_500,
  },
  batches,
  (all) => {
    const written = all.map((items) => jsonLines().encode(jsonOf(items), false) ?? '').join('')
    const read = onDisk(written)
    assert.ok(read.endsWith('\n'))
    assert.deepEqual(
      read
        .slice(0, -1)
        .split(LINE_ENDS)
        .map((line): unknown => JSON.parse(line)),
      plainly(all.flat()),
    )
    for (const json of jsonOf(all.flat())) assert.deepEqual(JSON.parse(printableJson(json)), JSON.parse(json), 'to a terminal')
  },
)

const array = property(
  { name: 'export-json', what: 'a JSON array holds the items after every batch', runs: 1_500 },
  batches,
  (all) => {
    const format = jsonArray()
    let written = ''
    for (const [n, items] of all.entries()) {
      written += format.encode(jsonOf(items), n === 0) ?? ''
      assert.deepEqual(JSON.parse(onDisk(written + format.tail)), plainly(all.slice(0, n + 1).flat()))
    }
  },
)

const table = property(
  {
    name: 'export-csv',
    what: 'CSV that is read back holds the cells of the items, no formula among them, also when it goes on in a later run',
    runs: 2_500,
  },
  fc.tuple(batches, fc.boolean()),
  ([all, formulas]) => {
    const read = csvRecords(written(all, formulas))
    const [header = [], ...records] = read.map((record) => record.map((cell) => bare(cell, formulas)))
    const rows = plainly(all.flat()).map(rowOf)
    const columns = columnsOf(rows, header)
    assert.deepEqual(header, columns, 'columns')
    assert.deepEqual(
      records,
      rows.map((row) => columns.map((key) => (Object.hasOwn(row, key) ? cellOf(row[key]) : ''))),
    )
    if (!formulas) for (const cell of read.flat()) assertHarmless(cell)
  },
)

/** As the exporter does it: batch by batch, anew when there is a new column; each batch of another process, that reads the header from the file. */
function written(all: readonly (readonly unknown[])[], formulas: boolean): string {
  let file = ''
  for (const [n, items] of all.entries()) {
    const format = csvFormat({ say: () => {}, formulas })
    if (file !== '') format.adopt?.(file, false)
    const more = format.encode(jsonOf(items), file === '')
    file = onDisk(more === undefined ? (format.encode(jsonOf(all.slice(0, n + 1).flat()), true) ?? '') : file + more)
  }
  return file
}

/** An apostrophe that a guarded cell has in front. */
function bare(cell: string, formulas: boolean): string {
  return !formulas && /^''*(?:[\t\r\n]|[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠])/u.test(cell) ? cell.slice(1) : cell
}

/** Numbers are no formulas. */
function assertHarmless(cell: string): void {
  const seen = cell.replace(/^[\s\p{Cc}\p{Cf}\p{Zs}]+/u, '')
  assert.ok(!/^[=+\-@]/.test(seen) || Number.isFinite(Number(seen)), `a formula: ${JSON.stringify(cell)}`)
}

/** Half of a surrogate pair is no character: no file of text can hold one. */
function rowOf(each: unknown): Readonly<Record<string, unknown>> {
  if (typeof each !== 'object' || each === null || Array.isArray(each)) return { value: each }
  return Object.fromEntries(Object.entries(each).map(([name, content]): [string, unknown] => [name.toWellFormed(), content]))
}

/** In the order in which they appear; but a header of one empty cell looks like none, so that column moves behind those of a later run. */
function columnsOf(rows: readonly Readonly<Record<string, unknown>>[], header: readonly string[]): readonly string[] {
  const keys = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  // Of items without any key the lines are empty, which is one empty cell.
  if (keys.length === 0) return ['']
  return keys[0] === '' ? keys.toSorted((a, b) => header.indexOf(a) - header.indexOf(b)) : keys
}

function cellOf(content: unknown): string {
  if (content === null || content === undefined) return ''
  return (typeof content === 'string' ? content : JSON.stringify(content)).toWellFormed()
}

function onDisk(content: string): string {
  return Buffer.from(content, 'utf8').toString('utf8')
}

/** As JSON has them: without `-0`. */
function plainly(items: readonly unknown[]): readonly unknown[] {
  return JSON.parse(JSON.stringify(items)) as readonly unknown[]
}

/** All of this file. */
export const EXPORT_PROPERTIES: readonly Property[] = [lines, array, table]
