// A server that took the place of that of the crawl: nobody works on it until all hosts that were held on the other one are over.
//
// Who held hosts counts from a beat that the other server answered, and drops them after `heldMs`. Whoever finds the new one waits for `buryMs` of its own time
// from then on, which is longer, and begins another era. What every process knew of the lost part is gone with its run: a process enters an era as it opens,
// and never changes to another. Where the new server has not even the row of the crawl, only those that worked on it know that there was another server: the
// row that they make says so to all (`lastTimeline`).
import { AvocetError } from '@avocet/core'
import { formatDuration } from '@avocet/core/plugin'
import type { Era, ServerConnections } from '../connection/connections.ts'
import type { Lifetimes, TimeSources } from './lifetimes.ts'

/** No server has it. */
const ANOTHER = 'another'

interface EraRow extends Era {
  readonly was: string
}

/** What it is made of. */
export interface FailoverParts {
  readonly sources: TimeSources
  readonly lifetimes: Lifetimes
  /** The crawl is known to have been on another server, whichever that was. */
  readonly failedOver?: boolean | undefined
  /** Waits for so many ms. Absent: whoever opens the store is told to come again. */
  readonly silence?: ((ms: number) => Promise<void>) | undefined
}

/** What one frontier knows of the servers that it found, over several attempts to open it. */
export class FailoverWatch {
  readonly #sources: TimeSources
  readonly #lifetimes: Lifetimes
  /** The server that was found in the place of another, and since when, monotonic ms. */
  #found: { readonly timeline: string; readonly since: number } | undefined
  #last: string | undefined
  readonly #silence: FailoverParts['silence']

  constructor({ sources, lifetimes, failedOver = false, silence }: FailoverParts) {
    this.#sources = sources
    this.#lifetimes = lifetimes
    this.#last = failedOver ? ANOTHER : undefined
    this.#silence = silence
  }

  /** That of the server that the crawl was on, as far as this process knows; undefined: it knows of none. */
  get lastTimeline(): string | undefined {
    return this.#last
  }

  /** Enters the era of the crawl. Throws AVO_FRONTIER_AWAY as long as another server took the place of the crawl's, and hosts may still be held. */
  async enter(connections: ServerConnections): Promise<void> {
    for (;;) {
      const { era, was, timeline } = await eraOf(connections)
      if (was === timeline) return this.#enter(connections, { era, timeline })
      const restMs = this.#restMs(timeline)
      if (restMs <= 0) await connections.call('begin_era', [era, timeline])
      else if (this.#silence !== undefined) await this.#silence(restMs)
      else throw stillHeld(connections.name, { was, timeline, restMs })
    }
  }

  #enter(connections: ServerConnections, era: Era): void {
    this.#last = era.timeline
    connections.enterEra(era)
  }

  #restMs(timeline: string): number {
    const now = this.#sources.monotonic()
    if (this.#found?.timeline !== timeline) this.#found = { timeline, since: now }
    return this.#found.since + this.#lifetimes.buryMs - now
  }
}

function stillHeld(name: string, { was, timeline, restMs }: Omit<EraRow, 'era'> & { readonly restMs: number }): AvocetError {
  return new AvocetError(
    'AVO_FRONTIER_AWAY',
    `expected the server of the store ${name} to be the one that the crawl was on (timeline ${was}), got one that took its place (${timeline}); processes may still hold hosts for ${formatDuration(restMs)}`,
  )
}

async function eraOf(connections: ServerConnections): Promise<EraRow> {
  const [row] = await connections.all<EraRow>('SELECT c.era, c.timeline AS was, {S}.timeline() AS timeline FROM {S}.crawl c')
  if (row === undefined)
    throw new AvocetError('AVO_FRONTIER_CORRUPT', `${connections.name}: expected the row of the crawl, got none`)
  return row
}
