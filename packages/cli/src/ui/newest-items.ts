// The newest items of a store: items are read in the order of their commits, so the end is found once, and followed from there.
import type { ItemLine, ItemsPicture } from '@avocet/dashboard'
import type { FrontierReader, ItemRecord } from '@avocet/core/store'
import { lastItemNumber } from '../visits/read-item.ts'

const SHOWN = 50
const PAGE = 200
/** Longer items are cut: a page may yield megabytes. */
const MAX_CHARACTERS = 4_000
/** Pages that are read in one turn; what came faster is skipped. */
const MAX_PAGES = 20
const MAX_REJECTS = 50

type Reader = Pick<FrontierReader, 'items' | 'counts' | 'rejects' | 'problems'>

/** Follows the items of one store. */
export class NewestItems {
  readonly #reader: Reader
  #newest: readonly ItemRecord[] = []
  #seq: number | undefined

  constructor(reader: Reader) {
    this.#reader = reader
  }

  /** As they are now. */
  async picture(): Promise<ItemsPicture> {
    await this.#follow()
    const { items: count, rejects: rejectCount = 0 } = await this.#reader.counts()
    const isRefused = rejectCount > 0
    const rejects = isRefused ? await this.#reader.rejects({ limit: MAX_REJECTS }) : []
    const groups = isRefused ? (await this.#reader.problems()).rejects : []
    return {
      count,
      items: this.#newest.toReversed().map(itemLine),
      rejectCount,
      rejectGroups: groups.map(({ source, reason, count: times }) => ({ source, reason, count: times })),
      rejects: rejects.map(({ id, source, url, reason, json }) => ({ id: String(id), source, url, reason, json: cut(json) })),
    }
  }

  async #follow(): Promise<void> {
    this.#seq ??= Math.max(0, (await lastItemNumber(this.#reader)) - SHOWN)
    for (let pages = 0; pages < MAX_PAGES; pages++) {
      const page: readonly ItemRecord[] = await this.#reader.items({ afterSeq: this.#seq, limit: PAGE })
      this.#newest = [...this.#newest, ...page].slice(-SHOWN)
      this.#seq = page.at(-1)?.seq ?? this.#seq
      if (page.length < PAGE) return
    }
    this.#seq = undefined
  }
}

function itemLine({ seq, url, json }: ItemRecord): ItemLine {
  return { seq, url, json: cut(json) }
}

function cut(json: string): string {
  return json.length > MAX_CHARACTERS ? `${json.slice(0, MAX_CHARACTERS)}…` : json
}
