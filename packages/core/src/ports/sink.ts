// Port: where committed items go. Its contract suite is `sinkContract` in @avocet/testkit.
//
// A sink gets items after their commit, in the order of their commits, in batches, one batch at a time. How far it is, its mark, is in the store. A batch is
// marked after it was written, so a crash between the two repeats it: each item comes at least once. A sink that can keep its own mark in one transaction with
// the items (a database), or can cut off what it wrote behind the mark (a file), says in `open` how far it really is, and so has each item exactly once.
// A sink that fails stops no crawl: it falls behind, is tried again, and catches up from the store. Alternative rejected: handing items over before the commit
// (`onItem`), which a crash then leaves in one place and not in the other.
import type { Clock } from './clock.ts'
import type { Json } from '../values/json.ts'

/** An item as a sink gets it. */
export interface SinkItem<Item = Json> {
  /**
   * Its place in the store, `request.visit.ordinal`, as in `17.0.2`; of a change, its number. The same whenever this item is handed over again.
   */
  readonly key: string
  /** Ascends in the order of commits, never repeats within a store, and is the same whenever this item is handed over again. */
  readonly seq: number
  /** URL of the page. */
  readonly url: string
  /** The item as JSON text. */
  readonly json: string
  /** The same, parsed at its first use. */
  readonly value: Item
}

/** How far a sink is: every item, or change, up to the number `itemSeq` is written. */
export interface SinkMark {
  /** 0 before the first item. */
  readonly itemSeq: number
  /**
   * What the sink needs to continue from there, such as the size of its file. A file has in it, as `bytes`, where it ends, and as `start`,
   * `{ itemSeq, bytes }`, where what the sink has written to it begins.
   */
  readonly state?: Json
}

/** Items to write, at least one. */
export interface SinkBatch<Item = Json> {
  readonly items: readonly SinkItem<Item>[]
  /** The mark once this batch is written. It may be ahead of the last item: items that `filter` left out have no other trace. */
  readonly mark: SinkMark
  /** Aborted when nobody waits for the answer any more. What is written after that may be written again. */
  readonly signal: AbortSignal
}

/** What a sink may answer to a batch. Without an answer, the whole batch is written and kept. */
export interface Written {
  /** What to keep in the store: `batch.mark` with a `state`, or an older mark, as long as what was written may still be lost. Default `batch.mark`. */
  readonly mark?: SinkMark
  /** The items are to be handed over again from behind this mark: what was written before is gone, or no longer fits. */
  readonly rewind?: SinkMark
}

/** What a sink gets before its first batch. */
export interface SinkSession {
  /** Whose items they are. `id` is that of the store: another one begins its keys and numbers anew. */
  readonly crawl: { readonly name: string; readonly id: string }
  /** What the store remembers; absent when nothing was ever written. */
  readonly mark?: SinkMark
  /** Time, and a way to be woken: for what is due although no batch comes. */
  readonly clock: Pick<Clock, 'now' | 'at' | 'hold'>
  /** Aborted when nobody waits for the sink any more. */
  readonly signal: AbortSignal
  /** Keeps a mark, between batches as well. Resolves when it is in the store. */
  keep(mark: SinkMark): Promise<void>
  /** Tells a person: a sentence, shown once an hour at most. */
  problem(message: string): void
  /** Tells a person of something with which nothing is wrong, such as a table that was made. Shown like a problem, and not counted as one. */
  notice(message: string): void
}

/** Limits of the batches of a sink. */
export interface SinkLimits {
  /** Items of a batch. Default 256. */
  readonly maxItems: number
  /** Bytes of JSON text of a batch, unless a single item is larger. Default 4 MiB. */
  readonly maxBytes: number
  /** How long items wait for a batch to fill up. Default 1,000. */
  readonly maxWaitMs: number
  /** How long a sink may take for a batch, or to open. After that it counts as failed. Default 60,000. */
  readonly timeoutMs: number
}

/**
 * Where committed items go: a table, a file, a queue. Any number of them on a crawl, each at its own pace.
 *
 * @example
 * ```ts
 * // teas-only.ts
 * import { sink } from '@avocet/core/sink'
 *
 * interface Tea {
 *   readonly name: string
 *   readonly price: number
 * }
 * export const cheapTeas = sink<Tea>(
 *   async (items, { signal }) => {
 *     await fetch('https://intranet.example/teas', { method: 'POST', body: JSON.stringify(items), signal })
 *   },
 *   { name: 'cheap-teas', filter: ({ value }) => value.price < 5 },
 * )
 * ```
 */
export interface Sink<Item = Json> {
  /** Unique among the sinks of a crawl; names its mark. A new name begins with the first item. */
  readonly name: string
  /** Which items it gets. Default: all. Pure: the same item may be asked about again. */
  filter?(item: SinkItem<Item>): boolean
  readonly limits?: Partial<SinkLimits>
  /** It gets changes of watched items instead of items. */
  readonly changes?: boolean
  /** The only fields that it writes. A person is told, once, of each other field that an item has. Absent: it leaves none out. */
  readonly columns?: readonly string[]
  /** What it was made with, for reports on the run: plain JSON, without secrets. */
  readonly options?: Readonly<Record<string, Json>>
  /**
   * Connects, and checks that items can be written. A throw at the beginning of a run ends the run (AVO_SINK_OPEN), unless the sink has a mark from an earlier
   * run and the error is no AvocetError: then, and after a failure in a run, `open` is tried again and again. A `SinkElsewhere`
   * ends nothing: the sink is tried again until the other process has let go of it.
   *
   * @returns how far the sink really is, where it knows that better than the store. Undefined: as the store says.
   */
  open?(session: SinkSession): SinkMark | undefined | Promise<SinkMark | undefined>
  /**
   * Writes a batch. Not called again before it has answered, or was aborted. A throw means that nothing of the batch is sure to be written: the same items come
   * again, after 1 s doubling to 60 s, and the sink is opened anew before. After three throws in a row batches get smaller, in case one item is at fault: one
   * that fails alone three times while others pass is set aside. A `SinkDown` says that no item is at fault. An `ItemsRefused` names items that can never be
   * written: they are set aside (`avocet rejects`), and the others come again at once. An item that failed alone may come again later, in a batch whose
   * mark is where the sink already is.
   */
  write(batch: SinkBatch<Item>): Written | undefined | void | Promise<Written | undefined | void>
  /**
   * Every item of a run that has ended is written. `interrupted`: the run was ended by a signal. Not called if the sink is behind. It may answer as `write`
   * does: what it rewinds to is handed over again, and `finish` is called once more.
   */
  finish?(end: { readonly interrupted: boolean }): Written | undefined | void | Promise<Written | undefined | void>
  /** Lets go of connections and files. Called once for each `open`, also after a failure. */
  close?(): void | Promise<void>
}

/** Thrown by `write`: these items can never be written, whatever the state of the sink. Nothing of the batch was written. */
export class ItemsRefused extends Error {
  override readonly name = 'ItemsRefused'
  /** Why, by the key of the item. */
  readonly reasons: ReadonlyMap<string, string>

  /** `reasons`: why, by the key of the item. Throws a TypeError for anything else, which counts as a failure of the sink. */
  constructor(reasons: ReadonlyMap<string, string>) {
    if (!(reasons instanceof Map) || ![...reasons].flat().every((part) => typeof part === 'string'))
      throw new TypeError(
        'expected ItemsRefused to get a Map of reasons by key of the item: new ItemsRefused(new Map([[key, reason]]))',
      )
    super(`${reasons.size} ${reasons.size === 1 ? 'item' : 'items'} refused`)
    this.reasons = reasons
  }
}

/** Thrown by `write`: the sink cannot be used now, whatever the items are. None of them is suspected. */
export class SinkDown extends Error {
  override readonly name = 'SinkDown'
  /** Epoch ms before which there is no use in trying again, at most an hour ahead. */
  readonly retryAt: number | undefined

  constructor(message: string, { retryAt, cause }: { readonly retryAt?: number; readonly cause?: unknown } = {}) {
    super(message, { cause })
    this.retryAt = retryAt
  }
}

/**
 * Thrown by `open`: another process of the same crawl still has it. A process that was taken for dead, and is not, learns only later that its sink is another
 * one's now. `cause`: what is thrown where no other process can have it rightly.
 */
export class SinkElsewhere extends Error {
  override readonly name = 'SinkElsewhere'
}
