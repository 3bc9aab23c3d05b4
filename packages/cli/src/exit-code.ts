// Which exit code an error or a report has.
import type { CrawlReport } from '@avocet/core'
import { FAILURES } from '@avocet/core/plugin'
import type { FatalCode } from '@avocet/core/store'
import type { ExitCode } from '@avocet/project/command'
import { leftBehind } from './text/sink-line.ts'

const OF_ENDING = { done: 0, 'given-up': 9, patience: 8, limit: 5, stopped: 0, failed: 1 } as const satisfies Record<
  CrawlReport['ended'],
  ExitCode
>
/** Of errors that end a crawl, or keep it from starting. */
export const OF_FATAL: Readonly<Record<FatalCode, ExitCode>> = {
  AVO_INTERNAL: 1,
  AVO_USAGE: 2,
  AVO_CONFIG_INVALID: 3,
  AVO_CONFIG_CREDENTIALS: 3,
  AVO_CONFIG_UNTRUSTED: 3,
  AVO_SPIDER_LOAD: 3,
  AVO_SPIDER_INVALID: 3,
  AVO_SEED_INVALID: 3,
  AVO_PLUGIN_INVALID: 3,
  AVO_PLUGIN_OPEN: 3,
  AVO_FRONTIER_FOREIGN: 7,
  AVO_FRONTIER_CORRUPT: 7,
  AVO_FRONTIER_VERSION: 7,
  AVO_FRONTIER_SPEC: 7,
  AVO_FRONTIER_MISSING: 7,
  AVO_FRONTIER_UNUSABLE: 7,
  AVO_FRONTIER_BUSY: 7,
  AVO_FRONTIER_IO: 7,
  AVO_FRONTIER_FULL: 7,
  AVO_FRONTIER_AWAY: 7,
  AVO_FRONTIER_FAILED_OVER: 7,
  AVO_FRONTIER_CLOSED: 1,
  AVO_OUTPUT_UNWRITABLE: 7,
  AVO_OUTPUT_CLOSED: 141,
  AVO_SINK_OPEN: 7,
  AVO_SINK_BEHIND: 7,
  AVO_LISTEN_ADDRESS: 7,
  AVO_PROCESS_LOST: 1,
  AVO_NODE_TOO_OLD: 69,
  AVO_CLOCK_STUCK: 1,
}
/** Of a crawl that a signal has ended. */
export const OF_SIGNAL = { SIGINT: 130, SIGTERM: 143 } as const

/** A signal that ends a crawl in good order. */
export type EndSignal = keyof typeof OF_SIGNAL

/** The exit code of an error by its code: a plugin that is broken beyond use is the configuration's fault. */
export function exitCodeOfError(code: string): ExitCode {
  if (Object.hasOwn(OF_FATAL, code)) return OF_FATAL[code as FatalCode]
  const blamed = Object.hasOwn(FAILURES, code) && FAILURES[code as keyof typeof FAILURES].blame
  return blamed === 'user' ? 3 : 1
}

/** Share of pages that handlers may fail on when nothing else is said. */
export const DEFAULT_FAIL_OVER = 0.1

/** What the exit code of a crawl depends on beside its report. */
interface Asked {
  /** What asked it to stop. */
  readonly signal?: EndSignal | undefined
  /** Share of pages that handlers may fail on, and of items that the schema or a sink may refuse, 0 to 1. Default `DEFAULT_FAIL_OVER`. */
  readonly failOver?: number | undefined
}

/**
 * The exit code of a crawl that ended with `report`. Pages of this run that were lost to errors in handlers, and items that the schema or a sink refused in
 * it, take precedence over requests that are left. What earlier runs lost is in the report: a shop that broke a year ago fails no cron job of today.
 */
export function exitCodeOfReport(report: CrawlReport, { signal, failOver = DEFAULT_FAIL_OVER }: Asked = {}): ExitCode {
  const { ended, error } = report
  if (error) return exitCodeOfError(error.code)
  if (ended === 'stopped' && signal !== undefined) return OF_SIGNAL[signal]
  const { lost, handled } = report.run
  if (lost > failOver * handled || refusalsOver(failOver, report).length > 0) return 11
  if (pagesIn(report) === 0 && (ended === 'done' || ended === 'given-up')) return 6
  if (leftBehind(report).length > 0) return exitCodeOfError('AVO_SINK_BEHIND')
  return OF_ENDING[ended]
}

/** Who refused more than a share of its items in this run. */
interface Refusal {
  readonly by: string
  readonly items: number
  readonly of: number
}

/** The schema and the sinks. */
export function refusalsOver(share: number, { run, sinks = [] }: Pick<CrawlReport, 'run' | 'sinks'>): Refusal[] {
  const all: Refusal[] = [
    { by: 'the schema', items: run.rejects, of: run.rejects + run.items },
    ...sinks.flatMap(({ name, refused }) => (refused ? [{ by: `sink ${name}`, ...refused }] : [])),
  ]
  return all.filter((each) => each.items > share * each.of)
}

/** Pages that are done: sitemaps and files are none, however many there are. */
export function pagesIn({ counts, documents = 0 }: Pick<CrawlReport, 'counts' | 'documents'>): number {
  return Math.max(0, counts.done - documents)
}
