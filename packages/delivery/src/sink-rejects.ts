// Items that a sink could not write: set aside with a reason.
import type { FrontierReader, RejectStore, SinkReject } from '@avocet/core/store'

/** Rejects that are read at once. */
const AT_ONCE = 256

/** The rejects of one sink. */
export interface SinkRejects {
  /** Idempotent; returns how many were not there before. */
  setAside(items: readonly SinkReject[]): Promise<number>
  /** Those of items behind `itemSeq`: ids by number of the item. Reads all rejects of the sink: not for every batch. */
  behind(itemSeq: number): Promise<Map<number, number>>
  /** They come again in order. Returns how many went. */
  forget(ids: readonly number[]): Promise<number>
  /** How many there are. Reads all rejects of the store: not for every batch. */
  count(): Promise<number>
}

/** What keeps them. */
interface RejectKeeper {
  readonly rejects: Pick<RejectStore, 'setAside' | 'forget'>
  readonly reader: Pick<FrontierReader, 'rejects' | 'problems'>
}

/** The rejects of the sink `source`. */
export function sinkRejects(store: RejectKeeper, source: string): SinkRejects {
  return {
    setAside: (items) => store.rejects.setAside(items),
    async behind(itemSeq) {
      const found = new Map<number, number>()
      for (let afterId = 0; ;) {
        const page = await store.reader.rejects({ source, afterId, limit: AT_ONCE })
        for (const { id, ordinal, seq = -ordinal } of page) if (seq > itemSeq) found.set(seq, id)
        const last = page.at(-1)
        if (last === undefined || page.length < AT_ONCE) return found
        afterId = last.id
      }
    },
    forget: (ids) => store.rejects.forget(ids),
    async count() {
      const { rejects: groups } = await store.reader.problems()
      return groups.reduce((sum, group) => sum + (group.source === source ? group.count : 0), 0)
    },
  }
}
