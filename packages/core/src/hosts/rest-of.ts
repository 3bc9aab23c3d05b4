// What is kept of a host that is given back: when it may be visited again, why not before, and what changed in its memory.
import type { Rest } from '../frontier.ts'
import type { Memories } from './memories.ts'
import type { LiveHost } from './live-host.ts'

/** The rest of a host; it is due again at `notBefore` (epoch ms) at the earliest. */
export function restOf(host: LiveHost, memories: Memories, notBefore = 0): Rest {
  const { readyAt, hold } = host.constraint
  if (hold) host.core.heldFor = `${hold.by}: ${hold.why}`
  else delete host.core.heldFor
  return {
    readyAt: Math.max(Number.isFinite(readyAt) ? readyAt : 0, notBefore),
    memory: memories.changedHost(host, true) ?? {},
    onProbation: host.onProbation,
  }
}
