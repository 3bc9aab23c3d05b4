// The result of a simulation on one screen.
import { formatCount, formatCountOf, formatDuration } from '../text/quantity.ts'
import { printable } from '../text/printable.ts'
import type { Result, SlotSeconds } from './result.ts'

const LABEL_COLUMNS = 15

/** Lines, unfolded. */
export function resultLines(result: Result): string[] {
  return [
    `${result.web}, seed ${printable(result.seed)}, ${formatCountOf(result.slots, 'slot')}: ${result.policies.join(', ')}`,
    row('pages', pagesOf(result)),
    row('last page', lastPageOf(result)),
    row('requests', requestsOf(result)),
    ...result.refusedMost.map(({ host, requests, refused }, index) =>
      row(index === 0 ? 'refused most' : '', `${printable(host)}: ${formatCount(refused)} of ${formatCount(requests)}`),
    ),
    ...(result.rates === null
      ? []
      : [
          row(
            'found rates',
            `${share(result.rates.median)} of what a host serves, in the median of ${formatCount(result.rates.hosts)}; ${share(result.rates.low)} to ${share(result.rates.high)} in eight of ten`,
          ),
        ]),
    row('slot time', slotsOf(result.slotSeconds)),
    row('false timeouts', `${formatCount(result.falseTimeouts)}, of exchanges that would have been over within a minute`),
    row('dead hosts', `${formatCount(result.deadRequests)} requests to ${formatCountOf(result.deadHosts, 'host')}`),
    row('bans', `${formatCount(result.banned)} requests turned away by ${formatCountOf(result.bannedHosts, 'host')}`),
    ...result.failures
      .slice(0, 5)
      .map(({ reason, count }, index) => row(index === 0 ? 'failed' : '', `${formatCount(count)} × ${printable(reason)}`)),
    ...result.problems.slice(0, 5).map(({ message, count }) => row('problem', `${formatCount(count)} × ${printable(message)}`)),
  ]
}

function row(label: string, text: string): string {
  return `  ${label.padEnd(LABEL_COLUMNS)} ${text}`
}

function pagesOf({ pages, pagesPerHour, live }: Result): string {
  const left = live.waiting > 0 ? `; at hosts that live ${formatCount(live.waiting)} wait` : ''
  const lost = live.failed > 0 ? `; ${formatCount(live.failed)} of live hosts failed` : ''
  return `${formatCount(pages)}, ${formatCount(pagesPerHour)} an hour${left}${lost}`
}

function lastPageOf({ makespanMs, elapsedMs, oracle }: Result): string {
  if (makespanMs === null) return `not within ${formatDuration(elapsedMs)}`
  const after = `after ${formatDuration(makespanMs)}`
  return oracle === null
    ? after
    : `${after}; who knows everything needs ${formatDuration(oracle.boundMs)}: ${oracle.times.toFixed(2)} times as long`
}

function requestsOf({ requests, refused, refusedRatio, duringRetryAfter }: Result): string {
  const early = duringRetryAfter > 0 ? `, ${formatCount(duringRetryAfter)} during a Retry-After` : ''
  return `${formatCount(requests)}, ${formatCount(refused)} refused (${share(refusedRatio)})${early}`
}

function slotsOf({ all, served, refused, banned, failed, parked }: SlotSeconds): string {
  const part = (seconds: number, what: string): string => `${share(seconds / Math.max(all, 1e-9))} ${what}`
  const parts = [
    part(served, 'served'),
    part(failed, 'failed'),
    part(refused, 'refused'),
    part(banned, 'banned'),
    part(parked, 'parked'),
  ]
  return `${formatDuration(all * 1_000)}: ${parts.join(', ')}`
}

function share(ratio: number): string {
  return `${(ratio * 100).toFixed(ratio > 0 && ratio < 0.1 ? 2 : 1)} %`
}
