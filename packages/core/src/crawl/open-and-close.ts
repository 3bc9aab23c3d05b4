// How long plugins may take to open and to close: one that never ends must not keep a crawl from beginning, nor from ending.
import type { Clock } from '../ports/clock.ts'
import { formatDuration } from '../values/duration-text.ts'
import { AvocetError } from '../values/errors.ts'
import type { Stations } from '../hooks/stations.ts'

/** A plugin may read a large list, or ask another service. */
const OPEN_MS = 300_000
/** Everything is committed by then. */
const CLOSE_MS = 30_000

interface Around {
  readonly clock: Clock
  readonly stations: Stations
}

/** All plugins are open. Throws AVO_PLUGIN_OPEN, with the name of the one that is not. */
export async function opened(opening: Promise<unknown>, around: Around): Promise<void> {
  if (!(await within(OPEN_MS, opening, around))) throw new AvocetError('AVO_PLUGIN_OPEN', late('open', OPEN_MS, around.stations))
}

/** All plugins are closed, or given up. */
export async function closed(closing: Promise<unknown>, around: Around): Promise<void> {
  if (!(await within(CLOSE_MS, closing, around))) around.stations.fault(late('close', CLOSE_MS, around.stations))
}

/** Whether `work` was over in time. What goes on after that is not waited for, and its failure is nobody's. */
async function within(ms: number, work: Promise<unknown>, { clock }: Around): Promise<boolean> {
  const over = Promise.withResolvers<boolean>()
  using _deadline = clock.at(clock.now() + ms, () => over.resolve(false))
  return await Promise.race([work.then(() => true), over.promise])
}

function late(hook: 'open' | 'close', ms: number, { lastSpoke }: Stations): string {
  return `plugin ${lastSpoke} did not ${hook} within ${formatDuration(ms)}; find what it waits for`
}
