// From a lease to a host that is held: its memory and options, and which of its requests are sent.
import type { HostLease } from '../frontier.ts'
import { LiveHost } from '../hosts/live-host.ts'
import { isIdempotent } from '../is-idempotent.ts'
import type { Leased } from '../request.ts'
import type { Run } from '../run/run.ts'

/** A host as it was left, and what is requested under the lease; what is kept until a probe is answered stays with the host. */
export function restored(
  lease: HostLease,
  { memories, settings, controls }: Pick<Run, 'memories' | 'settings' | 'controls'>,
  place: { readonly order: number; readonly virtualTime: number },
): { readonly host: LiveHost; readonly requests: readonly Leased[] } {
  const now = settings.clock.now()
  const { hostKey } = lease
  const { core, memory } = memories.restoreHost(lease.memory, now, controls.forgottenAt(hostKey))
  if (lease.takenOver === true) core.lastStartAt = Math.max(core.lastStartAt, now)
  const options = controls.optionsOf(hostKey, settings.hostOptions(hostKey))
  const pausedUntil = controls.pausedUntil(hostKey)
  const host = new LiveHost(lease, { core, memory, options, pausedUntil, leasedAt: now, ...place })
  const { requests, spare } = probeChoice(lease, core.seq)
  host.spare = spare
  return { host, requests }
}

/** What is requested under a lease, and what is kept until a probe is answered. */
interface ProbeChoice {
  readonly requests: readonly Leased[]
  readonly spare: readonly Leased[]
}

/**
 * Of a probe one page, another each time, for the first may be the one that never answers; of any other lease all. What may not be sent twice would be
 * settled by a probe in vain, so it is taken only where there is nothing else.
 */
function probeChoice({ requests, retired }: HostLease, seq: number): ProbeChoice {
  if (retired === undefined) return { requests, spare: [] }
  const harmless = requests.filter(({ method }) => isIdempotent(method ?? 'GET'))
  const choice = harmless.length > 0 ? harmless : requests
  const chosen = choice[seq % choice.length]
  return { requests: requests.filter((each) => each === chosen), spare: requests.filter((each) => each !== chosen) }
}
