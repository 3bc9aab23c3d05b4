// Any function as a sink.
import type { Json } from '../values/json.ts'
import type { Sink, SinkBatch, SinkItem, SinkLimits } from './sink.ts'

/** Options of `sink`. */
export interface FunctionSinkOptions<Item = Json> {
  /** Unique among the sinks of a crawl; names its mark. A new name begins with the first item. */
  readonly name: string
  /** Which items it gets. Default: all. */
  readonly filter?: (item: SinkItem<Item>) => boolean
  /** It gets changes of watched items (`ItemChange`) instead of items. */
  readonly changes?: boolean
  /** Limits of its batches. Default: 256 items, 4 MiB, one second, and a minute to write them. */
  readonly limits?: Partial<SinkLimits>
}

/**
 * A sink of a function that gets committed items in batches, in order. When it has returned, or its promise has resolved, they are written; when it
 * throws, the same items come again. So each item comes at least once; `key` is the same whenever one comes again.
 *
 * @example
 * ```ts
 * const seen: string[] = []
 * const collect = sink((items) => {
 *   for (const { key, value } of items) seen.push(`${key} ${JSON.stringify(value)}`)
 * }, { name: 'collect' })
 * collect.name // 'collect'
 * ```
 */
export function sink<Item = Json>(
  write: (items: readonly SinkItem<Item>[], batch: Pick<SinkBatch<Item>, 'signal'>) => unknown,
  options: FunctionSinkOptions<Item>,
): Sink<Item> {
  return {
    ...options,
    async write({ items, signal }) {
      await write(items, { signal })
    },
  }
}
