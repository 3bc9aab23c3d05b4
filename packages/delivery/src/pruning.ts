// Keeps the store of a crawl that goes on for months from growing: what is older than it is kept for is removed, a little at a time, beside the crawl.
//
// An item goes once every sink of items of the run has it and a later visit of its page has replaced it. So a sink that lags loses nothing, whatever its lag,
// and what a page had last stays. A crawl without sinks keeps its items: nobody has them, nor their changes. Rejects go at the same age. A change goes once
// every sink of changes has it, unless it is the last of its item.
import { formatDuration } from '@avocet/core/plugin'
import type { Sink } from '@avocet/core/sink'
import type { DeliveryWish } from './delivery-parts.ts'

/** A process that a timer starts for a minute removes as well. */
const FIRST_MS = 1_000
/** Each pass begins at the first item and change: what was the newest of its page, or of its item, may have been replaced since. */
const EVERY_MS = 3_600_000
/** Between two transactions while there is more to remove: those of the crawl go between them. */
const STEP_MS = 100
const REJECTS_AT_ONCE = 100
/** Nobody waits for any. */
const EVERYTHING = Number.MAX_SAFE_INTEGER

/** Up to which number a pass has looked. */
type Looked = Readonly<Record<'items' | 'changes', number>>

/** A timer that removes what is old. */
export class Pruning {
  readonly #parts: DeliveryWish
  readonly #sinks: Readonly<Record<'items' | 'changes', readonly Sink[]>>
  #timer: Disposable | undefined
  #step: Promise<void> | undefined
  #isOver = false

  constructor(parts: DeliveryWish) {
    const { sinks, keep, isRevisiting, notice } = parts
    this.#parts = parts
    const [changes, items] = [sinks.filter((sink) => sink.changes === true), sinks.filter((sink) => sink.changes !== true)]
    this.#sinks = { items, changes }
    if (Math.min(keep.itemsMs, keep.historyMs) === Infinity || parts.frontier.prune === undefined) return
    if (isRevisiting && keep.itemsMs < Infinity)
      notice(
        sinks.length === 0
          ? 'all items stay in the store, for no sink or output has them'
          : `items that a later visit replaced stay in the store for ${formatDuration(keep.itemsMs)} (keep.itemsMs)`,
      )
    this.#arm(FIRST_MS)
  }

  /** Ends it, once the step is over that has begun. */
  async end(): Promise<void> {
    this.letGo()
    await this.#step
  }

  letGo(): void {
    this.#isOver = true
    this.#timer?.[Symbol.dispose]()
  }

  #arm(ms: number, from: Looked = { items: 0, changes: 0 }): void {
    const { clock, fail } = this.#parts
    if (this.#isOver) return
    this.#timer = clock.at(clock.now() + ms, () => {
      this.#step = this.#prune(from).then((looked) => this.#arm(looked ? STEP_MS : EVERY_MS, looked), fail)
    })
  }

  /** Returns how far it has looked; undefined: the pass is over. */
  async #prune(from: Looked): Promise<Looked | undefined> {
    const { clock, keep } = this.#parts
    const now = clock.now()
    const items = keep.itemsMs < Infinity ? await this.#pruneItems(now, from.items) : from.items
    const changes = keep.historyMs < Infinity ? await this.#pruneChanges(now - keep.historyMs, from.changes) : from.changes
    const isMore =
      (keep.itemsMs < Infinity && (await this.#forgetRejects(now - keep.itemsMs))) || items > from.items || changes > from.changes
    return isMore ? { items, changes } : undefined
  }

  async #pruneItems(now: number, from: number): Promise<number> {
    const { sinks, make, frontier, notice, keep } = this.#parts
    const { itemsMs } = keep
    const { upToSeq, name } = (await this.#leastMark(this.#sinks.items)) ?? { upToSeq: sinks.length === 0 ? 0 : EVERYTHING }
    const pruned = await make('prune', async () => frontier.prune?.({ now, itemsMs, upToSeq, afterSeq: from }))
    const { afterSeq = from, oldSeq = 0 } = pruned ?? {}
    if (name !== undefined && upToSeq < oldSeq)
      notice(`sink ${name}: it lacks items that are ${formatDuration(itemsMs)} old; the store keeps them until it has them`)
    return afterSeq
  }

  /** Without sinks of changes nobody waits for any. */
  async #pruneChanges(before: number, from: number): Promise<number> {
    const { make, frontier } = this.#parts
    const { upToSeq } = (await this.#leastMark(this.#sinks.changes)) ?? { upToSeq: EVERYTHING }
    return (await make('prune changes', async () => frontier.pruneChanges?.({ before, upToSeq, afterSeq: from }))) ?? from
  }

  /** Up to which item, or change, all of these sinks have everything, and which of them has least. */
  async #leastMark(sinks: readonly Sink[]): Promise<{ readonly upToSeq: number; readonly name?: string } | undefined> {
    const { make, frontier } = this.#parts
    const marks = sinks.map(async ({ name }) => {
      const { mark, suspects = [] } = (await make('sink', () => frontier.sinks.get(name))) ?? {}
      return { upToSeq: Math.min(mark?.itemSeq ?? 0, ...suspects.map(({ seq }) => seq - 1)), name }
    })
    return (await Promise.all(marks)).toSorted((a, b) => a.upToSeq - b.upToSeq)[0]
  }

  /** Ids rise with time, so the oldest come first. Returns whether there may be more. */
  async #forgetRejects(before: number): Promise<boolean> {
    const { make, frontier } = this.#parts
    const oldest = await make('rejects', () => frontier.reader.rejects({ limit: REJECTS_AT_ONCE }))
    const ids = oldest.flatMap(({ id, at }) => (at < before ? [id] : []))
    if (ids.length > 0) await make('rejects', () => frontier.rejects.forget(ids))
    return ids.length === REJECTS_AT_ONCE
  }
}
