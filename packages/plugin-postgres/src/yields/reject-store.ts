// Rejects as a crawl writes them, each source once at a place (request, visit, ordinal); one statement each.
import { keptReason, rejectGroupOf, type RejectStore, type SinkReject } from '@avocet/core/store'
import { inRange, storableText } from '../connection/storable-text.ts'
import { isAnswer, TURN, type CallLanes, type LaneRow } from '../connection/call-lanes.ts'
import { storedWord } from '../names/word-ids.ts'
import type { Queries } from '../connection/queries.ts'

const LANE = 'rejects'

const SET_ASIDE = `WITH ${TURN}, given AS (
    SELECT DISTINCT ON (request, visit, ordinal, source) u.* FROM unnest($5::text[], $6::bigint[], $7::int[], $8::int[], $9::text[], $10::text[], $11::bigint[], $12::text[])
    WITH ORDINALITY AS u (source, request, visit, ordinal, reason, kind, at, json, place), turn WHERE turn.is_ours ORDER BY request, visit, ordinal, source, place DESC),
  put AS (
    INSERT INTO {S}.reject (source, request, visit, ordinal, reason, kind, at, json)
    SELECT source, request, visit, ordinal, reason, kind, at, json FROM given g
    WHERE g.json IS NOT NULL OR EXISTS (SELECT 1 FROM {S}.item i WHERE i.request = g.request AND i.visit = g.visit AND i.ordinal = g.ordinal) ORDER BY place
    ON CONFLICT (request, visit, ordinal, source) DO UPDATE SET json = excluded.json, reason = excluded.reason, kind = excluded.kind, at = excluded.at
    RETURNING xmax = 0 AS is_new),
  counted AS (UPDATE {S}.process SET rejects = rejects + (SELECT count(*) FROM put WHERE is_new) WHERE id = $1)
  SELECT {SAME}, turn.is_ours, (SELECT count(*) FROM put WHERE is_new) AS n FROM turn`

const FORGET = `WITH ${TURN}, gone AS (DELETE FROM {S}.reject j USING turn WHERE turn.is_ours AND j.id = ANY ($5::bigint[]) RETURNING 1),
  counted AS (UPDATE {S}.process SET rejects = rejects - (SELECT count(*) FROM gone) WHERE id = $1)
  SELECT {SAME}, turn.is_ours, (SELECT count(*) FROM gone) AS n FROM turn`

/** The part of a frontier that keeps rejects. */
export function rejectStore(queries: Queries, lanes: CallLanes): RejectStore {
  const count = (text: string, values: readonly unknown[]): Promise<number> =>
    lanes.ask(LANE, async (call) => {
      const [row] = await queries.all<LaneRow & { readonly n: number }>(text, [...call, ...values])
      return isAnswer(row) ? row.n : null
    })
  return {
    setAside: (rejects) => count(SET_ASIDE, columnsOf(rejects)),
    forget: (ids) => count(FORGET, [[...ids]]),
  }
}

function columnsOf(rejects: readonly SinkReject[]): readonly unknown[][] {
  const reasons = rejects.map(({ reason }) => keptReason(storableText(reason)))
  return [
    rejects.map(({ source }) => storedWord(source)),
    rejects.map(({ requestId }) => requestId),
    rejects.map(({ visit }) => visit),
    rejects.map(({ ordinal }) => ordinal),
    reasons,
    reasons.map(rejectGroupOf),
    rejects.map(({ at }) => inRange(at)),
    rejects.map(({ json }) => json ?? null),
  ]
}
