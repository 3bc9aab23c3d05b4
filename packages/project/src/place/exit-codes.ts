// The exit codes of the command, in one table: documented by `avocet help exit-codes`, and never reused for another meaning.

/** What each exit code means. */
export const EXIT_CODES = {
  0: 'finished: no request is waiting',
  1: 'internal error in Avocet, or a process of --processes that dies again and again',
  2: 'invalid command line',
  3: 'invalid configuration, spider or seed',
  4: 'avocet check found a problem that would stop the crawl',
  5: 'a limit (--max-pages, --max-time) ended the run: requests may be left',
  6: 'no page: every page failed, or its host was given up',
  7: 'the store, an output, a sink or the --metrics address cannot be used (full, locked, damaged, taken), or items are missing at the end; the next run continues',
  8: 'every remaining request must wait longer than --patience',
  9: 'all remaining requests belong to hosts that were given up; the next run probes them',
  11: 'in this run, handlers failed on more pages, or the schema or a sink refused more items, than --fail-over allows (10% by default)',
  12: 'avocet status --check: no process crawls, or none was heard from lately',
  69: 'this Node.js is too old',
  130: 'stopped by SIGINT: state saved, run again to resume',
  141: 'standard output was closed, as by head: state saved, run again to resume',
  143: 'stopped by SIGTERM: state saved, run again to resume',
} as const

/** A documented exit code. */
export type ExitCode = keyof typeof EXIT_CODES
