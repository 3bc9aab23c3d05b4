// Items that a sink could not write: set aside with a reason, and handed over again when somebody asks for it.
import type { FrontierReader, ItemRecord } from '../frontier-reader.ts'
import type { Frontier } from '../frontier.ts'
import type { SetAsideItem } from '../sink-record.ts'

/** The most that are handed over again in one batch. */
const MOST_AGAIN = 256

/** One that is to be handed over again. */
export interface RetriedItem extends ItemRecord {
  /** Of the reject. */
  readonly id: number
}

/** The rejects of one sink. */
export interface SinkRejects {
  /** Idempotent. */
  setAside(items: readonly SetAsideItem[]): Promise<void>
  /** Those that somebody wants handed over again. */
  retried(): Promise<readonly RetriedItem[]>
  /** They are written after all. */
  forget(ids: readonly number[]): Promise<void>
  /** How many there are. */
  count(): Promise<number>
}

/** What a frontier that keeps rejects has. */
interface RejectPort {
  setAside(items: readonly SetAsideItem[]): Promise<void>
  forgetRejects(ids: readonly number[]): Promise<number>
}

interface RejectReader {
  rejects(query: {
    readonly source: string
    readonly retried: true
    readonly limit: number
  }): Promise<readonly Partial<RetriedItem>[]>
  rejectGroups(): Promise<readonly { readonly source: string; readonly count: number }[]>
}

/** The rejects of the sink `source`. In a store that has no place for them they are only counted, and `problem` is told of each. */
export function sinkRejects(
  frontier: Partial<Frontier> & { readonly reader: FrontierReader },
  source: string,
  problem: (message: string) => void,
): SinkRejects {
  const port = frontier as Partial<RejectPort>
  const reader = frontier.reader as Partial<RejectReader>
  let counted = 0
  return {
    async setAside(items) {
      if (port.setAside) return port.setAside(items)
      counted += items.length
      for (const { requestId, visit, ordinal, reason } of items)
        problem(`sink ${source} has no item ${requestId}.${visit}.${ordinal}: ${reason}`)
    },
    async retried() {
      const found = await reader.rejects?.({ source, retried: true, limit: MOST_AGAIN })
      return (found ?? []).filter((each): each is RetriedItem => each.seq !== undefined)
    },
    async forget(ids) {
      await port.forgetRejects?.(ids)
    },
    async count() {
      const groups = await reader.rejectGroups?.()
      return groups?.reduce((sum, group) => sum + (group.source === source ? group.count : 0), 0) ?? counted
    },
  }
}
