// Gives an order to a crawl by its store: every process that has it open hears of it.
import { AvocetError } from '@avocet/core'
import { sleepUntil, type CrawlingProcess, type FrontierReader } from '@avocet/core/store'
import { Orders, type Control } from '@avocet/core/tools'
import { shownName, besideCrawl, readStore, type HostKeying } from '@avocet/project/store'
import { say, type Place, commandName } from '@avocet/project/place'
import { printable } from '@avocet/project/text'

/** Twice as long as a stop waits by default for requests in flight, and then for outputs; and as long as a process may be silent before it is buried. */
const OBEYED_MS = 90_000
const LOOK_MS = 250

/** What became of an order. */
export interface GivenOrder {
  readonly control: Control
  /** Those that crawled when it was given. One that was signing in then obeys as well. */
  readonly processes: readonly CrawlingProcess[]
  /** False for what would end a run where none is: it says nothing of the next one. */
  readonly isOrdered: boolean
}

/** An order, made once the store is open. `now`: epoch ms of the crawl's time. */
export type OrderMaker = (at: {
  readonly now: number
  readonly hostKeying: HostKeying
  readonly reader: FrontierReader
}) => Control | Promise<Control>

/** Writes the order that `make` makes into the store at `path`. Throws AVO_USAGE, AVO_FRONTIER_…. */
export async function orderIn(path: string, make: OrderMaker, place: Pick<Place, 'clock' | 'stderr'>): Promise<GivenOrder> {
  const processes = await crawlingIn(path)
  return besideCrawl(path, place, async ({ frontier, hostKeying, now }) => {
    const control = await make({ now, hostKeying, reader: frontier.reader })
    const isOrdered = control.kind !== 'stop' || processes.length > 0
    const { hiddenUrl } = control.kind === 'add' ? await import('@avocet/plugin-secrets') : {}
    if (isOrdered) await Orders.give(frontier, control, now, hiddenUrl)
    return { control, processes, isOrdered }
  })
}

/** Waits until all of them have stopped. Throws AVO_FRONTIER_BUSY, with the names of those that have not within 90 s. */
export async function stopped(
  path: string,
  processes: readonly CrawlingProcess[],
  { clock, stderr }: Pick<Place, 'clock' | 'stderr'>,
): Promise<void> {
  const names = new Set(processes.map(nameOf))
  if (names.size > 0) say(stderr, `waiting for the end of ${[...names].join(', ')}`)
  const giveUpAt = clock.now() + OBEYED_MS
  for (;;) {
    const left = (await crawlingIn(path)).map(nameOf).filter((name) => names.has(name))
    if (left.length === 0) return
    if (clock.now() >= giveUpAt)
      throw new AvocetError(
        'AVO_FRONTIER_BUSY',
        `expected all processes that crawl ${shownName(path)} to have stopped within 90 s, and these have not: ${left.join(', ')}; the order holds, and ${commandName()} status shows who still crawls`,
      )
    await sleepUntil(clock, clock.now() + LOOK_MS)
  }
}

async function crawlingIn(path: string): Promise<readonly CrawlingProcess[]> {
  return (await readStore(path, (reader) => reader.info())).processes ?? []
}

function nameOf({ machine, pid }: CrawlingProcess): string {
  return `process ${pid}${machine === undefined ? '' : ` on ${printable(machine)}`}`
}
