// Gives numbers to items whose transactions are over (schema/tables.sql.ts): whoever reads by number numbers first.
import { AvocetError } from '@avocet/core'
import type { Queries } from '../connection/queries.ts'

/** Groups that are numbered in one call, at most: what is left is numbered by the next one. */
const NUMBERED_AT_ONCE = 10_000

/** Numbers some. Returns whether there may be more. */
export async function numberItems(queries: Queries): Promise<boolean> {
  const [row] = await queries.all<{ readonly more: boolean }>(`SELECT {S}.number_items(${NUMBERED_AT_ONCE}) AS more`)
  return row?.more === true
}

/** Numbers all. Throws AVO_FRONTIER_FAILED_OVER on a server that took the place of that of the crawl: no crawl has gone on there yet. */
export async function numberAll(queries: Queries): Promise<void> {
  while (await numberItems(queries));
  const left = await queries.all('SELECT 1 FROM {S}.item_group WHERE base IS NULL LIMIT 1')
  if (left.length === 0) return
  throw new AvocetError(
    'AVO_FRONTIER_FAILED_OVER',
    'expected the server that the crawl was on, got one that took its place (failover); run the crawl again first, which continues there',
  )
}
