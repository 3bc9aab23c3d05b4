// What is said when a crawl is asked to end and has begun: what it waits for, and for how long at most. The same whether one process crawls or several.
import { formatCountOf } from '@avocet/project/text'
import { formatDuration } from '@avocet/core/plugin'

/** Longer than nearly every page takes to answer, and not longer than somebody who wants to leave waits without a doubt. */
export const PATIENCE_WITH_SILENCE_MS = 2_000

/** What the crawl waits for. */
export interface AwaitedAtEnd {
  /** `SIGINT` or `SIGTERM`. */
  readonly signal: string
  /** How long it may take, in ms; Infinity: as long as it takes. */
  readonly drainMs: number
  /** Requests in flight that are waited for in their silence. Default 0. */
  readonly awaited?: number
  /** All requests in flight. Default: more than are awaited. */
  readonly inFlight?: number
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
export function stoppingLine({ signal, drainMs, isResumable = true, behind, ...requests }: AwaitedAtEnd): string {
  const most = Number.isFinite(drainMs) ? `, at most ${formatDuration(drainMs)}` : ''
  const goOn = isResumable ? '. Run the same command again to resume' : ''
  // The time of the sinks has begun to run.
  if (behind !== undefined) return `${signal}: waiting for sinks, ${behind} behind${most} in all; press again to stop now${goOn}`
  const silent = isHasty(signal) && drainMs > PATIENCE_WITH_SILENCE_MS ? silentFor(requests) : ''
  return `${signal}: waiting for requests in flight${most}${silent}; press again to stop now${goOn}`
}

function silentFor({ awaited = 0, inFlight = Infinity }: Pick<AwaitedAtEnd, 'awaited' | 'inFlight'>): string {
  if (awaited > 0 && awaited >= inFlight) return ''
  const except = awaited === 0 ? '' : ` (except ${formatCountOf(awaited, 'request')} that a stop must wait for)`
  return `, ${formatDuration(PATIENCE_WITH_SILENCE_MS)} where the server sends nothing${except}`
}
