// How the report says states, times and runs.
import type { JournalRun } from '@avocet/plugin-journal'
import { policiesText } from '@avocet/project/plan'
import { printable, formatCount, formatMoment } from '@avocet/project/text'
import { formatDuration } from '@avocet/core/plugin'
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
