// How the report says states, and what a host asked for and got: the same in text and in HTML.
import type { JournalRun } from '@avocet/plugin-journal'
import { policiesText } from '@avocet/project/plan'
import { printable, formatCount, formatCountOf, formatMoment, formatRoughly } from '@avocet/project/text'
import { formatDuration } from '@avocet/core/plugin'
import { unruledOf, type Courtesy } from './courtesy.ts'
import type { HostReport, Quantiles } from './host-report.ts'
import type { StoreReport } from './store-report.ts'

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

/** `3 rules, 2 h`: what it was and how old it is; of several origins the first, and how many more. */
export function robotsInWords(courtesy: Courtesy, now: number): string {
  const { copies, treatment } = courtesy.robots
  const [first, ...more] = copies
  if (first === undefined) return (treatment?.ignored ?? 0) > 0 ? 'ignored' : 'not requested'
  if (unruledOf(courtesy) > 0) return 'PARTLY IGNORED'
  const others = more.length === 0 ? '' : ` +${more.length}`
  if (first.state === 'unknown') return `not reached: ${first.last}${others}`
  const age = first.fetchedAt === null ? '' : `, ${formatRoughly(now - first.fetchedAt)}`
  const what = first.state === 'open' ? `none (${first.last})` : formatCountOf(first.rules, 'rule')
  return `${what}${age}${others}`
}

/** `5.0 s obeyed`; nothing where nothing was asked. */
export function crawlDelayInWords({ crawlDelay }: Courtesy): string {
  if (crawlDelay === null) return ''
  const asked = formatDuration(crawlDelay.askedMs)
  if (crawlDelay.obeyed === null) return asked
  return crawlDelay.obeyed ? `${asked} obeyed` : `${asked} NOT OBEYED`
}

/** `12 × obeyed`. */
export function retryAfterInWords({ retryAfter }: Courtesy): string {
  if (retryAfter === null) return ''
  const { asked, early } = retryAfter
  return early === 0 ? `${formatCount(asked)} × obeyed` : `${formatCount(asked)} ×, ${formatCount(early)} EARLY`
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
