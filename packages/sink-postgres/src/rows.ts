// Items as the one parameter of an insert: JSON text of all of them, and which of them cannot be rows at all.
import type { SinkItem } from '@avocet/core/sink'
import type { TableTarget } from './options.ts'
import type { Table } from './table.ts'

/** What becomes of a batch. */
export interface Rows {
  readonly items: readonly SinkItem<unknown>[]
  /** Why an item is no row, by its key. */
  readonly refused: ReadonlyMap<string, string>
}

/** Parts the items that can be rows of `table` from those that cannot. */
export function partRows(items: readonly SinkItem<unknown>[], table: Pick<Table, 'columns' | 'name'>, target: TableTarget): Rows {
  const refused = new Map<string, string>()
  const fields = table.columns.filter(({ source }) => source === undefined)
  const keys = target.key.filter((key) => fields.some(({ name }) => name === key))
  const isWhole = target.columns === undefined && !hasExtra(table)
  for (const item of items) {
    const reason = fields.length === 0 ? undefined : whyNoRow(item, { fields, keys, isWhole, table: table.name })
    if (reason !== undefined) refused.set(item.key, reason)
  }
  return { items: items.filter(({ key }) => !refused.has(key)), refused }
}

interface Expected {
  readonly fields: Table['columns']
  /** Fields that must have a value. */
  readonly keys: readonly string[]
  /** Whether every field of an item must have a column. */
  readonly isWhole: boolean
  readonly table: string
}

function whyNoRow({ json, value }: SinkItem<unknown>, { fields, keys, isWhole, table }: Expected): string | undefined {
  if (!json.startsWith('{')) return `expected an object, got ${json.slice(0, 40)}; write such items with json: true`
  if (keys.length === 0 && !isWhole) return undefined
  const given = new Map(Object.entries(value as Readonly<Record<string, unknown>>))
  const empty = keys.find((key) => (given.get(key) ?? null) === null)
  if (empty !== undefined) return `expected a value for ${empty}, which is part of the key, got none`
  if (!isWhole) return undefined
  const stranger = [...given].find(([name, each]) => each !== null && fields.every((column) => column.name !== name))?.[0]
  if (stranger === undefined) return undefined
  return `expected a column for the field ${stranger} in the table ${table}; add it, or a column "extra" of type jsonb, or name what to write in columns`
}

/** `[{ "n": 0, "k": key, "u": url, "i": item, "x": fields without a column }, …]`, in the order of the batch. */
export function parameterOf(items: readonly SinkItem<unknown>[], table: Table): string {
  const known = new Set(table.columns.filter(({ source }) => source === undefined).map(({ name }) => name))
  const takesOthers = hasExtra(table)
  const rows = items.map((item, n) => {
    const others = takesOthers ? othersOf(item.value, known) : undefined
    const extra = others === undefined ? '' : `,"x":${others}`
    return `{"n":${String(n)},"k":${JSON.stringify(item.key)},"u":${JSON.stringify(item.url)},"i":${item.json}${extra}}`
  })
  return `[${rows.join(',')}]`
}

function hasExtra({ columns }: Pick<Table, 'columns'>): boolean {
  return columns.some(({ source }) => source === '@extra')
}

/** Undefined if there are none. A null says nothing that a missing column does not say. */
function othersOf(value: unknown, known: ReadonlySet<string>): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const others = Object.entries(value).filter(([name, each]: [string, unknown]) => !known.has(name) && each !== null)
  return others.length === 0 ? undefined : JSON.stringify(Object.fromEntries(others))
}
