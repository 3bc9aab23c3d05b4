// Keeps the store of a crawl that goes on for months from growing: what is older than it is kept for is removed, a little at a time, beside the crawl.
//
// An item goes once every sink of the run has it and a later visit of its page has replaced it. So a sink that lags loses nothing, whatever its lag, and what a
// page had last stays. A crawl without sinks keeps its items: nobody has them. Rejects go at the same age.
import { formatDuration } from '@avocet/core/plugin'
import type { DeliveryWish } from './delivery-parts.ts'

/** A process that a timer starts for a minute removes as well. */
const FIRST_MS = 1_000
const EVERY_MS = 600_000
/** Between two transactions while there is more to remove: those of the crawl go between them. */
const STEP_MS = 100
/** What was the newest of its page when it was looked at is looked at again. */
const ANEW_MS = 86_400_000
const REJECTS_AT_ONCE = 100

/** A timer that removes what is old. */
export class Pruning {
  readonly #parts: DeliveryWish
  #timer: Disposable | undefined
  #step: Promise<void> | undefined
  #isOver = false
  #afterSeq = 0
  #anewAt: number

  constructor(parts: DeliveryWish) {
    const { clock, sinks, keep, isWatching, notice } = parts
    this.#parts = parts
    this.#anewAt = clock.now() + ANEW_MS
    if (keep.itemsMs === Infinity || parts.frontier.prune === undefined) return
    if (isWatching)
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

  #arm(ms: number): void {
    const { clock, fail } = this.#parts
    if (this.#isOver) return
    this.#timer = clock.at(clock.now() + ms, () => {
      this.#step = this.#prune().then((isMore) => this.#arm(isMore ? STEP_MS : EVERY_MS), fail)
    })
  }

  /** Returns whether there may be more. */
  async #prune(): Promise<boolean> {
    const { make, frontier, clock, keep, notice } = this.#parts
    const { itemsMs } = keep
    const now = clock.now()
    if (now >= this.#anewAt) [this.#afterSeq, this.#anewAt] = [0, now + ANEW_MS]
    const { upToSeq, name } = await this.#writtenEverywhere()
    const pruned = await make('prune', async () => frontier.prune?.({ now, itemsMs, upToSeq, afterSeq: this.#afterSeq }))
    const { afterSeq = 0, oldSeq = 0 } = pruned ?? {}
    this.#afterSeq = afterSeq
    if (name !== undefined && upToSeq < oldSeq)
      notice(`sink ${name}: it lacks items that are ${formatDuration(itemsMs)} old; the store keeps them until it has them`)
    return (await this.#forgetRejects(now - itemsMs)) || afterSeq < Math.min(oldSeq, upToSeq)
  }

  /** Up to which item all sinks of this run have everything, and which of them has least. */
  async #writtenEverywhere(): Promise<{ readonly upToSeq: number; readonly name?: string }> {
    const { make, sinks, frontier } = this.#parts
    const marks = sinks.map(async ({ name }) => {
      const { mark, suspects = [] } = (await make('sink', () => frontier.sinks.get(name))) ?? {}
      return { upToSeq: Math.min(mark?.itemSeq ?? 0, ...suspects.map(({ seq }) => seq - 1)), name }
    })
    return (await Promise.all(marks)).toSorted((a, b) => a.upToSeq - b.upToSeq)[0] ?? { upToSeq: 0 }
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
