// A host as the table judges it: its status, its history and what the desk knows, put together; and why it would be in the table.
import type { Hold, HostStatus } from '@avocet/core'
import type { DeskAnswer } from './host-desk.ts'
import type { HostNote } from './host-watch.ts'
import type { HostLabel, HostRow } from './scene.ts'

/** A host that waits no longer than this is held by nothing that a person could want to know. */
const SOON_MS = 5_000
/** An exchange that takes so long makes a host slow, however slow the others are. */
const SLOW_MS = 1_000
/** What the desk says of a host in hand is soon out of date. */
const FRESH_MS = 10_000

/** What is known of one host at `now`. */
export interface HostLook {
  readonly status: HostStatus
  readonly note: HostNote
  readonly answer: DeskAnswer | undefined
  readonly now: number
  /** Epoch ms at which the run began. */
  readonly startedAt: number
}

/** What keeps the host from being asked for longer than `soonMs`: with nothing in flight, and until a moment that is known. */
export function heldBy({ status, now }: Pick<HostLook, 'status' | 'now'>, soonMs: number = SOON_MS): Hold | undefined {
  const { hold, inFlight, waiting } = status
  return hold && inFlight === 0 && waiting > 0 && Number.isFinite(hold.until) && hold.until > now + soonMs ? hold : undefined
}

/** The last exchange, or the one under way if it has taken longer already: a host that hangs has no last one. */
function tookMsOf({ inFlight, lastStartAt, lastDurationMs }: HostStatus, now: number): number {
  return inFlight > 0 ? Math.max(lastDurationMs, now - lastStartAt) : lastDurationMs
}

/** How much the host is what `label` says; 0 = it is not. */
export function weightOf(view: HostLook, label: HostLabel): number {
  const { status, note, now } = view
  if (label === 'open') return isOpen(view) ? 1 + nearness(status.hold, now) : 0
  if (label === 'held') return heldBy(view) ? 1 + nearness(status.hold, now) : 0
  if (label === 'failing') return status.consecutiveFailures
  if (label === 'refused') return status.refused > 0 ? note.history.lastMinute(now, 'bad') : 0
  if (label === 'slow') return tookMsOf(status, now) >= SLOW_MS ? tookMsOf(status, now) : 0
  return note.history.lastMinute(now, 'good') + (status.inFlight > 0 ? 0.5 : 0.1)
}

/** Between 0 and 1: who goes on sooner is of more interest. */
function nearness(hold: Hold | undefined, now: number): number {
  return hold ? 1 / (1 + Math.max(0, hold.until - now)) : 0
}

function isOpen({ status, answer, now }: HostLook): boolean {
  if (status.hold?.by === 'breaker' && status.hold.until > now) return true
  return answer?.breaker !== undefined && answer.breaker !== 'closed' && now - answer.askedAt < FRESH_MS
}

/** The row of a host. */
export function rowOf(view: HostLook, labels: readonly HostLabel[]): HostRow {
  const { status, note, answer, now, startedAt } = view
  const seconds = Math.min(60, Math.max(1, (now - startedAt) / 1_000))
  const { hostKey, inFlight, waiting, refused, consecutiveFailures, hold } = status
  return {
    hostKey,
    labels,
    // Of a host that never answered well nothing was found yet.
    ...(answer?.foundRps !== undefined && status.proven && { foundRps: answer.foundRps }),
    answeredRps: note.history.lastMinute(now, 'good') / seconds,
    ...(answer?.breaker !== undefined && { breaker: answer.breaker }),
    slices: note.history.slices(now),
    inFlight,
    waiting,
    refused,
    tookMs: tookMsOf(status, now),
    consecutiveFailures,
    ...(hold && hold.until > now && { hold }),
  }
}
