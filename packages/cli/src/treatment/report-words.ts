// What a host asked for and got, and states, times and runs of a report, in words.
import { formatDuration } from '@avocet/core/plugin'
import type { JournalRun, RobotsTreatment } from '@avocet/plugin-journal'
import { policiesText } from '@avocet/project/plan'
import { formatCount, formatCountOf, formatMoment, printable } from '@avocet/project/text'
import type { Courtesy, RobotsUsed } from './courtesy.ts'
import type { HostReport, Quantiles } from './host-report.ts'
import type { StoreReport } from './store-report.ts'

/** Of the crawl that it belongs to. */
export type AboutCrawl = Pick<StoreReport, 'name' | 'now' | 'lastRuns'>

/** What a host asked for, and whether it was obeyed. */
interface WishRow {
  readonly name: string
  readonly words: string
  readonly isBad: boolean
}

const wish = (name: string, words: string, isBad = false): WishRow => ({ name, words, isBad })

/** All of them, in words; robots.txt may have several. */
export function wishRows(
  asked: Pick<Courtesy, 'robots' | 'crawlDelay' | 'timed' | 'preferences' | 'retryAfter'>,
): readonly WishRow[] {
  const { crawlDelay, timed, preferences, retryAfter } = asked
  return [
    ...robotsRows(asked.robots),
    wish(crawlDelay?.requestRate == null ? 'Crawl-delay' : 'Request-rate', crawlDelayLine(asked), crawlDelay?.obeyed === false),
    ...timed.map((text) => wish(text.replace(/ .*/, ''), `asks for ${text.replace(/^\S+ /, '')}`)),
    wish('Retry-After', retryAfterLine(asked), retryAfter?.obeyed === false),
    ...preferences.map((text) => wish('use of content', `${printable(text)}: recorded only`)),
  ]
}

function robotsRows({ treatment, copies }: Courtesy['robots']): readonly WishRow[] {
  const name = 'robots.txt'
  const sent = notObeyedText(treatment)
  if (copies.length === 0) return [wish(name, sent ?? 'not requested yet')]
  const rows = copies.map((copy) => wish(name, printable(copyText(copy, sent === undefined))))
  return sent === undefined ? rows : [...rows, wish(name, sent, true)]
}

/** Undefined where it was obeyed by all requests. */
function notObeyedText(treatment: RobotsTreatment | null): string | undefined {
  if (treatment === null) return undefined
  const { obeyed, ignored, without, lastUnruledAt } = treatment
  if (ignored + without === 0) return undefined
  const all = formatCount(obeyed + ignored + without)
  const parts = [
    ...(ignored > 0 ? [`ignored, as configured then, by ${formatCount(ignored)} of ${all} requests`] : []),
    ...(without > 0 ? [`not considered by ${formatCount(without)} of ${all} requests: no robots policy was used`] : []),
  ]
  return `${parts.join('; ')}${lastUnruledAt === undefined ? '' : `; last at ${formatMoment(lastUnruledAt)}`}`
}

function copyText({ origin, state, fetchedAt, last, rules }: RobotsUsed, isObeyed: boolean): string {
  const when = fetchedAt === null ? '' : `, fetched ${formatMoment(fetchedAt)}`
  if (state === 'unknown') return `${origin}: never reached (${last})${isObeyed ? ', so nothing was requested' : ''}${when}`
  if (state === 'open') return `${origin}: none (${last}), so everything is allowed${when}`
  return `${origin}: ${formatCountOf(rules, 'rule')} for us${isObeyed ? ', obeyed' : ''} (${last})${when}`
}

function crawlDelayLine({ crawlDelay }: Pick<Courtesy, 'crawlDelay'>): string {
  if (crawlDelay === null) return 'none'
  const { requestRate, askedMs } = crawlDelay
  const asked = `asks for ${requestRate === null ? '' : `${printable(requestRate)}, one in `}${formatDuration(askedMs)}`
  const gap = formatDuration(crawlDelay.smallestGapMs)
  if (crawlDelay.obeyed === null) return `${asked}; nothing was sent since that was read`
  return `${asked}: ${crawlDelay.obeyed ? 'obeyed' : 'NOT OBEYED'}, the smallest gap since that was read is ${gap}`
}

function retryAfterLine({ retryAfter }: Pick<Courtesy, 'retryAfter'>): string {
  if (retryAfter === null) return 'never asked'
  const { asked, longestMs, early } = retryAfter
  const times = `asked ${formatCountOf(asked, 'time')}, the longest ${formatDuration(longestMs)}`
  return early === 0
    ? `${times}: obeyed, no request was sent before`
    : `${times}: NOT OBEYED, ${formatCountOf(early, 'request')} came too early`
}

// How the report says states, times and runs.

/** `finished`. */
export function stateOfStore({ state }: StoreReport): string {
  return {
    crawled: 'still being crawled',
    silent: 'its processes were not heard from and may be dead; run it to take over',
    unused: 'nothing has run yet',
    unfinished: 'at rest, not finished',
    'given-up': 'idle; the remaining requests belong to hosts that were given up',
    again: 'at rest, pages due again',
    finished: 'finished',
  }[state]
}

/** `half within 45 ms, 9 in 10 within 1.2 s, 99 in 100 within 3.0 s`. */
export function quantilesInWords({ halfMs, nineInTenMs, most99Ms }: Quantiles): string {
  const [half, nine, most] = [halfMs, nineInTenMs, most99Ms].map(formatDuration)
  return `half within ${half}, 9 in 10 within ${nine}, 99 in 100 within ${most}`
}

/** The runs that asked a host, of those that are remembered. */
export function runsAt({ runs }: Pick<HostReport, 'runs'>, lastRuns: readonly JournalRun[]): readonly JournalRun[] {
  return lastRuns.filter(({ startedAt }) => runs.includes(startedAt))
}

/** `run of 2026-01-01 00:00:00 UTC: bot/1 (+https://bot.example); robots, rate (aimd)`, under a title; runs that were alike are one line. */
export function runLines(runs: readonly JournalRun[]): string[] {
  if (runs.length === 0) return []
  const alike = new Map<string, number[]>()
  for (const { startedAt, userAgent, plugins, hostOptions } of runs) {
    const words = printable(`${userAgent}; policies: ${policiesText(plugins, hostOptions)}`)
    alike.set(words, [...(alike.get(words) ?? []), startedAt])
  }
  const lines = [...alike].map(([words, [first = 0, ...more]]) => {
    const when = `run of ${formatMoment(first)}${more.length > 0 ? `, and ${formatCount(more.length)} more` : ''}`
    return `  ${when}: ${words}`
  })
  return ['', 'runs: user agent and policies', ...lines]
}
