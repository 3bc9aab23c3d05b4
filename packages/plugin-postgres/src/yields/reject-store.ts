// Rejects as a crawl writes them, each source once at a place (request, visit, ordinal); one statement each.
import {
  keptReason,
  rejectGroupOf,
  SCHEMA_SOURCE,
  type RejectDecision,
  type RejectStore,
  type SinkReject,
} from '@avocet/core/store'
import { inRange } from '../connection/in-range.ts'
import { storableText } from '../connection/storable-text.ts'
import { storedWord } from '../names/stored-word.ts'
import type { Queries } from '../connection/queries.ts'

/** The row that counts for this process: its own, or that of the dead once it was buried. */
const COUNTED = '(SELECT max(id) FROM {S}.process WHERE id IN (0, $1))'

const SET_ASIDE = `WITH given AS (
    SELECT DISTINCT ON (request, visit, ordinal, source) * FROM unnest($2::text[], $3::bigint[], $4::int[], $5::int[], $6::text[], $7::text[], $8::bigint[])
    WITH ORDINALITY AS u (source, request, visit, ordinal, reason, kind, at, place) ORDER BY request, visit, ordinal, source, place DESC),
  put AS (
    INSERT INTO {S}.reject (source, request, visit, ordinal, reason, kind, at)
    SELECT source, request, visit, ordinal, reason, kind, at FROM given g
    WHERE EXISTS (SELECT 1 FROM {S}.item i WHERE i.request = g.request AND i.visit = g.visit AND i.ordinal = g.ordinal) ORDER BY place
    ON CONFLICT (request, visit, ordinal, source) DO UPDATE SET json = NULL, reason = excluded.reason, kind = excluded.kind, at = excluded.at, retried = false
    RETURNING xmax = 0 AS is_new),
  counted AS (UPDATE {S}.process SET rejects = rejects + (SELECT count(*) FROM put WHERE is_new) WHERE id = ${COUNTED})
  SELECT count(*) AS n, {SAME} FROM put WHERE is_new`

const RETRY = `WITH wanted AS (
    SELECT j.id FROM {S}.reject j WHERE NOT j.retried AND j.source <> '${SCHEMA_SOURCE}' AND ($1::text IS NULL OR j.source = $1)
    AND ($2::text IS NULL OR EXISTS (SELECT 1 FROM {S}.request r JOIN {S}.host h ON h.id = r.host WHERE r.id = j.request AND h.key = $2))
    ORDER BY j.id LIMIT $3),
  put AS (UPDATE {S}.reject SET retried = true WHERE id IN (SELECT id FROM wanted) RETURNING 1)
  SELECT count(*) AS n, {SAME} FROM put`

const FORGET = `WITH gone AS (DELETE FROM {S}.reject WHERE id = ANY ($2::bigint[]) RETURNING 1),
  counted AS (UPDATE {S}.process SET rejects = rejects - (SELECT count(*) FROM gone) WHERE id = ${COUNTED})
  SELECT count(*) AS n, {SAME} FROM gone`

/** What is refused again stays, what is dropped or valid goes, and what is valid is an item at its place. */
const SETTLE = `WITH given AS (
    SELECT * FROM unnest($2::bigint[], $3::text[], $4::text[], $5::text[]) AS u (id, json, reason, kind)),
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
    UPDATE {S}.process SET rejects = rejects - (SELECT count(*) FROM gone), items = items + (SELECT count(*) FROM put) WHERE id = ${COUNTED})
  SELECT count(*) AS n, {SAME} FROM put`

/** The part of a frontier that keeps rejects; `process`: the id of this one. */
export function rejectStore(queries: Queries, process: () => number): RejectStore {
  const count = async (text: string, values: readonly unknown[]): Promise<number> => {
    const [row] = await queries.all<{ readonly n: number }>(text, values)
    return row?.n ?? 0
  }
  return {
    setAside: (rejects) => count(SET_ASIDE, [process(), ...columnsOf(rejects)]),
    retryRejects: ({ source, hostKey, limit }) =>
      count(RETRY, [source === undefined ? null : storedWord(source), hostKey ?? null, limit ?? null]),
    forgetRejects: (ids) => count(FORGET, [process(), [...ids]]),
    settleRejects: (decisions) => count(SETTLE, [process(), ...decided(decisions)]),
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
