// `--log-level`: how much a crawl says on standard error. Data on standard output (items, --json, --events) is the same at any level.
import type { Crawl } from '@avocet/core'
import type { TraceEvent } from '@avocet/core/plugin'
import type { LogLevel } from '../options/crawl-options.ts'
import { printable } from '../text/printable.ts'
import { formatDuration, formatMoment } from '../text/quantity.ts'

const LOUDNESS = { error: 0, warn: 1, info: 2, debug: 3 } as const satisfies Record<LogLevel, number>

/** Whether a line of the level `of` is said at `level`. */
export function isSaid(of: LogLevel, level: LogLevel): boolean {
  return LOUDNESS[of] <= LOUDNESS[level]
}

/** Says a line for each exchange when it has ended: its status or failure, its URL, how long it took, and where the URL came from. */
export function tellRequests(crawl: Crawl, say: (line: string) => void): void {
  crawl.hooks.onTrace.tap('debug', (event: TraceEvent) => {
    if (event.kind !== 'answered' && event.kind !== 'failed' && event.kind !== 'unsent') return
    const { request, bookedAt } = event.exchange
    const parent = request.parent === undefined ? '' : `, from ${printable(request.parent)}`
    const took = `in ${formatDuration(event.at - bookedAt)}`
    say(`${formatMoment(event.at)} ${cameOf(event)} ${printable(request.url)} ${took}${parent}${verdictInWords(event, event.at)}`)
  })
}

/** The end of an exchange. */
type Ended = Extract<TraceEvent, { kind: 'answered' | 'failed' | 'unsent' }>

function cameOf(event: Ended): string {
  if (event.kind === 'answered') return String(event.response.status)
  if (event.kind === 'failed') return event.failure.code
  return 'not counted:'
}

function verdictInWords({ verdict, by }: Ended, now: number): string {
  const whose = by === undefined ? '' : ` (${printable(by)})`
  if (verdict.kind === 'retry')
    return `; again in ${formatDuration(Math.max(0, verdict.at - now))}: ${printable(verdict.reason)}${whose}`
  return verdict.kind === 'drop' ? `; ${printable(verdict.reason)}${whose}` : ''
}
