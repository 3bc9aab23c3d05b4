// Finds the items that a database refuses, by halving: a batch with one bad item takes 2 log₂ n statements.
import type { SinkItem } from '@avocet/core/sink'
import type { PostgresConnection } from './postgres-connection.ts'
import { PostgresError } from './postgres-error.ts'

/** A batch of bad items takes two statements for each. Beyond this, those that were found are reported, and the rest comes again. */
const MAX_STATEMENTS = 1_000

type Item = SinkItem<unknown>

/**
 * Writes what can be written, inside a transaction, and returns why the others cannot be, by their keys. Items are tried in their order and the good ones
 * stay. So of two that clash with each other (a unique index), the later one is found.
 */
export async function writeAllBut(
  connection: PostgresConnection,
  items: readonly Item[],
  insert: (items: readonly Item[]) => Promise<void>,
): Promise<ReadonlyMap<string, string>> {
  const refused = new Map<string, string>()
  const parts: (readonly Item[])[] = [items]
  for (let statements = 0; parts.length > 0; statements += 1) {
    if (statements >= MAX_STATEMENTS && refused.size > 0) return refused
    const part = parts.pop()
    if (part === undefined) break
    const error = await trial(connection, () => insert(part))
    const [item] = part
    if (error === undefined || item === undefined) continue
    const middle = Math.ceil(part.length / 2)
    if (part.length === 1) refused.set(item.key, error.message)
    else parts.push(part.slice(middle), part.slice(0, middle))
  }
  return refused
}

/** What the database holds against the rows; undefined if they are written. Any other error is thrown. */
async function trial(connection: PostgresConnection, insert: () => Promise<void>): Promise<PostgresError | undefined> {
  await connection.query('SAVEPOINT rows')
  try {
    await insert()
    await connection.query('RELEASE rows')
    return undefined
  } catch (error) {
    if (!(error instanceof PostgresError) || !error.mayBeItems) throw error
    await connection.query('ROLLBACK TO rows')
    return error
  }
}
