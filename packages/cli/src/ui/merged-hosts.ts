// What several workers know of their hosts, as one process would know it: a host is held by one of them at a time, and what others did before counts too.
import type { ExchangeLine } from '@avocet/dashboard'
import type { HostAtWork, LiveCloseUp, LiveHosts, LiveRow, ParkedHold } from '../view/live-hosts.ts'
import { joinedStretches } from './host-stretches.ts'
import { SHOWN_EXCHANGES } from './own-hosts.ts'

/** Each host once. One that changes hands may be in two answers: where something is in flight it is held, and no host is both at work and parked. */
export function mergedHosts(all: readonly LiveHosts[]): LiveHosts {
  const atWork = new Map<string, HostAtWork>()
  for (const host of all.flatMap((each) => each.atWork)) {
    const other = atWork.get(host.hostKey)
    if (other === undefined || host.inFlight >= other.inFlight) atWork.set(host.hostKey, host)
  }
  const parked = new Map<string, ParkedHold>()
  for (const host of all.flatMap((each) => each.parked)) if (!atWork.has(host.hostKey)) parked.set(host.hostKey, host)
  return { atWork: [...atWork.values()], parked: [...parked.values()] }
}

/** The row of one host: what was found by the one that holds it, and the answers of all. The last one has said it last. */
export function mergedRow(all: readonly LiveRow[]): LiveRow {
  const found = all.flatMap((row) => row.found ?? []).at(-1)
  const recent = all.map((row) => row.recent).reduce(added, [])
  return { ...(found && { found }), recent }
}

/** One host: what holds it is said by those in `now`, its exchanges are those of all in `ever`. */
export function mergedHost(now: readonly LiveCloseUp[], ever: readonly LiveCloseUp[]): LiveCloseUp {
  const explained = now.flatMap((each) => each.explained ?? []).at(-1)
  return { ...(explained && { explained }), ...pastOf(ever) }
}

/** What is left of what workers said that hold nothing any more: its exchanges, the youngest first. */
export function pastOf(all: readonly LiveCloseUp[]): LiveCloseUp {
  const youngest = (a: ExchangeLine, b: ExchangeLine): number => b.at - a.at
  return {
    exchanges: all
      .flatMap(({ exchanges }) => exchanges)
      .toSorted(youngest)
      .slice(0, SHOWN_EXCHANGES),
    stretches: joinedStretches(all.flatMap(({ stretches }) => stretches)),
  }
}

/** Slices of two, which end at one moment. */
function added(a: readonly number[], b: readonly number[]): readonly number[] {
  if (a.length === 0 || b.length === 0) return a.length === 0 ? b : a
  return a.map((count, n) => count + (b[n] ?? 0))
}
