// Which columns a table gets that is made from the first items: one for each field that has a value, by the kinds of its values.
import { EXTRA, MAX_NAME_BYTES } from './identifiers.ts'

/** The items of a spider have few fields; a page that names its own fields must not make a table that cannot be read. PostgreSQL: 1,600. */
const MAX_COLUMNS = 200
/** Every table has these, so no column can have their names. Source: PostgreSQL documentation, System Columns. */
const SYSTEM_COLUMNS: ReadonlySet<string> = new Set(['tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid'])

/**
 * `text`, `numeric`, `boolean` or `jsonb` by the name of the field. Numbers are `numeric`, which keeps prices as they are written and has no largest
 * number that an item could exceed. Fields that are always null, and those beyond 200, get no column: they go to `extra`, as every field to come.
 */
export function inferColumns(items: readonly unknown[]): ReadonlyMap<string, string> {
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
