// How a host continues that is leased again: with its memory and virtual time as it was left; a probe with one page alone.
import type { HostLease } from '../ports/frontier.ts'
import { LiveHost } from '../hosts/live-host.ts'
import type { Run } from '../run/run.ts'
import { isIdempotent, type Leased } from '../ports/request.ts'

/** Hosts whose virtual time is remembered, at most. */
const MAX_HOSTS = 10_000
/** Slot-milliseconds that a host may be behind: enough to catch up after its time in the frontier, too little to hold a slot for long. */
const MOST_BEHIND_MS = 10_000

/** A host as it was left, and what is requested under the lease; what is kept until a probe is answered stays with the host. */
export function restored(
  lease: HostLease,
  { memories, settings }: Pick<Run, 'memories' | 'settings'>,
  place: { readonly order: number; readonly virtualTime: number },
): { readonly host: LiveHost; readonly requests: readonly Leased[] } {
  const now = settings.clock.now()
  const { hostKey } = lease
  const { forgottenAt, limits, pausedUntil, acceptedAt } = settings.orders.part.ofHost(hostKey)
  const { core, memory } = memories.restoreHost(lease.memory, now, forgottenAt)
  if (lease.takenOver === true) core.lastStartAt = Math.max(core.lastStartAt, now)
  const options = { ...settings.hostOptions(hostKey), ...limits }
  const host = new LiveHost(lease, { core, memory, options, pausedUntil, leasedAt: now, ...place })
  const { requests, spare } = probeChoice(lease, core.seq)
  host.spare = spare
  host.acceptedAt = acceptedAt
  return { host, requests }
}

/**
 * What is requested under a lease, and what is kept until a probe is answered. Of a probe one page, another each time, for the first may be the one that
 * never answers; of any other lease all. What may not be sent twice would be settled by a probe in vain, so it is taken only where there is nothing else.
 */
function probeChoice({ requests, retired }: HostLease, seq: number): Record<'requests' | 'spare', readonly Leased[]> {
  if (retired === undefined) return { requests, spare: [] }
  const harmless = requests.filter(({ method }) => isIdempotent(method ?? 'GET'))
  const choice = harmless.length > 0 ? harmless : requests
  const chosen = choice[seq % choice.length]
  return { requests: requests.filter((each) => each === chosen), spare: requests.filter((each) => each !== chosen) }
}

/** `host`, whose policies begin anew. Nothing of it may be in flight, for what is booked is given back to the memory that booked it. */
export function begunAnew(host: LiveHost, { memories, settings }: Pick<Run, 'memories' | 'settings'>): LiveHost {
  host.forgetting = false
  host.memory = memories.forgotten(host, settings.orders.part.ofHost(host.key).forgottenAt).memory
  return host
}

// The virtual time of hosts when they were given back: leased again, they continue from there, as if they had never left.
// Without it a host of slow pages would be served first in each of its leases, and one of quick pages would lose what it is behind: with more
// hosts than the window holds, fairness would hold among those in RAM only. A host that is not remembered joins at the present.

/** Virtual times of hosts that are not held. */
export class Standings {
  readonly #virtualTimes = new Map<string, number>()

  /** Remembers the virtual time of a host that is given back. */
  leave(hostKey: string, virtualTime: number): void {
    this.#virtualTimes.set(hostKey, virtualTime)
    if (this.#virtualTimes.size > MAX_HOSTS) this.#forget()
  }

  /** The virtual time of a host that is leased at the virtual time `present`. */
  enter(hostKey: string, present: number): number {
    const virtualTime = this.#virtualTimes.get(hostKey)
    this.#virtualTimes.delete(hostKey)
    return virtualTime === undefined ? present : Math.max(virtualTime, present - MOST_BEHIND_MS)
  }

  /** Forgets the half that left first. */
  #forget(): void {
    for (const hostKey of this.#virtualTimes.keys()) {
      if (this.#virtualTimes.size <= MAX_HOSTS / 2) return
      this.#virtualTimes.delete(hostKey)
    }
  }
}
