// Gives hosts up, has them asked again, and brings them back.
import type { Clock } from '../clock.ts'
import type { CrawlHooks } from '../hooks/hooks.ts'
import type { LiveHost } from '../hosts/live-host.ts'
import type { Window } from '../scheduler/window.ts'
import type { Recrawl } from '../recrawl/recrawl.ts'
import type { RequiredDocuments } from '../exchange/required-documents.ts'
import { probeIntervalMs, probesAfter, type ProbeEnd } from '../scheduler/retirement.ts'

/** A host that never answered is retired after so many probes. */
const PROBES = 3

/** What it needs of the crawl around it. */
export interface RetirementWorld {
  readonly hooks: CrawlHooks
  readonly clock: Clock
  readonly recrawl: Recrawl
  readonly required: Pick<RequiredDocuments, 'gone'>
  readonly window: Pick<Window, 'revive'>
  place(host: LiveHost): void
}

/** The hosts that are given up. */
export class Retirements {
  readonly #world: RetirementWorld

  constructor(world: RetirementWorld) {
    this.#world = world
  }

  /** Gives a host up that never answered. Not under a probe, which has its own verdict. */
  heard(host: LiveHost): void {
    const { answered, consecutiveFailures } = host.core
    if (host.probing === undefined && !answered && consecutiveFailures >= PROBES)
      this.retire(host, `never answered, ${PROBES} times in a row`)
  }

  /** Gives a host up until its next probe: on its own while the crawl watches, otherwise in a later run. */
  retire(host: LiveHost, reason: string): void {
    if (host.retiring !== undefined) return
    const { recrawl, hooks, clock, required } = this.#world
    const now = clock.now()
    const probeAt = recrawl.watches ? now + probeIntervalMs(host.core.probes ?? 0) : Infinity
    host.retiring = { reason, probeAt }
    required.gone(host, reason)
    if (!host.live) return
    hooks.onRetire.call({ hostKey: host.key, reason, now, ...(probeAt < Infinity && { probeAt }) })
    this.#world.place(host)
  }

  /** A probe is over. */
  probed(host: LiveHost, end: ProbeEnd): void {
    const { core } = host
    if (end === 'answered') {
      delete core.probes
      core.answered = true
      return this.#world.window.revive(host)
    }
    // Runs that end soon may follow each other at any pace: it is the watching ones that space their probes.
    if (this.#world.recrawl.watches) core.probes = probesAfter(core.probes ?? 0, end)
    this.retire(host, host.probing ?? '')
  }
}
