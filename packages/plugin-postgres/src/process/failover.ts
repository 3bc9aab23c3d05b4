// A server that took the place of that of the crawl: nobody works on it until all hosts that were held on the other one are over.
//
// Who held hosts counts from a beat that the other server answered, and drops them after `heldMs`. Whoever finds the new one waits for `buryMs` of its own time
// from then on, which is longer, and begins another era. What every process knew of the lost part is gone with its run: a process enters an era as it opens,
// and never changes to another.
import { AvocetError } from '@avocet/core'
import { formatDuration } from '@avocet/core/plugin'
import type { ServerConnections } from '../connection/connections.ts'
import type { Lifetimes, TimeSources } from './lifetimes.ts'

interface EraRow {
  readonly era: number
  readonly was: string
  readonly timeline: string
}

/** What one frontier knows of the servers that it found, over several attempts to open it. */
export class FailoverWatch {
  readonly #sources: TimeSources
  readonly #lifetimes: Lifetimes
  /** The server that was found in the place of another, and since when, monotonic ms. */
  #found: { readonly timeline: string; readonly since: number } | undefined

  constructor(sources: TimeSources, lifetimes: Lifetimes) {
    this.#sources = sources
    this.#lifetimes = lifetimes
  }

  /** Enters the era of the crawl. Throws AVO_FRONTIER_AWAY as long as another server took the place of the crawl's, and hosts may still be held. */
  async enter(connections: ServerConnections): Promise<void> {
    for (;;) {
      const { era, was, timeline } = await eraOf(connections)
      if (was === timeline) return connections.enterEra(era)
      const restMs = this.#restMs(timeline)
      if (restMs > 0)
        throw new AvocetError(
          'AVO_FRONTIER_AWAY',
          `expected the server of the store ${connections.name} to be the one that the crawl was on (timeline ${was}), got one that took its place (${timeline}); processes may still hold hosts for ${formatDuration(restMs)}`,
        )
      await connections.call('begin_era', [era, timeline])
    }
  }

  #restMs(timeline: string): number {
    const now = this.#sources.monotonic()
    if (this.#found?.timeline !== timeline) this.#found = { timeline, since: now }
    return this.#found.since + this.#lifetimes.buryMs - now
  }
}

async function eraOf(connections: ServerConnections): Promise<EraRow> {
  const [row] = await connections.all<EraRow>('SELECT c.era, c.timeline AS was, {S}.timeline() AS timeline FROM {S}.crawl c')
  if (row === undefined)
    throw new AvocetError('AVO_FRONTIER_CORRUPT', `${connections.name}: expected the row of the crawl, got none`)
  return row
}
