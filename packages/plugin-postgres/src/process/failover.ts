// A server that took the place of the crawl's: nobody crawls on it until no process can still hold a host that it leased on the other one.
//
// A process that holds hosts counts from the last beat that the other server answered, and drops them after `heldMs`. A process that finds the new server
// waits for `buryMs` of its own time, which is longer, and then begins another era. What a process knew of the lost commits is gone with its run, because it
// enters an era when it opens and never changes to another. If the new server lacks even the row of the crawl, only the processes that worked on it know that
// there was another server, so the row that they make tells all others (`lastTimeline`).
//
// A crawl is told to come again: between two attempts (`StoreCalls` of core) it can be stopped, and shows what it waits for, as for any store that is away. A
// command that opens the store once, such as a move, has no such loop: it waits within `open`, and says so first (`silence`). The 30 s are counted once, here.
import { AvocetError } from '@avocet/core'
import { formatDuration } from '@avocet/core/plugin'
import type { Era, ServerConnections } from '../connection/connections.ts'
import type { Lifetimes, TimeSources } from './held-time.ts'

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
