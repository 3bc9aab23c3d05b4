// Gives hosts up, and says when they are asked again.
//
// Nobody is given up for ever: a shop that was sold, moved or rebuilt is back after a week, and a crawl that watches for months must see it. One
// request a day costs nobody anything; each one in vain doubles the interval, to a week at the most.
import type { Clock } from '../ports/clock.ts'
import type { Failure } from '../ports/failure.ts'
import { trace, type CrawlHooks } from '../hooks/hooks.ts'
import type { Revisits } from '../hooks/revisits.ts'
import type { LiveHost } from '../hosts/live-host.ts'

/** A host that never answered is retired after so many probes. */
const PROBES = 3
const DAY_MS = 24 * 3_600_000
const MOST_DAYS = 7

/** The result of a probe. */
export type ProbeEnd = 'answered' | 'in-vain'

/** What it goes by. */
export interface RetirementParts {
  readonly hooks: Pick<CrawlHooks, 'onTrace'>
  readonly clock: Clock
  readonly revisits: Pick<Revisits, 'isRevisiting'>
  /** A host is given up: other hosts do not get the documents that they need of it, and it is given back as soon as nothing of it is in flight. */
  readonly retired: (host: LiveHost, reason: string) => void
}

/** The hosts that are given up. The caller takes a host that it gives up out of its heap. */
export class Retirements {
  readonly #parts: RetirementParts

  constructor(parts: RetirementParts) {
    this.#parts = parts
  }

  /** Gives a host up until its next probe: on its own while the crawl watches, otherwise in a later run. */
  retire(host: LiveHost, reason: string): void {
    if (host.retiring !== undefined) return
    const { revisits, hooks, clock, retired } = this.#parts
    const now = clock.now()
    const probeAt = revisits.isRevisiting ? now + probeIntervalMs(host.core.probes ?? 0) : Infinity
    host.retiring = { reason, probeAt }
    const next = probeAt < Infinity && { probeAt }
    if (host.live) trace(hooks, 'retired', () => ({ at: now, hostKey: host.key, reason, ...next }))
    retired(host, reason)
  }

  /** Gives a host up that never answered. Not under a probe, which has its own verdict. */
  retireSilent(host: LiveHost): void {
    const { answered, consecutiveFailures, failedFor } = host.core
    if (host.probing === undefined && !answered && consecutiveFailures >= PROBES)
      this.retire(host, `never answered, ${PROBES} times in a row${failedFor === undefined ? '' : ` (last: ${failedFor})`}`)
  }

  /** A probe got no answer. */
  probedInVain(host: LiveHost): void {
    // Runs that end soon may follow each other at any pace: it is the watching ones that space their probes.
    if (this.#parts.revisits.isRevisiting) host.core.probes = (host.core.probes ?? 0) + 1
    this.retire(host, host.probing ?? '')
  }
}

/** Ms from giving a host up, or from a probe in vain, to the next probe. `probes`: those in vain so far. */
export function probeIntervalMs(probes: number): number {
  return Math.min(MOST_DAYS, 2 ** probes) * DAY_MS
}

/** Whether a failure says that the host is up, or that it is not; undefined: neither. A page that cannot be read, or kept, was sent by somebody. */
export function saysUp({ code, blame, sent }: Failure): boolean | undefined {
  if (blame === 'host') return false
  return (blame === 'url' && sent) || code === 'AVO_BODY_BUDGET' || code === 'AVO_FILE_UNWRITABLE' ? true : undefined
}
