// Items that a sink could not write: set aside with a reason, and handed over again when somebody asks for it.

/** The most that are handed over again in one batch. */
import type { FrontierReader, ItemRecord, RejectStore, SinkReject } from '@avocet/core/store'
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
