// The indexes of requests by what they are: known URLs by fingerprint, and the history of a URL by its path.
//
// Fingerprints are random, so a load makes that index at its end, in one go. People ask for the history of a URL, and no crawl does: that index may cost
// nothing. It is a Bloom filter for each 64 pages of the table (2 bytes a URL): a look-up reads all filters, then the pages of those that say maybe. A row
// that is added to pages with a filter would write it anew, 6 KB; so pages get theirs once they are full, from autovacuum or at the end of a load, and until
// then they are read as they are. Rejected: an index of hashes, 20 bytes a URL and a random page with each.
// Source: PostgreSQL documentation, 65.5 (BRIN).

/** Known URLs. */
export const FINGERPRINT_INDEX = 'CREATE UNIQUE INDEX request_fingerprint ON {S}.request (fingerprint)'

/** With a new table, whose first pages have a filter at once unless it is taken away. */
export const PATH_INDEX: string = `
CREATE INDEX request_path ON {S}.request USING brin (path text_bloom_ops (n_distinct_per_range = 5000, false_positive_rate = 0.01))
  WITH (pages_per_range = 64, autosummarize = on);
SELECT brin_desummarize_range($q$\{S}.request_path$q$::regclass, 0);
`

/** Gives all pages that are full their filters. */
export const SUMMARIZE_PATHS: string = `SELECT brin_summarize_new_values($q$\{S}.request_path$q$::regclass)`
