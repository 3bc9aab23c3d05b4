// Where the links of pages were cut, as version 4 had it: in rows of `trouble` with the blame 'cut', and '50000 150000' for a target: so many links before the
// first that waited, and so many from there on.

/** SQL: makes rows of `cut` of those, and says of their pages that nobody knows when they were read first. `schema`: of a store, or of rows that a rescue read. */
export function cutsOfVersion4(schema: 'main' | 'staged'): string {
  return `
UPDATE ${schema}.attempt SET first_at = 0 WHERE first_at IS NULL AND id IN (SELECT id FROM ${schema}.trouble WHERE blame = 'cut');
INSERT OR IGNORE INTO ${schema}.cut (id, reason, links, waiting, reread) SELECT id, reason, before + waiting, waiting, reread FROM (
  SELECT t.id, t.reason, coalesce(CAST(t.target AS INTEGER), 0) AS before, coalesce(CAST(substr(t.target, instr(t.target, ' ') + 1) AS INTEGER), 0) AS waiting,
  a.state = 0 AS reread FROM ${schema}.trouble t JOIN ${schema}.attempt a ON a.id = t.id WHERE t.blame = 'cut');
DELETE FROM ${schema}.trouble WHERE blame = 'cut';
`
}
