// `avocet crawl`: plans the crawl, and runs it in one process or in several. Each loads what it needs and no more: the
// process that supervises others stays beside them for as long as they crawl.
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { AvocetError, type CrawlConfig } from '@avocet/core'
import { DEFAULTS, messageOf, sleepUntil } from '@avocet/core/store'
import type { MetricsServer } from '@avocet/metrics'
import type { ExitCode } from '@avocet/project/command'
import { CrawlLog, isSaid, LogFile, ROTATION, ServiceNotice } from '@avocet/project/log'
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
  const metrics = await metricsOf(planned, options, place)
  using _open = { [Symbol.dispose]: () => metrics?.close() }
  const { oneRun } = await import('./one-run.ts')
  return await oneRun({ options, planned, ...(metrics && { metrics }) }, place)
}

/** It is loaded where it is asked for. */
async function metricsOf({ metrics }: PlannedCrawl, options: CrawlOptions, place: Place): Promise<MetricsServer | undefined> {
  if (metrics === undefined) return undefined
  const { openMetrics } = await import('./open-metrics.ts')
  return openMetrics(metrics, options.logLevel ?? 'info', place)
}

/** How many: each has a request in flight and a page at least. `auto` is one for each of `cores`, by default those that the system lets this process use. */
export function processCount(
  wish: ProcessWish = 1,
  { concurrency = DEFAULTS.concurrency, maxPages = Infinity }: Pick<CrawlConfig, 'concurrency' | 'maxPages'> = {},
  cores: number = availableParallelism(),
): number {
  return Math.max(1, Math.min(wish === 'auto' ? cores : wish, concurrency, maxPages))
}

// Runs a crawl with its log: what is said on standard error is in it, and so is why the crawl could not begin.

/** How long the end may take for lines that a disk does not take. */
const CLOSE_MS = 5_000

/** Does `work` in a place with a log, where one was asked for. Throws AVO_USAGE for a log file that is another file, or cannot be opened. */
async function logged(options: CrawlOptions, place: Place, work: (place: Place) => Promise<ExitCode>): Promise<ExitCode> {
  if (options.log?.file !== undefined) (await import('./log-place.ts')).checkLogPlace(options, place)
  const log = logOf(options, place)
  if (log === undefined) return work(place)
  await log.begin()
  const inside = { ...place, stderr: log.stderr, log, ...(log.screen === undefined && { paint: plain }) }
  const { clock } = place
  try {
    return await work(inside)
  } catch (error) {
    const code = error instanceof AvocetError ? error.code : 'AVO_INTERNAL'
    log.write({ level: 'error', event: 'error', code, message: printable(messageOf(error)) })
    // A person is told by the one place that tells of errors.
    if (log.screen !== undefined || !(error instanceof AvocetError)) throw error
    return exitCodeOfError(error.code)
  } finally {
    await Promise.race([log.close(), sleepUntil(clock, clock.now() + CLOSE_MS)])
  }
}

function logOf({ log, logLevel: level = 'info' }: CrawlOptions, { stderr, clock, folder }: Place): CrawlLog | undefined {
  if (log === undefined || (log.file === undefined && log.format !== 'json')) return undefined
  const onStderr = log.format === 'json'
  const path = log.file && resolve(folder, log.file)
  const made: CrawlLog = new CrawlLog({
    ...{ level, clock, stderr, onStderr },
    ...(path !== undefined && { file: new LogFile({ ...ROTATION, path, clock, tell: (line) => told(line) }) }),
  })
  const told = (line: string): void => {
    if (onStderr) made.write({ level: 'warn', event: 'log-file', message: printable(line) })
    else say(stderr, printable(line))
  }
  return made
}
