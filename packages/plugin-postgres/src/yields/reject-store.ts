// Rejects as a crawl writes them, each source once at a place (request, visit, ordinal); one statement each.
import {
  keptReason,
  rejectGroupOf,
  SCHEMA_SOURCE,
  type RejectDecision,
  type RejectStore,
  type SinkReject,
} from '@avocet/core/store'
import { inRange, storableText } from '../connection/storable-text.ts'
import { isAnswer, TURN, type CallLanes, type LaneRow } from '../connection/call-lanes.ts'
import { storedWord } from '../names/word-ids.ts'
import type { Queries } from '../connection/queries.ts'

const LANE = 'rejects'

const SET_ASIDE = `WITH ${TURN}, given AS (
    SELECT DISTINCT ON (request, visit, ordinal, source) u.* FROM unnest($5::text[], $6::bigint[], $7::int[], $8::int[], $9::text[], $10::text[], $11::bigint[])
    WITH ORDINALITY AS u (source, request, visit, ordinal, reason, kind, at, place), turn WHERE turn.is_ours ORDER BY request, visit, ordinal, source, place DESC),
  put AS (
    INSERT INTO {S}.reject (source, request, visit, ordinal, reason, kind, at)
    SELECT source, request, visit, ordinal, reason, kind, at FROM given g
    WHERE EXISTS (SELECT 1 FROM {S}.item i WHERE i.request = g.request AND i.visit = g.visit AND i.ordinal = g.ordinal) ORDER BY place
    ON CONFLICT (request, visit, ordinal, source) DO UPDATE SET json = NULL, reason = excluded.reason, kind = excluded.kind, at = excluded.at, retried = false
    RETURNING xmax = 0 AS is_new),
  counted AS (UPDATE {S}.process SET rejects = rejects + (SELECT count(*) FROM put WHERE is_new) WHERE id = $1)
  SELECT {SAME}, turn.is_ours, (SELECT count(*) FROM put WHERE is_new) AS n FROM turn`

const RETRY = `WITH ${TURN}, wanted AS (
    SELECT j.id FROM {S}.reject j, turn WHERE turn.is_ours AND NOT j.retried AND j.source <> '${SCHEMA_SOURCE}' AND ($5::text IS NULL OR j.source = $5)
    AND ($6::text IS NULL OR EXISTS (SELECT 1 FROM {S}.request r JOIN {S}.host h ON h.id = r.host WHERE r.id = j.request AND h.key = $6))
    ORDER BY j.id LIMIT $7),
  put AS (UPDATE {S}.reject SET retried = true WHERE id IN (SELECT id FROM wanted) RETURNING 1)
  SELECT {SAME}, turn.is_ours, (SELECT count(*) FROM put) AS n FROM turn`

const FORGET = `WITH ${TURN}, gone AS (DELETE FROM {S}.reject j USING turn WHERE turn.is_ours AND j.id = ANY ($5::bigint[]) RETURNING 1),
  counted AS (UPDATE {S}.process SET rejects = rejects - (SELECT count(*) FROM gone) WHERE id = $1)
  SELECT {SAME}, turn.is_ours, (SELECT count(*) FROM gone) AS n FROM turn`

/** What is refused again stays, what is dropped or valid goes, and what is valid is an item at its place. */
const SETTLE = `WITH ${TURN}, given AS (
    SELECT u.* FROM unnest($5::bigint[], $6::text[], $7::text[], $8::text[]) AS u (id, json, reason, kind), turn WHERE turn.is_ours),
  refused AS (
    UPDATE {S}.reject j SET reason = g.reason, kind = g.kind FROM given g
    WHERE j.id = g.id AND j.source = '${SCHEMA_SOURCE}' AND g.reason IS NOT NULL),
  gone AS (
    DELETE FROM {S}.reject j USING given g WHERE j.id = g.id AND j.source = '${SCHEMA_SOURCE}' AND g.reason IS NULL
    RETURNING j.id, j.request, j.visit, j.ordinal, g.json),
  valid AS (
    SELECT v.*, row_number() OVER (ORDER BY v.id) AS n FROM gone v WHERE v.json IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM {S}.item i WHERE i.request = v.request AND i.visit = v.visit AND i.ordinal = v.ordinal)),
  own AS (
    INSERT INTO {S}.item_group (xid, size, items) SELECT pg_current_xact_id(), count(*), count(*) FROM valid HAVING count(*) > 0 RETURNING id),
  put AS (
    INSERT INTO {S}.item (grp, request, n, visit, ordinal, json) SELECT own.id, v.request, v.n, v.visit, v.ordinal, v.json FROM valid v, own
    ON CONFLICT DO NOTHING RETURNING 1),
  counted AS (
    UPDATE {S}.process SET rejects = rejects - (SELECT count(*) FROM gone), items = items + (SELECT count(*) FROM put) WHERE id = $1)
  SELECT {SAME}, turn.is_ours, (SELECT count(*) FROM put) AS n FROM turn`

/** The part of a frontier that keeps rejects. */
export function rejectStore(queries: Queries, lanes: CallLanes): RejectStore {
  const count = (text: string, values: readonly unknown[]): Promise<number> =>
    lanes.ask(LANE, async (call) => {
      const [row] = await queries.all<LaneRow & { readonly n: number }>(text, [...call, ...values])
      return isAnswer(row) ? row.n : null
    })
  return {
    setAside: (rejects) => count(SET_ASIDE, columnsOf(rejects)),
    retry: ({ source, hostKey, limit }) =>
      count(RETRY, [source === undefined ? null : storedWord(source), hostKey ?? null, limit ?? null]),
    forget: (ids) => count(FORGET, [[...ids]]),
    settle: (decisions) => count(SETTLE, decided(decisions)),
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
  ]
}

function decided(decisions: readonly RejectDecision[]): readonly unknown[][] {
  const reasons = decisions.map((each) => (each.kind === 'refused' ? keptReason(storableText(each.reason)) : null))
  return [
    decisions.map(({ id }) => id),
    decisions.map((each) => (each.kind === 'valid' ? each.json : null)),
    reasons,
    reasons.map((reason) => (reason === null ? null : rejectGroupOf(reason))),
  ]
}
