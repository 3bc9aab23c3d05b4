// A held host as the live status has it, and as it is given back.
import type { HostStatus } from '../report.ts'
import type { LiveHost } from './live-host.ts'

/** What is to be told of it now. */
export function hostStatus(host: LiveHost): HostStatus {
  const { inFlightSince, constraint } = host
  const { hold } = constraint
  return {
    hostKey: host.key,
    inFlight: host.inFlight,
    waiting: host.waiting,
    proven: host.proven,
    consecutiveFailures: host.consecutiveFailures,
    lastStartAt: host.lastStartAt,
    lastDurationMs: host.lastDurationMs,
    answered: host.answered,
    refused: host.refused,
    failed: host.failed,
    awaited: awaitedOf(host),
    ...(inFlightSince !== undefined && { inFlightSince }),
    items: (host.core.yields ?? []).reduce((sum, [, , items]) => sum + items, 0),
    ...(hold && { hold }),
  }
}

/** Without a list in between: this is asked of 800 hosts, four times a second. */
function awaitedOf({ exchanges }: LiveHost): number {
  let awaited = 0
  for (const { isAwaited } of exchanges) if (isAwaited) awaited++
  return awaited
}
