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

/** Numbers all. Throws AVO_FRONTIER_BUSY while transactions run on the server that began before the last items were written. */
export async function numberAll(queries: Queries): Promise<void> {
  while (await numberItems(queries));
  const left = await queries.all('SELECT 1 FROM {S}.item_group WHERE base IS NULL LIMIT 1')
  if (left.length === 0) return
  throw new AvocetError(
    'AVO_FRONTIER_BUSY',
    'expected all transactions of the server to be over that began before the last items were written, got some that run on; try again once they ended',
  )
}
