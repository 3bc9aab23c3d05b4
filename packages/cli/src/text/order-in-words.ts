// An order of an operator in words, as a command has carried it out, or as it is listed.
import type { Control, LimitsChange, Orders } from '@avocet/core/tools'
import { printable, formatCountOf } from '@avocet/project/text'
import { formatDuration } from '@avocet/core/plugin'

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
