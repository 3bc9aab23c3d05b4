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

  /**
   * Gives hosts back in one call; they are due again at `notBefore` (epoch ms) at the earliest. Resolves with the moment at which there may be something to do
   * for one of them; Infinity: never.
   */
  async release(hosts: readonly LiveHost[], notBefore = 0): Promise<number> {
    const { calls, memories, settings } = this.#run
    const given = hosts.map((host) => ({ lease: host.token, rest: restOf(host, memories, notBefore) }))
    const moments = hosts.map((host, index) => momentOf(host, given[index]?.rest.readyAt ?? 0))
    const [only] = hosts.length === 1 ? hosts : []
    if (given.length > 0)
      await calls.make(`release of ${only?.key ?? `${hosts.length} hosts`}`, () => settings.frontier.release(given))
    return moments.reduce((a, b) => Math.min(a, b), Infinity)
  }

  /** A host is given up, while it is held: between the two nobody else can lease it as a host like any other. */
  async retire(host: LiveHost, { reason, probeAt }: Retirement): Promise<void> {
    const { calls, memories, settings } = this.#run
    const { frontier } = settings
    const memory = memories.changedHost(host, true) ?? {}
    await calls.make(`retirement of ${host.key}`, () => frontier.retire(host.key, reason, probeAt, host.token))
    await calls.make(`release of ${host.key}`, () => frontier.release([{ lease: host.token, rest: { readyAt: 0, memory } }]))
  }
}

function momentOf(host: LiveHost, readyAt: number): number {
  return host.waiting > 0 ? Math.max(readyAt, Math.min(host.queue.readyAt(), host.storeDelayedAt)) : Infinity
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
