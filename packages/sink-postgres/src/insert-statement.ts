// The statement that writes a batch: one parameter, the JSON text that `parameterOf` makes, taken apart by the database.
//
// The database knows the types of its columns better than anybody who would build its literals, so lists become arrays, texts become dates, and what does not
// fit is an error of that row. Measured against `unnest` of one array for each column, and against one row a statement: see README.md.
import { quoted, type SOURCES } from './identifiers.ts'
import { qualifiedName, type Column, type Table } from './table.ts'

/** `$1` is the rows. With a key, the last of the rows with one key counts, and replaces the one in the table. */
export function insertStatement(table: Table, key: readonly string[]): string {
  const { columns } = table
  const names = columns.map(({ name }) => quoted(name))
  const values = columns.map(valueOf)
  const fields = columns.filter(({ source }) => source === undefined)
  const record = fields.map(({ name, type }) => `${quoted(name)} ${type}`).join(', ')
  const keyValues = key.map((name) => values[columns.findIndex((column) => column.name === name)] ?? 'NULL').join(', ')
  return [
    `INSERT INTO ${qualifiedName(table)} (${names.join(', ')})`,
    `SELECT ${key.length > 0 ? `DISTINCT ON (${keyValues}) ` : ''}${values.join(', ')}`,
    'FROM json_to_recordset($1::json) AS w (n int, k text, u text, i json, x jsonb)',
    ...(fields.length > 0 ? [`CROSS JOIN LATERAL json_to_record(w.i) AS r (${record})`] : []),
    `ORDER BY ${key.length > 0 ? `${keyValues}, w.n DESC` : 'w.n'}`,
    ...(key.length > 0 ? [onConflict(columns, key)] : []),
  ].join('\n')
}

const SOURCE_VALUES: Readonly<Record<keyof typeof SOURCES, string>> = {
  '@extra': 'w.x',
  '@item': 'w.i',
  '@key': 'w.k',
  '@time': 'statement_timestamp()',
  '@url': 'w.u',
}

/** The default of the column is for items without the field; a null that an item has stays one. */
function valueOf({ name, source, fallback }: Column): string {
  if (source !== undefined) return SOURCE_VALUES[source]
  const field = `r.${quoted(name)}`
  return fallback === undefined ? field : `CASE WHEN w.i -> ${literal(name)} IS NULL THEN ${fallback} ELSE ${field} END`
}

function onConflict(columns: readonly Column[], key: readonly string[]): string {
  const others = columns.filter(({ name }) => !key.includes(name)).map(({ name }) => quoted(name))
  const target = `ON CONFLICT (${key.map(quoted).join(', ')}) DO`
  return others.length === 0
    ? `${target} NOTHING`
    : `${target} UPDATE SET ${others.map((name) => `${name} = EXCLUDED.${name}`).join(', ')}`
}

/** A text in SQL, whatever `standard_conforming_strings` says. */
function literal(text: string): string {
  return `E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
}
