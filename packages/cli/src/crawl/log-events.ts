// What a log has of a crawl beyond what people are told line by line: its opening, its progress, and hosts that are given up.
import type { Crawl } from '@avocet/core'
import type { TraceEvent } from '@avocet/core/plugin'
import type { Clock } from '@avocet/core/store'
import type { CrawlStatus } from '@avocet/core/tools'
import type { CrawlLog } from '@avocet/project/log'
import { printable, formatCountOf } from '@avocet/project/text'
import { seedsInWords } from '../text/left-undone.ts'

/** Of the lines: raised when a field changes its meaning or goes. */
const SCHEMA = 1
/** As often as people get a line. */
const PROGRESS_MS = 30_000

/** Who writes it down. */
type Log = Pick<CrawlLog, 'write'>

/** Logs that it has begun. Of several processes, one says so. */
export function logOpening(crawl: Crawl, log: Log): void {
  crawl.hooks.open.tap({ name: 'log', stage: Infinity }, ({ info, now }) => {
    const { known, waiting, settled, items } = info
    const counts = { schema: SCHEMA, known, waiting, settled, items }
    log.write({ level: 'info', event: 'open', message: 'the crawl has begun', at: now, counts })
  })
}

/** Logs hosts that are given up. */
export function logHosts(crawl: Crawl, log: Log): void {
  crawl.hooks.onTrace.tap({ name: 'log', kinds: ['retired'] }, (event: TraceEvent) => {
    if (event.kind !== 'retired') return
    const { hostKey: host, reason, probeAt: until, at } = event
    const message = `${printable(host)} is given up: ${printable(reason)}`
    log.write({ level: 'warn', event: 'host-given-up', message, at, host, reason, ...(until !== undefined && { until }) })
  })
}

/** Logs how far it is, every 30 s until disposed. `status`: undefined before there is something to tell. */
export function logProgress(log: Log, clock: Pick<Clock, 'now' | 'at'>, status: () => CrawlStatus | undefined): Disposable {
  let timer: Disposable | undefined
  const tick = (): void => {
    const now = status()
    if (now !== undefined && now.phase !== 'opening') log.write(progressOf(now))
    timer = clock.at(clock.now() + PROGRESS_MS, tick)
  }
  timer = clock.at(clock.now() + PROGRESS_MS, tick)
  return { [Symbol.dispose]: () => timer?.[Symbol.dispose]() }
}

function progressOf({ run, waiting, inFlight, phase, seeds, ...status }: CrawlStatus): Parameters<Log['write']>[0] {
  const { pages, requests, failures, items } = run
  const offered = seeds === undefined ? '' : `, seeds: ${seedsInWords(seeds)}`
  const message = `${formatCountOf(pages, 'page')}, ${formatCountOf(items, 'item')}, ${formatCountOf(waiting, 'request')} waiting${offered}, ${phase}`
  return {
    level: 'info',
    event: 'progress',
    message,
    counts: { pages, requests, failures, items, itemsInAll: status.items, waiting, inFlight, hosts: status.liveHosts },
  }
}
