// How old items are: up to which number there were items at a moment.

/** Moments in a period of keeping. */
const MOMENTS = 100

/** Those of one store, oldest first. */
export class ItemAges {
  #all: { readonly seq: number; readonly at: number }[] = []

  /** Notes that `seq` is the newest at `now`; up to which number items are `itemsMs` old. */
  oldSeq(seq: number, now: number, itemsMs: number): number {
    this.#all = this.#all.filter(({ at }) => at <= now)
    if ((this.#all.at(-1)?.at ?? -Infinity) <= now - itemsMs / MOMENTS) this.#all.push({ seq, at: now })
    const old = this.#all.findLastIndex(({ at }) => at <= now - itemsMs)
    this.#all.splice(0, Math.max(0, old))
    return old < 0 ? 0 : (this.#all[0]?.seq ?? 0)
  }
}
