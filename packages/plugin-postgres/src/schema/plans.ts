// How the functions of a crawl plan their statements: by indexes, whatever the statistics say.
//
// A plan that was made while a table was empty would be kept while it grows, so all that reads whole tables is off, per function. Where a function is called
// for each group or lease, its plans are made once: to make them anew for each value costs a third of the CPU.

/** For functions that are called now and then, of many rows at once: bitmaps are allowed. */
export const BY_INDEX_OR_BITMAP = 'SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off'

/** For those that are called as processes and pages come and go. */
export const BY_INDEX: string = `${BY_INDEX_OR_BITMAP} SET enable_bitmapscan = off`

/** For those that each group of units and each lease calls. */
export const BY_INDEX_PLANNED_ONCE: string = `${BY_INDEX} SET plan_cache_mode = force_generic_plan`
