// How the report says moments, shares and what robots.txt was: the same in text and in HTML.
import type { Courtesy } from './courtesy.ts'
import { givenUpInWords } from '../text/given-up.ts'
import { formatCount, formatCountOf, formatDuration, formatRate, formatRoughly } from '../text/quantity.ts'
import type { HostReport } from './host-report.ts'
import type { StoreReport } from './store-report.ts'

/** `2026-11-21 17:30:05 UTC`: an owner compares it with a log of their own. */
export function moment(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

/** `3.2 %`. */
export function share(part: number, whole: number): string {
  const percent = whole === 0 ? 0 : (part / whole) * 100
  return `${percent.toFixed(percent > 0 && percent < 1 ? 2 : percent < 10 ? 1 : 0)} %`
}

/** `0.25 /s`, or a dash. */
export function rate(perSecond: number | null): string {
  return perSecond === null ? '–' : formatRate(perSecond)
}

/** `4.2 s`, or a dash. */
export function duration(ms: number | null | undefined): string {
  return ms === null || ms === undefined ? '–' : formatDuration(ms)
}

/** `finished`. */
export function stateOfStore({ state }: StoreReport): string {
  const words = { crawled: 'still being crawled', unfinished: 'at rest, not finished', again: 'at rest, pages due again' }
  const left = {
    'given-up': 'idle; the remaining requests belong to hosts that were given up',
    finished: 'finished',
    unused: 'nothing has run yet',
  }
  return { ...words, ...left }[state]
}

/** `given up`. */
export function stateOfHost({ state, retiredFor, probeAt }: HostReport, now: number): string {
  if (state === 'given-up') return `given up: ${givenUpInWords(retiredFor ?? '', probeAt, now)}`
  return { crawled: 'being crawled', waiting: 'not finished', settled: 'finished' }[state]
}

/** `3 rules, 2 h`: what it was and how old it is; of several origins the first, and how many more. */
export function robotsInWords({ robots }: Courtesy, now: number): string {
  if (robots === null) return 'not asked for'
  if (robots.ignored) return 'ignored, as told'
  const [first, ...more] = robots.copies
  if (first === undefined) return 'not asked for'
  const others = more.length === 0 ? '' : ` +${more.length}`
  if (first.state === 'unknown') return `not reached: ${first.last}${others}`
  const age = first.fetchedAt === null ? '' : `, ${formatRoughly(now - first.fetchedAt)}`
  const what = first.state === 'open' ? `none (${first.last})` : formatCountOf(first.rules, 'rule')
  return `${what}${age}${others}`
}

/** `5.0 s kept`; nothing where nothing was asked. */
export function crawlDelayInWords({ crawlDelay }: Courtesy): string {
  if (crawlDelay === null) return ''
  const asked = formatDuration(crawlDelay.askedMs)
  if (crawlDelay.kept === null) return asked
  return crawlDelay.kept ? `${asked} kept` : `${asked} NOT KEPT`
}

/** `12 × kept`. */
export function retryAfterInWords({ retryAfter }: Courtesy): string {
  if (retryAfter === null) return ''
  const { asked, early } = retryAfter
  return early === 0 ? `${formatCount(asked)} × kept` : `${formatCount(asked)} ×, ${formatCount(early)} EARLY`
}
