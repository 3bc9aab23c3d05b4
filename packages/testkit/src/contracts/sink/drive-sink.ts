// Hands items to a sink as a crawl does: in batches, with a mark that is kept after each, from the mark again after a crash.
import { ItemsRefused, type Sink, type SinkItem, type SinkMark } from '@avocet/core/sink'
import type { Json } from '@avocet/core'
import { VirtualClock } from '@avocet/simulator'

/** What a store would keep of the sink. Start with `{ refused: new Map() }`. */
export interface SinkProgress {
  /** Absent until something was written. */
  mark?: SinkMark
  /** Items that the sink refused, by key, with the reason. */
  readonly refused: Map<string, string>
}

/** How the items are handed over. */
export interface DriveSinkOptions {
  /** Continued from, and brought up to date. */
  readonly kept: SinkProgress
  readonly clock?: VirtualClock
  /** Items in a batch; default 4. */
  readonly batch?: number
  /** Of the crawl; default `store-1`. */
  readonly storeId?: string
  /** Called between two batches. */
  readonly between?: () => void | Promise<void>
  /** Called before anything is kept: may throw, as a kill would. */
  readonly keeping?: () => void
}

/** Item number n, from 1, with its number as `n`. */
export function sinkItem(seq: number, value: Json = { n: seq, name: `tea ${seq}` }): SinkItem {
  return { key: `${seq}.0.0`, seq, url: `https://shop.example/${seq}`, json: JSON.stringify(value), value }
}

/** One run: everything behind the mark is handed over, then the sink is finished and closed. */
export async function driveSink(sink: Sink, items: readonly SinkItem[], options: DriveSinkOptions): Promise<void> {
  const { kept, clock = new VirtualClock(), batch = 4, storeId = 'store-1', between, keeping } = options
  const { signal } = new AbortController()
  const keep = async (mark: SinkMark): Promise<void> => {
    keeping?.()
    kept.mark = mark
  }
  const problem = (): void => {}
  try {
    const { mark } = kept
    const session = {
      crawl: { name: 'teas', id: storeId },
      ...(mark !== undefined && { mark }),
      clock,
      signal,
      keep,
      problem,
      notice: problem,
    }
    await sink.open?.(session)
    let left = items.filter(({ seq, key }) => seq > (kept.mark?.itemSeq ?? 0) && !kept.refused.has(key))
    while (left.length > 0) {
      const items = left.slice(0, batch)
      try {
        const written = await sink.write({ items, mark: { itemSeq: items.at(-1)?.seq ?? 0 }, signal })
        await keep(written?.mark ?? { itemSeq: items.at(-1)?.seq ?? 0 })
        left = left.slice(batch)
      } catch (error) {
        if (!(error instanceof ItemsRefused)) throw error
        for (const [key, reason] of error.reasons) kept.refused.set(key, reason)
        left = left.filter(({ key }) => !kept.refused.has(key))
      }
      await between?.()
    }
    await sink.finish?.({ interrupted: false })
  } finally {
    await sink.close?.()
  }
}
