// `avocet crawl`: plans the crawl, and runs it in one process or in several. Each loads what it needs and no more: the
// process that supervises others stays beside them for as long as they crawl.
import { availableParallelism } from 'node:os'
import { AvocetError, type CrawlConfig } from '@avocet/core'
import { DEFAULTS, messageOf } from '@avocet/core/store'
import type { MetricsServer } from '@avocet/metrics'
import type { ExitCode } from '@avocet/project/command'
import { CrawlLog, isSaid, ServiceNotice } from '@avocet/project/log'
import type { CrawlOptions } from '@avocet/project/options'
import { say, type Place } from '@avocet/project/place'
import { plannedCrawl, type PlannedCrawl, type ProcessWish } from '@avocet/project/plan'
import { plain, printable } from '@avocet/project/text'
import { exitCodeOfError } from '../exit-code.ts'

/** Runs a crawl to its end, or to its next resting place. */
export function crawlCommand(options: CrawlOptions, place: Place): Promise<ExitCode> {
  return logged(options, place, (inside) => {
    const told = asService(options, inside)
    return wholeCrawl(options, told).finally(() => told.service?.stopping())
  })
}

/** A command that may run for weeks tells what started it how it is. */
function asService({ logLevel = 'info' }: CrawlOptions, place: Place): Place {
  const { clock, stderr, env } = place
  const tell = (line: string): void => (isSaid('warn', logLevel) ? say(stderr, line) : undefined)
  const service = ServiceNotice.of({ env, pid: process.pid, clock, tell })
  return { ...place, ...(service && { service }) }
}

async function wholeCrawl(options: CrawlOptions, place: Place): Promise<ExitCode> {
  const planned = await plannedCrawl(options, place)
  const count = processCount(planned.processes, planned.config)
  if (count > 1) {
    const { crawlInProcesses } = await import('./crawl-in-processes.ts')
    return crawlInProcesses({ options, planned, count }, place)
  }
  const metrics = await metricsOf(planned, { options }, place)
  using _open = { [Symbol.dispose]: () => metrics?.close() }
  const { oneRun } = await import('./one-run.ts')
  return await oneRun({ options, planned, ...(metrics && { metrics }) }, place)
}

/** It is loaded where it is asked for. Each process serves its own, at ports one after the other. */
export async function metricsOf(
  { metrics }: PlannedCrawl,
  { options, number = 1 }: { readonly options: CrawlOptions; readonly number?: number },
  place: Place,
): Promise<MetricsServer | undefined> {
  if (metrics === undefined) return undefined
  const { openMetrics } = await import('./open-metrics.ts')
  const port = metrics.port === 0 ? 0 : metrics.port + number - 1
  return openMetrics({ ...metrics, port }, options.logLevel ?? 'info', place)
}

/** How many: each has a request in flight and a page at least. `auto` is one for each of `cores`, by default those that the system lets this process use. */
export function processCount(
  wish: ProcessWish = 1,
  { concurrency = DEFAULTS.concurrency, maxPages = Infinity }: Pick<CrawlConfig, 'concurrency' | 'maxPages'> = {},
  cores: number = availableParallelism(),
): number {
  return Math.max(1, Math.min(wish === 'auto' ? cores : wish, concurrency, maxPages))
}

/** Does `work` in a place with a log, where one was asked for: why the crawl could not begin is in it. */
async function logged(options: CrawlOptions, place: Place, work: (place: Place) => Promise<ExitCode>): Promise<ExitCode> {
  const { logFormat, logLevel: level = 'info' } = options
  if (logFormat !== 'json') return work(place)
  const log = new CrawlLog({ level, ...place })
  try {
    return await work({ ...place, stderr: log.stderr, log, paint: plain })
  } catch (error) {
    const code = error instanceof AvocetError ? error.code : 'AVO_INTERNAL'
    log.write({ level: 'error', event: 'error', code, message: printable(messageOf(error)) })
    if (!(error instanceof AvocetError)) throw error
    return exitCodeOfError(error.code)
  }
}
