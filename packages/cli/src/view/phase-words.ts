// What the view says of a crawl that is paused, or drains.
import type { CrawlStatus } from '@avocet/core/tools'
import { fit, printable, formatCount, formatCountOf } from '@avocet/project/text'
import { formatDuration } from '@avocet/core/plugin'
import { commandLine } from '@avocet/project/place'

/** Hosts that are named. */
const MAX_NAMED = 3

/** What is waited for, and the hosts that it is of, each no wider than `width`; none unless the crawl drains. */
export function drainLines(status: CrawlStatus, width: number): readonly string[] {
  if (status.drain === undefined) return []
  const { what, end } = partsOf(status)
  const hosts = hostsInFlight(status)
  return [`stopping: ${what}${end}`, ...(hosts.length === 0 ? [] : [`in flight: ${hosts.join(', ')}`])].map((line) =>
    fit(line, width),
  )
}

function partsOf({ drain, inFlight, handlersRunning, now }: CrawlStatus): { readonly what: string; readonly end: string } {
  const work = [
    ...(inFlight > 0 ? [`${formatCountOf(inFlight, 'request')} in flight`] : []),
    ...(handlersRunning > 0 ? [`${formatCountOf(handlersRunning, 'handler')} running`] : []),
  ]
  const { until = Infinity, recallAt } = drain ?? {}
  // First it stops waiting for requests that can be sent again, then for all.
  const givesUpAt = recallAt !== undefined && recallAt > now ? recallAt : until
  const end = Number.isFinite(givesUpAt) ? `, gives up in ${seconds(givesUpAt - now)}` : ''
  return {
    what: work.length === 0 ? 'writing what is done' : work.join(', '),
    end: `${end}${recallAt !== undefined ? '; Ctrl-C again quits now' : ''}`,
  }
}

/** Whole seconds: a countdown with tenths cannot be read. */
function seconds(ms: number): string {
  const rounded = Math.max(1, Math.ceil(ms / 1_000))
  return rounded < 60 ? `${rounded} s` : formatDuration(rounded * 1_000)
}

/** Those in flight for longest first. */
function hostsInFlight({ hosts, now }: CrawlStatus): readonly string[] {
  const busy = hosts
    .filter(({ inFlight }) => inFlight > 0)
    .toSorted((a, b) => (a.inFlightSince ?? now) - (b.inFlightSince ?? now) || (a.hostKey < b.hostKey ? -1 : 1))
    .map(({ hostKey, inFlightSince = now }) => `${printable(hostKey)} ${seconds(now - inFlightSince)}`)
  const rest = busy.length - MAX_NAMED
  return [...busy.slice(0, MAX_NAMED), ...(rest > 0 ? [`${formatCount(rest)} more`] : [])]
}

/** `paused: by an order, also in the next run; avocet resume continues it`; undefined of a crawl that is not paused. */
export function pausedInWords({ pausedFor, pausedBy }: Pick<CrawlStatus, 'pausedFor' | 'pausedBy'>): string | undefined {
  if (pausedFor === undefined) return undefined
  return `paused: ${pausedBy === 'operator' ? `by an order, also in the next run; ${commandLine(['resume'])} continues it` : printable(pausedFor)}`
}

/** Shorter waits are those of a pace. */
const LONG_WAIT_MS = 5_000

/** `waiting: next request in 3 min`; undefined of a crawl that does something, or will in a moment. */
export function waitingInWords(status: CrawlStatus): string | undefined {
  const until = idleUntil(status)
  return until === undefined ? undefined : `waiting: next request in ${formatDuration(until - status.now)}`
}

/** When a crawl that has nothing to do goes on, epoch ms. */
export function idleUntil({ phase, now, nextAt, inFlight, handlersRunning }: CrawlStatus): number | undefined {
  const isIdle = phase === 'running' && inFlight + handlersRunning === 0
  return isIdle && nextAt !== undefined && nextAt > now + LONG_WAIT_MS ? nextAt : undefined
}
