// Gives an order to a crawl by its store: every process that has it open hears of it.
import { Orders, type Control } from '@avocet/core/tools'
import type { Frontier, FrontierReader } from '@avocet/core/store'
import type { Place } from '../place.ts'
import { besideCrawl, type HostKeying } from '../store/open-store.ts'

/** What became of an order. */
export interface GivenOrder {
  readonly control: Control
  /** Processes that crawl now. */
  readonly running: number
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
  return besideCrawl(path, place, async ({ frontier, hostKeying, now }) => {
    const control = await make({ now, hostKeying, reader: frontier.reader })
    const running = await othersIn(frontier)
    const isOrdered = control.kind !== 'stop' || running > 0
    if (isOrdered) await Orders.give(frontier, control, now)
    return { control, running, isOrdered }
  })
}

/** Processes that have the store open, beside this one. */
export async function othersIn({ reader }: Frontier): Promise<number> {
  return Math.max(0, (await reader.info()).liveProcesses - 1)
}
