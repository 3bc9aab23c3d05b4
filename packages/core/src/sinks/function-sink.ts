// Any function as a sink.
import {
  atLeast,
  checkOptions,
  needed,
  nonEmptyText,
  orInfinity,
  synchronous,
  tableOf,
  wholeNumber,
  wrongOption,
  type OptionRule,
  type OptionRules,
} from '../values/options.ts'
import type { Json } from '../values/json.ts'
import type { Sink, SinkBatch, SinkItem, SinkLimits } from '../ports/sink.ts'

/** Options of `sink`. */
export interface FunctionSinkOptions<Item = Json> {
  /** Unique among the sinks of a crawl; names its mark. A new name begins with the first item. */
  readonly name: string
  /** Which items it gets. Default: all. */
  readonly filter?: (item: SinkItem<Item>) => boolean
  /** Limits of its batches. Default: 256 items, 4 MiB, one second, and a minute to write them. */
  readonly limits?: Partial<SinkLimits>
}

/** Limits of the batches of a sink. */
export const SINK_LIMITS_RULE: OptionRule = tableOf<SinkLimits>({
  maxItems: wholeNumber(1),
  maxBytes: wholeNumber(1),
  maxWaitMs: atLeast(0),
  timeoutMs: orInfinity(atLeast(1)),
})

const RULES: OptionRules<FunctionSinkOptions> = { name: needed(nonEmptyText), filter: synchronous, limits: SINK_LIMITS_RULE }

/**
 * A sink of a function that gets committed items in batches, in order. When it has returned, or its promise has resolved, they are written; when it
 * throws, the same items come again. So each item comes at least once; `key` is the same whenever one comes again.
 *
 * @throws AvocetError AVO_CONFIG_INVALID for an option that is missing, unknown or out of range.
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
  if (typeof write !== 'function') throw wrongOption('the first argument of sink()', 'a function', write)
  checkOptions('sink', options, RULES)
  const { name, filter, limits } = options
  return {
    name,
    ...(filter && { filter }),
    ...(limits && { limits }),
    async write({ items, signal }) {
      await write(items, { signal })
    },
  }
}
