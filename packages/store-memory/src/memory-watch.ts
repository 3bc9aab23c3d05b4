// Watched items and their changes in RAM, as the laws of core say.
import {
  watchLaws,
  type ChangeQuery,
  type ChangeRecord,
  type CommitUnit,
  type Frontier,
  type NewItem,
  type ShownItem,
  type WatchedItem,
} from '@avocet/core/store'

/** Changes that are looked at in one go. */
const PRUNED_AT_ONCE = 256

/** A page, at one of its visits; `at`: when it was fetched, epoch ms. */
export interface VisitedPage {
  readonly hostKey: string
  readonly url: string
  readonly requestId: number
  readonly visit: number
  readonly at: number
}

/** Those of one store. */
export class MemoryWatch {
  readonly #ofHost = new Map<string, Map<string, WatchedItem>>()
  /** What each page shows, by the id of its request. */
  readonly #ofPage = new Map<number, Map<string, ShownItem>>()
  /** Each at its number; undefined: it was removed. */
  readonly #changes: (ChangeRecord | undefined)[] = []
  /** Number of the last one of each item. */
  readonly #lastOf = new Map<string, number>()

  /** How many changes there were. */
  get size(): number {
    return this.#changes.length
  }

  /** A page was visited. Returns how many changes that makes. */
  visited(page: VisitedPage, watch: NonNullable<CommitUnit['watch']>, items: readonly NewItem[]): number {
    const before = this.#changes.length
    const { hostKey, requestId } = page
    const known = this.#ofHost.get(hostKey) ?? new Map<string, WatchedItem>()
    const onPage = this.#ofPage.get(requestId) ?? new Map<string, ShownItem>()
    const ofPage = new Map(
      [...onPage].flatMap(([key, shown]) => [known.get(key)].flatMap((item) => (item ? [[key, { ...shown, item }]] : []))),
    )
    const sightings = items.flatMap(({ watched }) => watched ?? [])
    const all = watchLaws.visited({ requestId, page: watch, sightings }, { ofPage, find: (key) => known.get(key) })
    for (const { key, item, shown, change } of all) {
      if (item !== undefined) known.set(key, item)
      if (shown === null) onPage.delete(key)
      else if (shown !== undefined) onPage.set(key, shown)
      if (change === undefined) continue
      const { kind, before: was, after } = change
      const values = {
        ...(was !== undefined && { before: fieldsOf(was) }),
        ...(after !== undefined && { after: fieldsOf(after) }),
      }
      const seq = this.#changes.length + 1
      this.#changes.push({ ...page, seq, kind, key, ...values })
      this.#lastOf.set(`${hostKey} ${key}`, seq)
    }
    if (known.size > 0) this.#ofHost.set(hostKey, known)
    if (onPage.size > 0) this.#ofPage.set(requestId, onPage)
    else this.#ofPage.delete(requestId)
    return this.#changes.length - before
  }

  list({ afterSeq = 0, since = -Infinity, hostKey, key, newestFirst, limit = Infinity }: ChangeQuery): readonly ChangeRecord[] {
    const all = this.#changes.slice(afterSeq).flatMap((change) => change ?? [])
    if (newestFirst) all.reverse()
    const isMeant = (change: ChangeRecord): boolean =>
      change.at >= since && (hostKey ?? change.hostKey) === change.hostKey && (key ?? change.key) === change.key
    return all.filter(isMeant).slice(0, limit)
  }

  /** Removes some old changes that another one of their item followed. Returns up to which number it has looked. */
  prune({ before, upToSeq, afterSeq }: Parameters<NonNullable<Frontier['pruneChanges']>>[0]): number {
    let lookedTo = afterSeq
    for (const [n, change] of this.#changes.slice(afterSeq, Math.min(upToSeq, afterSeq + PRUNED_AT_ONCE)).entries()) {
      if (change !== undefined && change.at >= before) continue
      lookedTo = afterSeq + n + 1
      if (change !== undefined && this.#lastOf.get(`${change.hostKey} ${change.key}`) !== lookedTo)
        this.#changes[lookedTo - 1] = undefined
    }
    return lookedTo
  }
}

function fieldsOf(value: string): NonNullable<ChangeRecord['after']> {
  return JSON.parse(value) as NonNullable<ChangeRecord['after']>
}
