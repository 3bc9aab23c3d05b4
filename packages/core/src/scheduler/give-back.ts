// Gives hosts back to the frontier: until when they rest and why, what changed in their memory, and which of them are given up.
import type { Rest } from '../frontier.ts'
import type { LiveHost, Retirement } from '../hosts/live-host.ts'
import type { Memories } from '../hosts/memories.ts'
import type { Run } from '../run/run.ts'

/** Gives them back. The caller has forgotten the host before. */
export class GiveBack {
  readonly #run: Run

  constructor(run: Run) {
    this.#run = run
  }

  /** A host is due again at `notBefore` (epoch ms) at the earliest. Resolves with the moment at which there may be something to do for it; undefined: never. */
  async release(host: LiveHost, notBefore = 0): Promise<number | undefined> {
    const { calls, memories, settings } = this.#run
    const rest = restOf(host, memories, notBefore)
    const waits = host.waiting > 0
    await calls.make(`release of ${host.key}`, () => settings.frontier.release([{ lease: host.token, rest }]))
    return waits ? Math.max(rest.readyAt, Math.min(host.queue.readyAt(), host.storeDelayedAt)) : undefined
  }

  /** A host is given up, while it is held: between the two nobody else can lease it as a host like any other. */
  async retire(host: LiveHost, { reason, probeAt }: Retirement): Promise<void> {
    const { calls, memories, settings } = this.#run
    const { frontier } = settings
    const memory = memories.changedHost(host, true) ?? {}
    await calls.make(`retirement of ${host.key}`, () => frontier.retire(host.key, reason, probeAt, host.token))
    await calls.make(`release of ${host.key}`, () => frontier.release([{ lease: host.token, rest: { readyAt: 0, memory } }]))
  }

  /** At the end of a run. When the store cannot be written this is left to the next run, which finds this process gone. */
  async last(host: LiveHost, writable: boolean): Promise<void> {
    const { calls, memories, settings } = this.#run
    const rest = restOf(host, memories)
    if (writable) await calls.make(`release of ${host.key}`, () => settings.frontier.release([{ lease: host.token, rest }]))
  }
}

/** When it may be visited again, why not before, and what changed in its memory. */
function restOf(host: LiveHost, memories: Memories, notBefore = 0): Rest {
  const { readyAt, hold } = host.constraint
  if (hold) host.core.heldFor = { by: hold.by, why: hold.why, until: Number.isFinite(hold.until) ? hold.until : null }
  else delete host.core.heldFor
  return {
    readyAt: Math.max(Number.isFinite(readyAt) ? readyAt : 0, notBefore),
    memory: memories.changedHost(host, true) ?? {},
    onProbation: host.onProbation,
  }
}
