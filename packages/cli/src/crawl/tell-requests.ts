// `--log-level debug`: a line for each request.
import type { Crawl } from '@avocet/core'
import type { TraceEvent } from '@avocet/core/plugin'
import type { LogFields } from '../log/log-entry.ts'
import { printable } from '../text/printable.ts'
import { formatDuration, formatMoment } from '../text/quantity.ts'

/** Says a line for each exchange when it has ended: its status or failure, its URL, how long it took, and where the URL came from. */
export function tellRequests(crawl: Crawl, say: (line: string, fields: LogFields) => void): void {
  crawl.hooks.onTrace.tap('debug', (event: TraceEvent) => {
    if (event.kind !== 'answered' && event.kind !== 'failed' && event.kind !== 'unsent') return
    const { request, bookedAt } = event.exchange
    const parent = request.parent === undefined ? '' : `, from ${printable(request.parent)}`
    const took = `in ${formatDuration(event.at - bookedAt)}`
    const message = `${cameOf(event)} ${printable(request.url)} ${took}${parent}${verdictInWords(event, event.at)}`
    say(`${formatMoment(event.at)} ${message}`, { event: 'request', message, ...fieldsOf(event) })
  })
}

function fieldsOf(event: Ended): LogFields {
  const { request, bookedAt } = event.exchange
  const { verdict } = event
  return {
    at: event.at,
    host: request.hostKey,
    url: request.url,
    ...(request.parent !== undefined && { parent: request.parent }),
    ...(event.kind === 'answered' && { status: event.response.status }),
    ...(event.kind === 'failed' && { code: event.failure.code }),
    durationMs: Math.round(event.at - bookedAt),
    ...(verdict.kind !== 'accept' && 'reason' in verdict && { reason: verdict.reason }),
    ...(verdict.kind === 'retry' && { until: Math.round(verdict.at) }),
  }
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
