// How long plugins may take to open and to close: one that never ends must not keep a crawl from beginning, nor from ending.
// What they wait for the store meanwhile does not count: that has a patience of its own.
import type { Clock } from '../ports/clock.ts'
import { formatDuration } from '../values/duration-text.ts'
import { AvocetError } from '../values/errors.ts'
import type { Stations } from '../hooks/stations.ts'
import type { StoreCalls } from '../store/store-calls.ts'

/** A plugin may read a large list, or ask another service. */
const OPEN_MS = 300_000
/** Everything is committed by then. */
const CLOSE_MS = 30_000
/** While the store is waited for, what is left does not become less: so often it is looked at again. */
const LOOK_AGAIN_MS = 1_000

interface Around {
  readonly clock: Clock
  readonly stations: Stations
  readonly calls: StoreCalls
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
async function within(ms: number, work: Promise<unknown>, { clock, calls }: Around): Promise<boolean> {
  const over = Promise.withResolvers<boolean>()
  const startedAt = clock.now() - calls.waitedMs
  const look = (): void => {
    const leftMs = startedAt + ms + calls.waitedMs - clock.now()
    if (leftMs <= 0) over.resolve(false)
    else deadline = clock.at(clock.now() + Math.max(leftMs, LOOK_AGAIN_MS), look)
  }
  let deadline = clock.at(clock.now() + ms, look)
  try {
    return await Promise.race([work.then(() => true), over.promise])
  } finally {
    deadline[Symbol.dispose]()
  }
}

function late(hook: 'open' | 'close', ms: number, { lastSpoke }: Stations): string {
  return `plugin ${lastSpoke} did not ${hook} within ${formatDuration(ms)}; find what it waits for`
}
