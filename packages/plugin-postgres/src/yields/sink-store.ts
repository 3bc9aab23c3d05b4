// How far the sinks are, and which process runs each of them. What is said of one is numbered: an older mark that comes late must not replace a newer one.
import type { SinkStore } from '@avocet/core/store'
import { sinkRecordOf } from '@avocet/store-sql'
import { isAnswer, TURN, type CallLanes, type LaneRow } from '../connection/call-lanes.ts'
import { storedWord } from '../names/word-ids.ts'
import type { Queries } from '../connection/queries.ts'

/** Whether nobody else runs it: this process (`$1`) or nobody, also one of the dead that were not buried yet (`$6`). */
const IS_FREE = `(s.owner IS NULL OR s.owner = $1 OR s.owner = ANY ($6::int[]) OR NOT EXISTS (SELECT 1 FROM {S}.process p WHERE p.id = s.owner))`

/** Whatever the durability of the crawl: if a power cut took the mark, a file would be taken for somebody else's, and written twice. */
const SURELY = `sure AS MATERIALIZED (SELECT set_config('synchronous_commit', 'on', true) AS set)`

const KEEP = `WITH ${SURELY}, ${TURN},
  put AS (
    INSERT INTO {S}.sink AS s (name, item_seq, record) SELECT $5, $7, $8 FROM sure, turn WHERE turn.is_ours
    ON CONFLICT (name) DO UPDATE SET item_seq = excluded.item_seq, record = excluded.record WHERE ${IS_FREE} RETURNING 1)
  SELECT {SAME}, turn.is_ours, EXISTS (SELECT 1 FROM put) AS is_done FROM turn`

const CLAIM = `WITH ${TURN},
  put AS (
    INSERT INTO {S}.sink AS s (name, owner) SELECT $5, $1 FROM turn WHERE turn.is_ours
    ON CONFLICT (name) DO UPDATE SET owner = excluded.owner WHERE ${IS_FREE} RETURNING 1)
  SELECT {SAME}, turn.is_ours, EXISTS (SELECT 1 FROM put) AS is_done FROM turn`

const FREE = `WITH ${TURN},
  put AS (UPDATE {S}.sink s SET owner = NULL FROM turn WHERE turn.is_ours AND s.name = $5 AND s.owner = $1 RETURNING 1)
  SELECT {SAME}, turn.is_ours, EXISTS (SELECT 1 FROM put) AS is_done FROM turn`

/** What a store has for its sinks. */
interface SinkParts {
  readonly lanes: CallLanes
  /** Sinks that this process took, each with the token of the sign-in under which it did. */
  readonly claims: Map<string, string>
}

/** The part of a frontier that its sinks need. `dead`: processes that are known to be, and were not buried yet. */
export function sinkStore(queries: Queries, { lanes, claims }: SinkParts, dead: readonly number[]): SinkStore {
  const done = (text: string, given: string, values: readonly unknown[] = []): Promise<boolean> => {
    const name = storedWord(given)
    return lanes.ask(`sink ${name}`, async (call) => {
      const [, token] = call
      // Since this process ran it, others may have: their mark must not be replaced by an older one, though nobody runs the sink now.
      if (text !== CLAIM && (claims.get(name) ?? token) !== token) return false
      const [row] = await queries.all<LaneRow & { readonly is_done: boolean }>(text, [...call, name, ...values])
      if (!isAnswer(row)) return null
      if (text === CLAIM && row.is_done) claims.set(name, token)
      return row.is_done
    })
  }
  return {
    async get(name) {
      const [row] = await queries.all<{ readonly record: string | null }>('SELECT record FROM {S}.sink WHERE name = $1', [
        storedWord(name),
      ])
      return row === undefined || row.record === null ? undefined : sinkRecordOf(row.record)
    },
    keep: (record) => done(KEEP, record.name, [[...dead], record.mark?.itemSeq ?? 0, JSON.stringify(record)]),
    claim: (name) => done(CLAIM, name, [[...dead]]),
    async free(name) {
      await done(FREE, name)
      claims.delete(storedWord(name))
    },
  }
}
