// Hands items to a sink as a crawl does: opens it, goes on behind its mark, sets aside what it refuses, and tries again after a failure.
import { VirtualClock } from '@avocet/simulator'
import { ItemsRefused, type Sink, type SinkItem, type SinkMark, type SinkSession } from '@avocet/core/sink'

/** What came of it. */
export interface Delivered {
  readonly mark: SinkMark
  /** Why items were set aside, by key. */
  readonly refused: ReadonlyMap<string, string>
  /** What `write` threw, other than refusals. */
  readonly failures: readonly string[]
  /** What the sink told people. */
  readonly notices: readonly string[]
}

/** An item of the crawl under test: number `seq`. */
export function itemOf(seq: number, value: unknown): SinkItem<never> {
  const json = JSON.stringify(value)
  return { key: `${String(seq)}.0.0`, seq, url: `https://shop.example/${String(seq)}`, json, value: value as never }
}

/** What a sink gets when it opens, for the crawl `id`. */
export function sessionOf(id: string, more: Partial<SinkSession> = {}): SinkSession {
  return {
    crawl: { name: 'shop', id },
    clock: new VirtualClock({ startAt: 1_800_000_000_000 }),
    signal: new AbortController().signal,
    keep: () => Promise.resolve(),
    problem: () => undefined,
    notice: () => undefined,
    ...more,
  }
}

/** Delivers all items in batches of `batchItems`; gives up after ten failures. */
export async function deliver(
  sink: Sink,
  items: readonly SinkItem<never>[],
  { id, batchItems = 256 }: { readonly id: string; readonly batchItems?: number },
): Promise<Delivered> {
  const refused = new Map<string, string>()
  const failures: string[] = []
  const notices: string[] = []
  const session = sessionOf(id, { notice: (message) => void notices.push(message) })
  let mark = (await sink.open?.(session)) ?? { itemSeq: 0 }
  for (;;) {
    const batch = items.filter(({ seq, key }) => seq > mark.itemSeq && !refused.has(key)).slice(0, batchItems)
    const last = batch.at(-1)
    if (last === undefined || failures.length >= 10) break
    const next = { itemSeq: last.seq }
    try {
      await sink.write({ items: batch, mark: next, signal: session.signal })
      mark = next
    } catch (error) {
      if (error instanceof ItemsRefused) for (const [key, reason] of error.reasons) refused.set(key, reason)
      else {
        failures.push(String(error))
        await sink.close?.()
        mark = (await sink.open?.(session)) ?? { itemSeq: 0 }
      }
    }
  }
  await sink.close?.()
  return { mark, refused, failures, notices }
}
