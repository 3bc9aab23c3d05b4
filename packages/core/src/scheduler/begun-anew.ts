// Carries out the order to forget what the policies had learned of a host that is held: once nothing of it is in flight, for what is booked is given back to
// the memory that booked it.
import type { LiveHost } from '../hosts/live-host.ts'
import type { Run } from '../run/run.ts'

/** `host`, whose policies begin anew. Nothing of it may be in flight. */
export function begunAnew(host: LiveHost, { memories, controls }: Pick<Run, 'memories' | 'controls'>): LiveHost {
  host.forgetting = false
  host.memory = memories.forgotten(host, controls.forgottenAt(host.key)).memory
  return host
}
