// Calls that put links into the store, made again where another process found one of them in between: hosts are locked before it is asked which are new, then.
//
// One after another would fail as often as there are processes that find the same links, if it were made again as it was.
import { sqlStateOf } from '../connection/postgres-fault.ts'

/** A unique index refused a row. */
const UNIQUE_VIOLATION = '23505'

/** What `call` answers. Nothing was written where it failed. */
export async function unlessFoundMeanwhile<Answer>(call: (lockFirst: boolean) => Promise<Answer>): Promise<Answer> {
  try {
    return await call(false)
  } catch (thrown) {
    if (sqlStateOf(thrown) !== UNIQUE_VIOLATION) throw thrown
  }
  return call(true)
}
