// Items that a sink could not write: set aside with a reason, and handed over again when somebody asks for it.
import type { SinkLimits } from '@avocet/core/sink'
import type { FrontierReader, ItemRecord, RejectStore, SinkReject } from '@avocet/core/store'

/** The most that are handed over again in one batch. */
const MOST_AGAIN = 256

/** One that is to be handed over again. */
export interface RetriedItem extends ItemRecord {
  /** Of the reject. */
  readonly id: number
}

/** The rejects of one sink. */
export interface SinkRejects {
  /** Idempotent; returns how many were not there before. */
  setAside(items: readonly SinkReject[]): Promise<number>
  /** Those that somebody wants handed over again. */
  retried(): Promise<readonly RetriedItem[]>
  /** Those of items behind `itemSeq`: ids by number of the item. Reads all rejects of the sink: not for every batch. */
  behind(itemSeq: number): Promise<Map<number, number>>
  /** They are written after all. Returns how many went. */
  forget(ids: readonly number[]): Promise<number>
  /** How many there are. Reads all rejects of the store: not for every batch. */
  count(): Promise<number>
}

/** What keeps them. */
interface RejectKeeper {
  readonly rejects: Pick<RejectStore, 'setAside' | 'forget'>
  readonly reader: Pick<FrontierReader, 'rejects' | 'rejectGroups'>
}

/** The rejects of the sink `source`. */
export function sinkRejects(store: RejectKeeper, source: string): SinkRejects {
  return {
    setAside: (items) => store.rejects.setAside(items),
    async retried() {
      const found = await store.reader.rejects({ source, retried: true, limit: MOST_AGAIN })
      return found.filter((each): each is typeof each & { readonly seq: number } => each.seq !== undefined)
    },
    async behind(itemSeq) {
      const found = new Map<number, number>()
      for (let afterId = 0; ;) {
        const page = await store.reader.rejects({ source, afterId, limit: MOST_AGAIN })
        for (const { id, seq = 0 } of page) if (seq > itemSeq) found.set(seq, id)
        const last = page.at(-1)
        if (last === undefined || page.length < MOST_AGAIN) return found
        afterId = last.id
      }
    },
    forget: (ids) => store.rejects.forget(ids),
    async count() {
      const groups = await store.reader.rejectGroups()
      return groups.reduce((sum, group) => sum + (group.source === source ? group.count : 0), 0)
    },
  }
}

// Items that were set aside, and that somebody wants handed over again. They hold nothing up: after a failure they come one by one, each when something else
// passed, or when there is nothing else; one that fails three times beside others that pass is set aside again.

const MAX_FAILURES = 3

/** The retries of one sink. */
export class Retries {
  /** By id of the reject. */
  readonly #failures = new Map<number, number>()
  #hasFailed = false
  #passedSince = true

  /** Whether any of them failed, and is still to be handed over. */
  get haveFailed(): boolean {
    return this.#hasFailed
  }

  /** Whether there is to be a look for them. `idle`: there is nothing else. */
  areDue(idle: boolean): boolean {
    return this.#passedSince || idle
  }

  /** Those of `wanted` that come next. */
  next(wanted: readonly RetriedItem[]): readonly RetriedItem[] {
    if (!this.#hasFailed) return wanted
    // Those that failed least often first.
    const sorted = [...wanted].sort((a, b) => (this.#failures.get(a.id) ?? 0) - (this.#failures.get(b.id) ?? 0) || a.id - b.id)
    return sorted.slice(0, 1)
  }

  /** Something was written to the sink. */
  passed(): void {
    this.#passedSince = true
  }

  /** These failed together. Those that are to be set aside again. */
  failed(items: readonly RetriedItem[]): readonly RetriedItem[] {
    const counts = this.#passedSince && items.length === 1
    this.#hasFailed = true
    this.#passedSince = false
    if (!counts) return []
    for (const { id } of items) this.#failures.set(id, (this.#failures.get(id) ?? 0) + 1)
    const again = items.filter(({ id }) => (this.#failures.get(id) ?? 0) >= MAX_FAILURES)
    this.ended(again)
    return again
  }

  /** They are written, or set aside again. */
  ended(items: readonly RetriedItem[]): void {
    for (const { id } of items) this.#failures.delete(id)
    if (this.#failures.size === 0) this.#hasFailed = false
  }
}

/** The first of them, as many as the sink takes at once. */
export function retriedAtOnce(items: readonly RetriedItem[], { maxItems, maxBytes }: SinkLimits): readonly RetriedItem[] {
  let bytes = 0
  const end = items.findIndex(({ json }, n) => {
    bytes += Buffer.byteLength(json)
    return n === maxItems || (n > 0 && bytes > maxBytes)
  })
  return end === -1 ? items : items.slice(0, end)
}
