// The options of the sink, and their check.
import { AvocetError, type Json } from '@avocet/core'
import { checkOptions, option, wrongOption, type OptionRules } from '@avocet/core/plugin'
import type { Sink, SinkItem, SinkLimits } from '@avocet/core/sink'
import { COLUMN_TYPE, isSource, MAX_NAME_BYTES } from './identifiers.ts'

/** Options of `postgres`. */
export interface PostgresOptions<Item = Json> {
  /**
   * `postgres://user:password@host:port/database?sslmode=require`. What it leaves out comes from the environment, as with psql: `PGHOST`, `PGPASSWORD`,
   * `~/.pgpass`.
   */
  readonly url?: string
  /** Name of the table, without its schema. Default `items`. */
  readonly table?: string
  /** Schema of the table. Default: where PostgreSQL finds the table, or the first schema of the `search_path`. */
  readonly schema?: string
  /**
   * What to write: the name of each column, with the type that it gets if the table is made. A column gets the field of its name, or instead of a type what
   * this says: `'@url'` the URL of the page, `'@key'` the key of the item, `'@item'` the whole item, `'@extra'` an object of the fields without a column,
   * `'@time'` when the row was written. Without `'@extra'`, other fields of an item are not written. Default: the columns of the table, of which one with the
   * name `extra` and the type jsonb gets the other fields; if there is no table, it is made with a column for each field of the first 1,000 items, and `extra`.
   */
  readonly columns?: Readonly<Record<string, string>>
  /** Writes each item into one jsonb column. Short for `columns: { key: '@key', url: '@url', item: '@item' }`. Default false. */
  readonly json?: boolean
  /** Columns that tell rows apart: an item with the key of a row replaces it. Default: each item is a row of its own. */
  readonly key?: readonly string[]
  /** Whether the table may be made, if it does not exist. Default true. */
  readonly create?: boolean
  /** Name of the sink: names its mark. Default `postgres:` and the table. */
  readonly name?: string
  /** Which items are written. Default: all. */
  readonly filter?: (item: SinkItem<Item>) => boolean
  /** Writes changes of watched items (`ItemChange`) instead of items. */
  readonly changes?: boolean
  /** Limits of the batches. */
  readonly limits?: Partial<SinkLimits>
}

/** All that the parts of the sink need of them. */
export interface TableTarget {
  readonly url?: string
  readonly table: string
  readonly schema?: string
  /** Type or source by name; absent: as the table has it. */
  readonly columns?: ReadonlyMap<string, string>
  readonly key: readonly string[]
  readonly create: boolean
  readonly timeoutMs: number
}

/** The longest that PostgreSQL takes. */
const LONGEST_MS = 2 ** 31 - 1
const JSON_COLUMNS = { key: '@key', url: '@url', item: '@item' }

const isName = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && !value.includes('\0') && Buffer.byteLength(value) <= MAX_NAME_BYTES
const name = option.satisfying(`a name of 1 to ${MAX_NAME_BYTES} bytes`, isName)
const column = option.satisfying(
  "a type of PostgreSQL, such as 'numeric', or '@url', '@key', '@item', '@extra' or '@time'",
  (value) => typeof value === 'string' && (value.startsWith('@') ? isSource(value) : COLUMN_TYPE.test(value)),
)
const RULES: OptionRules<PostgresOptions> = {
  url: option.satisfying('a text', (value) => typeof value === 'string'),
  table: option.satisfying(
    `${name.expected}, without a dot: the schema is an option of its own`,
    (value) => isName(value) && !value.includes('.'),
  ),
  schema: name,
  columns: option.recordOf(column, name),
  json: option.flag,
  key: option.listOf(name),
  create: option.flag,
  name: option.nonEmptyText,
  filter: option.callback,
  changes: option.flag,
  // The crawl checks what is in it.
  limits: option.anyObject,
}

/** Fills in the defaults. Throws AVO_CONFIG_INVALID, in words that do not quote the URL. */
export function targetOf<Item>(options: PostgresOptions<Item>): TableTarget {
  checkOptions('postgres', options, RULES)
  const { url, table = 'items', schema, json = false, key = [], create = true, limits } = options
  if (url !== undefined && !/^postgres(?:ql)?:\/\//.test(url))
    throw new AvocetError('AVO_CONFIG_INVALID', 'expected postgres: url to begin with postgres:// or postgresql://')
  if (json && options.columns !== undefined)
    throw new AvocetError('AVO_CONFIG_INVALID', "postgres has json and columns; leave json out, and add a column '@item'")
  const named = json ? JSON_COLUMNS : options.columns
  const columns = named === undefined ? undefined : new Map(Object.entries(named))
  if (columns?.size === 0) throw wrongOption('postgres: columns', 'an object with at least one column', options.columns)
  const stranger = columns && key.find((each) => !columns.has(each))
  if (stranger !== undefined) throw wrongOption('postgres: key', 'a list of names of columns', key)
  return {
    ...(url !== undefined && { url }),
    table,
    ...(schema !== undefined && { schema }),
    ...(columns !== undefined && { columns }),
    key: [...new Set(key)],
    create,
    timeoutMs: Math.ceil(Math.min(limits?.timeoutMs ?? 60_000, LONGEST_MS)),
  }
}

/** What reports say of the sink: never the URL, which has the password. */
export function reported({ table, schema, columns, key }: TableTarget): NonNullable<Sink['options']> {
  return {
    table,
    ...(schema !== undefined && { schema }),
    ...(columns !== undefined && { columns: Object.fromEntries(columns) }),
    ...(key.length > 0 && { key: [...key] }),
  }
}
