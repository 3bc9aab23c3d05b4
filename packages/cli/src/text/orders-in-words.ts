// Orders of an operator in words, as a command has carried them out, or as they are listed; and what is said when a crawl is asked to end.
import type { Orders } from '@avocet/at-rest'
import { formatDuration } from '@avocet/core/plugin'
import type { Control, LimitsChange } from '@avocet/core/tools'
import { formatCountOf, printable } from '@avocet/project/text'

type ListedControl = Orders['listed'][number]['control']

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

/** `now`: epoch ms when it was given; a pause with an end is told by its length. */
export function orderInWords(control: ListedControl, now: number): string {
  if (control.kind === 'pause') return 'paused'
  if (control.kind === 'resume') return 'resumed'
  if (control.kind === 'stop') return control.now === true ? 'asked to stop at once' : 'asked to stop'
  if (control.kind === 'add') return `${formatCountOf(control.seeds.length, 'URL')} added`
  if (control.kind === 'given-up') return givenUpInWords(control)
  if ('patterns' in control)
    return `${formatCountOf(control.patterns.length, 'pattern')} ${control.kind === 'accept' ? 'accepted' : 'no longer accepted'}`
  return `${printable(control.hostKey)}: ${hostOrderInWords(control, now)}`
}

function givenUpInWords({ done, pages }: Extract<ListedControl, { readonly kind: 'given-up' }>): string {
  const wait = pages === 1 ? 'waits' : 'wait'
  return `${formatCountOf(pages, 'failed page')} ${done === 'dropped' ? 'dropped' : `${wait} again`}`
}

function hostOrderInWords(control: Extract<Control, { readonly hostKey: string }>, now: number): string {
  if (control.kind === 'pause-host')
    return control.until === undefined
      ? 'paused until it is resumed'
      : `paused for ${formatDuration(lengthOf(control.until - now))}`
  if (control.kind === 'resume-host') return 'resumed'
  if (control.kind === 'accept-held') return `${formatCountOf(control.items ?? 0, 'held item')} published`
  return control.kind === 'forget-host' ? 'what was learned of it is discarded' : limitsInWords(control.limits)
}

/** As it was asked for: between its two moments a little time may have passed, and what is told is cut off, not rounded. */
function lengthOf(ms: number): number {
  const unit = ms > HOUR_MS - MINUTE_MS / 2 ? MINUTE_MS : ms > MINUTE_MS - SECOND_MS / 2 ? SECOND_MS : 1
  return Math.max(0, unit * Math.round(ms / unit))
}

/** Of limits that are set or restored; "no limits" where there is none. */
export function limitsInWords({ maxRps, maxInFlight, delayMs }: LimitsChange): string {
  const words = [
    ...limit(maxRps, 'requests per second', (value) => `at most ${value} ${value === 1 ? 'request' : 'requests'} per second`),
    ...limit(maxInFlight, 'requests in flight', (value) => `at most ${value} in flight`),
    ...limit(delayMs, 'delay', (value) => `at least ${formatDuration(value)} between requests`),
  ]
  return words.length === 0 ? 'no limits' : words.join(', ')
}

function limit(value: number | null | undefined, name: string, inWords: (value: number) => string): string[] {
  if (value === undefined) return []
  return [value === null ? `${name} as configured` : inWords(value)]
}

// What is said when a crawl is asked to end and has begun: what it waits for, and for how long at most. The same whether one process crawls or several.

/** Longer than nearly every page takes, and not longer than somebody who wants to leave waits without a doubt. */
export const RECALL_MS = 5_000

/** What the crawl waits for. */
interface AwaitedAtEnd {
  /** `SIGINT` or `SIGTERM`. */
  readonly signal: string
  /** How long it may take, in ms; Infinity: as long as it takes. */
  readonly drainMs: number
  /** The sinks that nothing but the end waits for, in words: nothing is in flight any more. */
  readonly behind?: string
  /** Whether the store outlives the process. Default true. */
  readonly isResumable?: boolean
}

/** Somebody is at the keyboard. What sends SIGTERM (systemd, docker, timeout) waits by itself, and for as long as it likes. */
export function isHasty(signal: string): boolean {
  return signal === 'SIGINT'
}

/** The line. */
export function stoppingLine({ signal, drainMs, isResumable = true, behind }: AwaitedAtEnd): string {
  const most = Number.isFinite(drainMs) ? `, at most ${formatDuration(drainMs)}` : ''
  const goOn = isResumable ? '. Run the same command again to resume' : ''
  // The time of the sinks has begun to run.
  if (behind !== undefined) return `${signal}: waiting for sinks, ${behind} behind${most} in all; press again to stop now${goOn}`
  const sooner = isHasty(signal) && drainMs > RECALL_MS ? `, ${formatDuration(RECALL_MS)} for those that can be sent again` : ''
  return `${signal}: waiting for requests in flight${most}${sooner}; press again to stop now${goOn}`
}
