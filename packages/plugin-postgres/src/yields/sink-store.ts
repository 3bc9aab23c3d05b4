// How far the sinks are, and which process runs each of them.
import { storedJson, type SinkRecord, type SinkStore } from '@avocet/core/store'
import { storedWord } from '../names/stored-word.ts'
import type { Queries } from '../connection/queries.ts'

/** This process, and those that are known to be dead and were not buried yet. */
export interface SinkProcesses {
  readonly id: number
  readonly dead: readonly number[]
}

/** Whether nobody else runs it, by `$2` (this process) and `$3` (the dead). */
const IS_FREE = `(s.owner IS NULL OR s.owner = $2 OR s.owner = ANY ($3::int[]) OR NOT EXISTS (SELECT 1 FROM {S}.process p WHERE p.id = s.owner))`

/** Whatever the durability of the crawl: if a power cut took the mark, a file would be taken for somebody else's, and written twice. */
const SURELY = `sure AS MATERIALIZED (SELECT set_config('synchronous_commit', 'on', true) AS set)`

const KEEP = `WITH ${SURELY},
  put AS (
    INSERT INTO {S}.sink AS s (name, item_seq, record) SELECT $1, $4, $5 FROM sure
    ON CONFLICT (name) DO UPDATE SET item_seq = excluded.item_seq, record = excluded.record WHERE ${IS_FREE} RETURNING 1),
  gone AS (DELETE FROM {S}.reject WHERE id = ANY ($6::bigint[]) AND EXISTS (SELECT 1 FROM put) RETURNING 1),
  counted AS (
    UPDATE {S}.process SET rejects = rejects - (SELECT count(*) FROM gone) WHERE id = (SELECT max(id) FROM {S}.process WHERE id IN (0, $2))
    AND EXISTS (SELECT 1 FROM gone))
  SELECT {SAME} FROM put`

const CLAIM = `INSERT INTO {S}.sink AS s (name, owner) VALUES ($1, $2)
  ON CONFLICT (name) DO UPDATE SET owner = excluded.owner WHERE ${IS_FREE} RETURNING {SAME}`

/** The part of a frontier that its sinks need. */
export function sinkStore(queries: Queries, processes: () => SinkProcesses): SinkStore {
  const done = async (text: string, values: readonly unknown[]): Promise<boolean> => (await queries.all(text, values)).length > 0
  return {
    async sink(name) {
      const [row] = await queries.all<{ readonly record: string | null }>('SELECT record FROM {S}.sink WHERE name = $1', [
        storedWord(name),
      ])
      return row === undefined || row.record === null
        ? undefined
        : (storedJson(row.record, 'what is kept of a sink') as SinkRecord)
    },
    keepSink(record, hasAfterAll = []) {
      const { id, dead } = processes()
      const values = [storedWord(record.name), id, [...dead], record.mark?.itemSeq ?? 0, JSON.stringify(record), [...hasAfterAll]]
      return done(KEEP, values)
    },
    claimSink(name) {
      const { id, dead } = processes()
      return done(CLAIM, [storedWord(name), id, [...dead]])
    },
    async freeSink(name) {
      await queries.all('UPDATE {S}.sink SET owner = NULL WHERE name = $1 AND owner = $2 RETURNING {SAME}', [
        storedWord(name),
        processes().id,
      ])
    },
  }
}
