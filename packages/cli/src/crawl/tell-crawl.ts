// What a crawl tells a person while it runs, line by line, as far as its log level lets it.
import { stripVTControlCharacters } from 'node:util'
import type { Crawl, RunnableConfig } from '@avocet/core'
import { type TraceEvent, formatDuration } from '@avocet/core/plugin'
import type { CrawlInfo } from '@avocet/core/store'
import { treatmentText } from '@avocet/project/plan'
import { commandLine } from '@avocet/project/place'
import { type CrawlLog, isSaid, type LogFields, type LogLevel } from '@avocet/project/log'
import { printable, formatCount, formatMoment } from '@avocet/project/text'
import type { LiveView } from '../view/live-view.ts'

/** What says lines of a level: nothing, where the crawl is to say less. `fields`: what a log has of the event beside its words. */
export type Teller = (of: LogLevel) => (line: string, fields?: LogFields) => void

/** The teller of a view, and of a log. Where standard error is the log, people get nothing. */
export function teller(view: LiveView, level: LogLevel = 'info', log?: CrawlLog): Teller {
  return (of) => {
    if (!isSaid(of, level)) return () => {}
    return (line, fields = {}) => {
      if (log === undefined) view.say(line)
      else log.write({ level: of, message: stripVTControlCharacters(line), ...fields })
    }
  }
}

/** Tells of each request, of problems, and of waits for the store. Paths of files in `folder` are told from there. */
export function tellTroubles(
  crawl: Crawl,
  folder: string,
  { level, told, sinkName }: { level: LogLevel; told: Teller; sinkName: (name: string) => string },
): void {
  if (isSaid('debug', level)) tellRequests(crawl, told('debug'))
  const [storeHears, operatorHears] = [storeTrouble(told('warn')), pausesOfOperator(told('warn'))]
  crawl.hooks.onTrace.tap({ name: 'view', kinds: ['paused', 'resumed', 'problem'] }, (event: TraceEvent) => {
    if (event.kind === 'paused' || event.kind === 'resumed') {
      storeHears(event)
      operatorHears(event)
    } else if (event.kind === 'problem') {
      const { message, at, isInformation } = event
      const words = printable(ofSink(message, sinkName).replaceAll(`${folder}/`, ''))
      const line = `${formatMoment(at)} ${isInformation ? '' : 'problem: '}${words}`
      told(isInformation ? 'info' : 'warn')(line, { event: isInformation ? 'notice' : 'problem', message: words, at })
    }
  })
}

/** Core names a sink that has something to say at the beginning of what it says. */
function ofSink(message: string, sinkName: (name: string) => string): string {
  return message.replace(/^sink (\S+?)(?=:| cannot be )/, (_all, name: string) => `sink ${sinkName(name)}`)
}

/** What is told as a crawl opens. */
interface OpeningCrawl {
  readonly crawl: Crawl
  readonly told: Teller
  /** Begins to draw it. */
  show?(): void
}

/** What is said of it, and down to which level. */
export interface Opening {
  readonly config: RunnableConfig
  /** Default: `info`. */
  readonly logLevel?: LogLevel
  /** Said once the plugins have opened, in place of how hosts are treated. */
  readonly opening?: string
  /** Said behind that. */
  readonly remarks?: () => readonly string[]
}

/** Tells what is resumed and how hosts are treated, and begins to draw. */
export function tellOpening({ config, logLevel = 'info', opening, remarks }: Opening, { crawl, told, show }: OpeningCrawl): void {
  crawl.hooks.open.tap('view', ({ info }) => {
    if (info.resumed) told('info')(resuming(config.spider.name, info), { event: 'resume' })
    if (isSaid('info', logLevel)) show?.()
  })
  // After the plugins: a crawl that cannot begin has no policies to speak of.
  crawl.hooks.open.tap({ name: 'policies', stage: Infinity }, () => {
    told('info')(opening ?? `policies: ${treatmentText(config)}`, { event: 'policies' })
    for (const remark of remarks?.() ?? []) told('info')(printable(remark))
  })
}

function resuming(name: string, { done, moved, failed, waiting }: CrawlInfo): string {
  return `resuming ${printable(name)}: ${formatCount(done)} done, ${formatCount(moved)} moved, ${formatCount(failed)} failed, ${formatCount(waiting)} waiting`
}

type Pausing = Extract<TraceEvent, { readonly kind: 'paused' | 'resumed' }>

/** Says that somebody has paused the crawl by an order, which may have been weeks ago, and that it goes on. */
function pausesOfOperator(say: (line: string, fields: LogFields) => void): (event: Pausing) => void {
  let isPaused = false
  return (event) => {
    const was = isPaused
    isPaused = event.kind === 'paused' && event.by === 'operator'
    const line = `paused by an operator; ${commandLine(['resume'])} continues the crawl`
    if (isPaused && !was) say(line, { event: 'paused', at: event.at, reason: 'by an operator' })
    if (was && event.kind === 'resumed') say('resumed', { event: 'resumed', at: event.at })
  }
}

/** Says when the store is waited for, and when it can be used again. */
function storeTrouble(say: (line: string, fields: LogFields) => void): (event: Pausing) => void {
  let since: number | undefined
  return (event) => {
    if (event.kind === 'paused' && event.by === 'store') {
      since = event.at
      say(`paused: ${printable(event.why)}`, { event: 'paused', at: event.at })
    } else if (since !== undefined) {
      say(`the store can be used again after ${formatDuration(event.at - since)}; resuming`, { event: 'resumed', at: event.at })
      since = undefined
    }
  }
}

/** Says a line for each exchange when it has ended: its status or failure, its URL, how long it took, and where the URL came from. */
function tellRequests(crawl: Crawl, say: (line: string, fields: LogFields) => void): void {
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
