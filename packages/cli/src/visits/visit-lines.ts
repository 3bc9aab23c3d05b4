// Law: the visits of a page as few lines, the newest first. Visits that brought the same as the one before are one line, together with those without items.
//
// Of a visit without items a store does not say why: the page was as it was (304, or the same bytes), it failed, or a handler found nothing. So they are
// counted, and not called a change. Visits come one by one, each is compared with the next older one, and only two of them are kept.
import type { ItemChanges } from './visit-changes.ts'
import { changesBetween } from './visit-changes.ts'
import type { ReadVisit } from './read-item.ts'

/** When a visit was, epoch ms: exactly where both are the same, else within them. */
export interface VisitMoment {
  readonly from: number
  readonly to: number
}

/** A visit that brought something else than the one before it. */
interface ChangedLine extends ItemChanges {
  readonly kind: 'changed'
  readonly visit: number
  readonly moment: VisitMoment | null
}

/** Visits from `first` to `last` that changed nothing: `same` of them brought the same, `barren` none. */
interface AlikeLine {
  readonly kind: 'alike'
  readonly first: number
  readonly last: number
  readonly same: number
  readonly barren: number
  /** The newest of them that brought items; null: none did. */
  readonly newest: number | null
  /** Of that one. */
  readonly moment: VisitMoment | null
}

/** The oldest one that was read: what there was before is not known, or it is the first that brought items. */
interface OldestLine {
  readonly kind: 'oldest'
  readonly visit: number
  readonly moment: VisitMoment | null
}

/** One line; numbers of visits begin at 0. */
export type VisitLine = ChangedLine | AlikeLine | OldestLine

/** When a visit was that brought these items; null: not known. */
export type MomentOf = (visit: number) => VisitMoment | null

/** How much is wanted. */
export interface LineBounds {
  /** Visits that changed something. */
  readonly changes: number
  /** Fields of all of them together. */
  readonly fields: number
}

/** Puts the lines together. */
export class VisitLines {
  readonly #stamps: ReadonlySet<string>
  readonly #bounds: LineBounds
  readonly #lines: VisitLine[] = []
  #changes = 0
  #fields = 0
  #last: ReadVisit | undefined
  /** Newest of the visits that are not in a line yet. */
  #upTo: number
  /** How many of these brought the same, and the newest that did. */
  #same = 0
  #newestSame: number | null = null

  /** `last`: number of the newest visit of the page, with items or without. */
  constructor(last: number, stamps: ReadonlySet<string>, bounds: LineBounds) {
    this.#upTo = last
    this.#stamps = stamps
    this.#bounds = bounds
  }

  /** Whether there is all that is wanted. */
  get isFull(): boolean {
    return this.#changes >= this.#bounds.changes || this.#fields >= this.#bounds.fields
  }

  /** The next older visit that brought items. */
  add(visit: ReadVisit): void {
    const newer = this.#last
    this.#last = visit
    if (newer === undefined) return
    const { items, moreItems } = changesBetween(visit, newer, this.#stamps)
    if (items.length > 0) {
      this.#fold(newer.visit + 1)
      this.#lines.push({ kind: 'changed', visit: newer.visit, moment: null, items, moreItems })
      this.#changes++
      this.#fields += items.reduce((sum, { fields }) => sum + fields.length, 0)
      this.#upTo = newer.visit - 1
    } else {
      this.#same++
      this.#newestSame ??= newer.visit
    }
  }

  /** There are no older ones, or they are not wanted (`isCut`). */
  end(isCut: boolean, momentOf: MomentOf): readonly VisitLine[] {
    const oldest = this.#last?.visit
    this.#fold(oldest === undefined ? 0 : oldest + 1)
    if (oldest !== undefined) {
      this.#lines.push({ kind: 'oldest', visit: oldest, moment: null })
      this.#upTo = oldest - 1
      if (!isCut) this.#fold(0)
    }
    return this.#lines.map((line) => {
      const visit = line.kind === 'alike' ? line.newest : line.visit
      return { ...line, moment: visit === null ? null : momentOf(visit) }
    })
  }

  /** All visits from `first` on that are in no line are one. */
  #fold(first: number): void {
    const [last, same, newest] = [this.#upTo, this.#same, this.#newestSame]
    this.#same = 0
    this.#newestSame = null
    const barren = last - first + 1 - same
    if (last >= first) this.#lines.push({ kind: 'alike', first, last, same, barren, newest, moment: null })
  }
}
