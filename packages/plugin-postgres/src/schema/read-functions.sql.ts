// SQL for readers: what would be planned otherwise where the statistics of a table are old, or missing.

/** Functions for reads. */
export const READ_FUNCTIONS: string = `
-- Ids of requests that are kept under one of two spellings. The filters of request_path are worth it also where the planner thinks otherwise.
CREATE FUNCTION {S}.requests_at(p_path text, p_url text) RETURNS SETOF bigint LANGUAGE sql STABLE
  SET enable_seqscan = off SET enable_indexscan = off SET enable_indexonlyscan = off SET jit = off AS $$
  SELECT r.id FROM {S}.request r WHERE r.path = p_path UNION SELECT r.id FROM {S}.request r WHERE r.path = p_url
$$;
`
