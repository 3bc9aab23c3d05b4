// `--events ndjson`: what happens in a crawl, one JSON text a line on standard output. Outcomes are written once they are committed, everything else
// when it happens: an `error` comes before the commit of its outcome, and if the process is killed in between, its request is requested again.
//
// Hooks are synchronous and a pipe may be slow. What it does not take at once waits in the stream's buffer, and the crawl is paused
// until it has drained: a slow reader slows the crawl, not the memory.
import type { Writable } from 'node:stream'
import type { AvocetError, Crawl, CrawlReport, Request } from '@avocet/core'
import type { Failure, Session, TraceEvent } from '@avocet/core/plugin'
import type { Outcome } from '@avocet/core/store'
import { sendRecord, outputError } from '@avocet/project/place'

/** Of the lines: raised when a field changes its meaning or goes. New fields and events may come without. */
const SCHEMA = 1

/** What is written, where to, and what is held meanwhile. */
interface EventStream {
  readonly crawl: Crawl
  readonly stream: Writable
  /** Of several: which one. */
  readonly process?: number
  /** Is told when the stream takes nothing any more. */
  failed(error: AvocetError): void
}

/** Taps `crawl` and writes to `stream`. */
export function streamEvents({ crawl, stream, process, failed }: EventStream): void {
  stream.once('error', (error) => failed(outputError(error)))
  const write = (event: string, at: number, fields: object): void => {
    const taken = sendRecord(stream, { event, at: Math.round(at), ...(process !== undefined && { process }), ...fields })
    if (taken || stream.listenerCount('drain', resume) > 0) return
    crawl.pause('standard output is slow')
    stream.once('drain', resume)
  }
  const resume = (): void => crawl.resume()
  const name = 'events'
  crawl.hooks.open.tap(name, ({ info, now }: Session) => {
    const { resumed, known, waiting, settled, items } = info
    write('open', now, { schema: SCHEMA, resumed, known, waiting, settled, items })
  })
  crawl.hooks.onTrace.tap(name, (event: TraceEvent) => {
    if (event.kind === 'failed') write('error', event.at, { url: event.exchange.request.url, ...failureFields(event.failure) })
    else if (event.kind === 'committed') {
      const { request, outcome, items, added } = event
      write('settled', event.at, { ...requestFields(request), ...outcomeFields(outcome), items, added })
    } else if (event.kind === 'retired') {
      const { hostKey: host, reason, probeAt } = event
      write('retire', event.at, { host, reason, ...(probeAt !== undefined && { probeAt }) })
    }
  })
  crawl.hooks.onProblem.tap(name, ({ message, now, isInformation }) =>
    write(isInformation ? 'notice' : 'problem', now, { message }),
  )
  crawl.hooks.close.tap(name, ({ ended, why, endedAt, run }: CrawlReport) => write('close', endedAt, { ended, why, run }))
}

function requestFields({ url, handler, depth, parent }: Request): object {
  return { url, handler, depth, ...(parent !== undefined && { parent }) }
}

function outcomeFields(outcome: Outcome): object {
  const { fetched } = outcome
  const history = fetched && { status: fetched.status, durationMs: Math.round(fetched.durationMs), wireBytes: fetched.wireBytes }
  return { outcome: outcome.kind, ...detailsOf(outcome), ...history }
}

function detailsOf(outcome: Outcome): object | undefined {
  if (outcome.kind === 'moved') return { target: outcome.target }
  if (outcome.kind === 'failed') return { reason: outcome.reason, ...(outcome.failure && failureFields(outcome.failure)) }
  if (outcome.kind === 'retry') return { reason: outcome.reason, notBefore: Math.round(outcome.at) }
  return undefined
}

function failureFields({ code, blame, message, phase }: Failure): object {
  return { code, blame, message, ...(phase !== undefined && { phase }) }
}
