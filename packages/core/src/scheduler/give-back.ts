// Gives hosts back to the frontier: until when they rest and why, what changed in their memory, and which of them are given up.
import type { Rest } from '../ports/frontier.ts'
import type { LiveHost, Retirement } from '../hosts/live-host.ts'
import type { Run } from '../run/run.ts'
import { isUntilResumed } from '../ports/frontier-reader.ts'

/** A paused host that was given up, and is due for a probe, is looked at this often. */
const PAUSED_PROBE_MS = 3_600_000

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
    const { calls, settings } = this.#run
    const given = hosts.map((host) => ({ lease: host.token, rest: restOf(host, this.#run, notBefore) }))
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
function restOf(host: LiveHost, { memories, settings }: Run, notBefore = 0): Rest {
  const now = settings.clock.now()
  const { readyAt, hold } = host.constraint
  if (hold) host.core.heldFor = { by: hold.by, why: hold.why, until: Number.isFinite(hold.until) ? hold.until : null }
  else delete host.core.heldFor
  // Nobody can lease a host that was given up by its key, so a paused one is found by looking now and then.
  const heldUntil = host.probing !== undefined && isUntilResumed(readyAt) ? now + PAUSED_PROBE_MS : readyAt
  return {
    readyAt: Math.max(Number.isFinite(heldUntil) ? heldUntil : 0, notBefore),
    memory: memories.changedHost(host, true) ?? {},
    onProbation: host.onProbation,
  }
}
