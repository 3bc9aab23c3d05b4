// Whether transactions are synced as this process asks for.
//
// Each call sets `synchronous_commit` for its transaction. What stands between, or a server that only speaks the protocol, may take the setting and leave it
// off: then a power cut takes back what was answered. So it is read back, once per sign-in.
import { AvocetError } from '@avocet/core'
import type { Queries } from '../connection/queries.ts'

/** From the weakest to the strongest. Source: PostgreSQL documentation §19.5.1. */
const STRENGTHS: readonly string[] = ['off', 'local', 'remote_write', 'on', 'remote_apply']

const READ_BACK = `WITH asked AS MATERIALIZED (SELECT set_config('synchronous_commit', $1, true) AS value)
  SELECT current_setting('synchronous_commit') AS in_force FROM asked WHERE asked.value IS NOT NULL`

/** Throws AVO_FRONTIER_UNUSABLE where what is in force is weaker. `name`: the store, for people. */
export async function checkDurability(queries: Pick<Queries, 'all'>, durability: string, name: string): Promise<void> {
  const [row] = await queries.all<{ readonly in_force: string }>(READ_BACK, [durability])
  const got = row?.in_force ?? 'nothing'
  if (STRENGTHS.indexOf(got) >= STRENGTHS.indexOf(durability)) return
  throw new AvocetError(
    'AVO_FRONTIER_UNUSABLE',
    `expected synchronous_commit=${durability} in transactions of the store ${name}, got ${got} after it was set: a crash of the server would lose what it said it had kept; have the server, and a pooler before it, accept this setting`,
  )
}
