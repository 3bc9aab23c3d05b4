// The sink: what `postgres()` returns.
import type { Json } from '@avocet/core'
import type { Sink } from '@avocet/core/sink'
import { reported, targetOf, type PostgresOptions } from './options.ts'
import { TableWriter } from './table-writer.ts'

/**
 * Writes items to a table of PostgreSQL 12 or newer, each exactly once. The mark of the sink is in the table `avocet_sink` of the same schema, and
 * changes in the transaction that writes the rows.
 *
 * Throws AVO_CONFIG_INVALID for options that are wrong. The sink throws when it opens if the server cannot be reached, or the table cannot be written.
 *
 * @param options the URL of the database, for a table `items` that is made from the first items; or more.
 * @example
 * ```ts
 * import { defineCrawl, spider } from 'avocet'
 * import { postgres } from '@avocet/sink-postgres'
 *
 * export const offers = postgres<{ sku: string; price: number }>({
 *   url: 'postgres://localhost/shop',
 *   table: 'offers',
 *   columns: { sku: 'text', price: 'numeric(10,2)', page: '@url', seen: '@time' },
 *   key: ['sku'],
 *   filter: ({ value }) => value.price > 0,
 * })
 * ```
 */
export function postgres<Item = Json>(options: PostgresOptions<Item> | string = {}): Sink<Item> {
  const given = typeof options === 'string' ? { url: options } : options
  const target = targetOf(given)
  const { filter, changes = false, limits } = given
  const name = given.name ?? `postgres:${target.schema === undefined ? '' : `${target.schema}.`}${target.table}`
  const takesAll =
    target.columns === undefined || [...target.columns.values()].some((what) => what === '@extra' || what === '@item')
  let writer: TableWriter | undefined
  return {
    name,
    changes,
    options: reported(target),
    ...(!takesAll && { columns: [...(target.columns?.keys() ?? [])] }),
    ...(filter !== undefined && { filter }),
    ...(limits !== undefined && { limits }),
    async open(session) {
      await writer?.close()
      writer = new TableWriter(target, name, session)
      return writer.open()
    },
    async write(batch) {
      if (writer === undefined) throw new Error('expected the sink to be opened before it writes')
      await writer.write(batch)
    },
    async close() {
      await writer?.close()
      writer = undefined
    },
  }
}
