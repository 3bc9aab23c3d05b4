// The table that items go to: what it has, whether it can be written, and how one is made.
import type { PostgresConnection } from './postgres-connection.ts'
import { EXTRA, isSource, MAX_NAME_BYTES, quoted, SOURCES } from './identifiers.ts'
import type { TableTarget } from './options.ts'

/** A column that is written. */
export interface Column {
  readonly name: string
  /** As SQL has it, without a length: the assignment to the column checks that. */
  readonly type: string
  /** `@url` and its like; absent: the field of its name. */
  readonly source?: keyof typeof SOURCES
  /** The expression for items without the field. */
  readonly fallback?: string
}

/** A table that is there. */
export interface Table {
  readonly schema: string
  readonly name: string
  readonly columns: readonly Column[]
}

/** How SQL names the table. */
export function qualifiedName({ schema, name }: Pick<Table, 'schema' | 'name'>): string {
  return `${quoted(schema)}.${quoted(name)}`
}

/** Source of `indimmediate`: a constraint that can be deferred does not serve ON CONFLICT. */
const FIND = `
  SELECT c.oid::text AS oid, n.nspname AS schema, has_any_column_privilege(c.oid, 'INSERT') AS "mayInsert",
    has_any_column_privilege(c.oid, 'SELECT') AND has_any_column_privilege(c.oid, 'UPDATE') AND EXISTS (
      SELECT FROM pg_index i, LATERAL (
        SELECT array_agg(a.attname::text) AS names FROM pg_attribute a
        WHERE a.attrelid = c.oid AND a.attnum = ANY ((i.indkey::int2[])[0:i.indnkeyatts - 1])
      ) k
      WHERE i.indrelid = c.oid AND i.indisunique AND i.indisvalid AND i.indimmediate AND i.indpred IS NULL AND i.indexprs IS NULL
        AND k.names @> $2::text[] AND k.names <@ $2::text[]
    ) AS "isUnique"
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = to_regclass($1)`

const COLUMNS = `
  SELECT a.attname AS name, format_type(a.atttypid, -1) AS type, a.attgenerated <> '' OR a.attidentity <> '' AS "isMade",
    pg_get_expr(d.adbin, d.adrelid) AS fallback
  FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
  WHERE a.attrelid = $1::oid AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`

/** The table as it is now; undefined if there is none. Throws if it cannot be written as the target says. */
export async function findTable(connection: PostgresConnection, target: TableTarget): Promise<Table | undefined> {
  const named = target.schema === undefined ? quoted(target.table) : qualifiedName({ schema: target.schema, name: target.table })
  const [found] = await connection.query(FIND, [named, target.key])
  if (found === undefined) return undefined
  if (found['mayInsert'] !== true)
    throw new Error(`expected the right to insert into ${named}, got none; GRANT INSERT ON ${named}`)
  if (target.key.length > 0 && found['isUnique'] !== true) {
    const key = target.key.map(quoted).join(', ')
    throw new Error(
      `expected a unique index of ${named} on exactly (${key}), and the rights to select and update; ` +
        `CREATE UNIQUE INDEX ON ${named} (${key}), or GRANT SELECT, UPDATE`,
    )
  }
  const rows = await connection.query(COLUMNS, [found['oid']])
  const schema = String(found['schema'])
  const columns = writtenColumns(rows.map(columnOf), target)
  if (columns.length === 0) throw new Error(`expected the table ${named} to have a column that can be written, got none; add one`)
  return { schema, name: target.table, columns }
}

interface FoundColumn extends Column {
  /** Its values come from the database alone. */
  readonly isMade: boolean
}

function columnOf(row: Readonly<Record<string, unknown>>): FoundColumn {
  const { name, type, isMade, fallback } = row
  const hasFallback = typeof fallback === 'string' && isMade !== true
  return { name: String(name), type: String(type), isMade: isMade === true, ...(hasFallback && { fallback }) }
}

function writtenColumns(found: readonly FoundColumn[], target: TableTarget): readonly Column[] {
  if (target.columns !== undefined)
    return [...target.columns].map(([name, what]) => {
      const column = found.find((each) => each.name === name)
      if (column === undefined) throw noColumn(name, found, target)
      return isSource(what) ? { name, type: column.type, source: what } : column
    })
  const missing = target.key.find((name) => found.every((column) => column.name !== name))
  if (missing !== undefined) throw noColumn(missing, found, target)
  return found.flatMap((column) => {
    const { name, type, isMade } = column
    if (isMade) return []
    return [name === EXTRA && /^jsonb?$/.test(type) ? { name, type, source: '@extra' as const } : column]
  })
}

function noColumn(name: string, found: readonly FoundColumn[], { table }: TableTarget): Error {
  const names = found.map((column) => column.name).join(', ')
  return new Error(`expected a column "${name}" in the table ${table}, which has ${names}; add it, or change the option columns`)
}

/** Columns of a table that is to be made: type or source by name. */
export type NewColumns = ReadonlyMap<string, string>

/** The statement that makes the table. With a key, its columns are the primary key. */
export function createStatement(table: Pick<Table, 'schema' | 'name'>, columns: NewColumns, target: TableTarget): string {
  const lines = [...columns].map(([name, what]) => `${quoted(name)} ${isSource(what) ? SOURCES[what] : what}`)
  if (target.key.length > 0) lines.push(`PRIMARY KEY (${target.key.map(quoted).join(', ')})`)
  return `CREATE TABLE ${qualifiedName(table)} (${lines.join(', ')})`
}

/** The statement that gives a table columns for `columns`, and types that take both; undefined where it has them. */
export function widenStatement(table: Table, columns: NewColumns): string | undefined {
  let room = MAX_COLUMNS + 1 - table.columns.length
  const lines = [...columns].flatMap(([name, type]) => {
    const [column, there] = [quoted(name), table.columns.find((each) => each.name === name)]
    if (there === undefined) return room-- > 0 ? [`ADD COLUMN IF NOT EXISTS ${column} ${type}`] : []
    const wider = there.source === undefined ? both(there.type, type) : there.type
    if (wider === there.type) return []
    return [`ALTER COLUMN ${column} TYPE ${wider} USING ${wider === 'jsonb' ? `to_jsonb(${column})` : `${column}::text`}`]
  })
  return lines.length === 0 ? undefined : `ALTER TABLE ${qualifiedName(table)} ${lines.join(', ')}`
}

/** The items of a spider have few fields; a page that names its own fields must not make a table that cannot be read. PostgreSQL: 1,600. */
const MAX_COLUMNS = 200
/** Every table has these, so no column can have their names. Source: PostgreSQL documentation, System Columns. */
const SYSTEM_COLUMNS: ReadonlySet<string> = new Set(['tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid'])

/**
 * `text`, `numeric`, `boolean` or `jsonb` by the name of the field. Numbers are `numeric`, which keeps prices as they are written and has no largest
 * number that an item could exceed. Fields that are always null, and those beyond 200, get no column: they go to `extra`, as every field to come.
 */
export function inferColumns(items: readonly unknown[]): NewColumns {
  const types = new Map<string, string>()
  for (const item of items) {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) continue
    for (const [name, value] of Object.entries(item as Readonly<Record<string, unknown>>)) {
      const type = typeOf(value)
      if (type === undefined || !isPossible(name)) continue
      const before = types.get(name)
      if (before === undefined && types.size >= MAX_COLUMNS) continue
      types.set(name, before === undefined ? type : both(before, type))
    }
  }
  return types.set(EXTRA, '@extra')
}

function isPossible(name: string): boolean {
  if (name === '' || name === EXTRA || SYSTEM_COLUMNS.has(name) || name.includes('\0')) return false
  return Buffer.byteLength(name) <= MAX_NAME_BYTES && name.isWellFormed()
}

const SCALARS: Readonly<Record<string, string>> = { string: 'text', number: 'numeric', boolean: 'boolean' }

function typeOf(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined
  return SCALARS[typeof value] ?? 'jsonb'
}

/** A type for the values of two: text has every value that is no list and no object. */
function both(one: string, other: string): string {
  if (one === other) return one
  return one === 'jsonb' || other === 'jsonb' ? 'jsonb' : 'text'
}
