// Law: the visits of a page as few lines, the newest first. Visits that brought the same as the one before are one line, together with those without items.
//
// Of a visit without items a store does not say why: the page was as it was (304, or the same bytes), it failed, or a handler found nothing. So they are
// counted, and not called a change. Visits come one by one, each is compared with the next older one, and only two of them are kept.
import { atRest } from '@avocet/at-rest'
import type { FrontierReader } from '@avocet/core/store'
import { itemMoments } from '@avocet/plugin-journal'
import type { ReadVisit } from './read-item.ts'
import { changesBetween, type ItemChanges } from './visit-changes.ts'

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

// When visits were: exactly of the last page that a handler got, which is what stores keep; of those before it as far as the history of the crawl tells.
//
// A visit that is older was not later, so what is known of a newer one bounds it.

/** A visit that brought items. */
export interface StoredVisit {
  readonly visit: number
  /** Number of its first item. */
  readonly seq: number
  /** Epoch ms; absent: not known. */
  readonly fetchedAt?: number
}

/** Looks moments up. */
export class VisitMoments {
  readonly #reader: FrontierReader
  readonly #now: number
  #found: Promise<(numbers: readonly number[]) => ReturnType<typeof itemMoments>> | undefined

  /** `now`: epoch ms. */
  constructor(reader: FrontierReader, now: number) {
    this.#reader = reader
    this.#now = now
  }

  /** Of visits, the newest first. What is read of the crawl is read once. */
  async of(visits: readonly StoredVisit[]): Promise<MomentOf> {
    // A page that was visited once is dated by its store.
    const isDated = visits.every(({ fetchedAt }) => fetchedAt !== undefined)
    const within = isDated ? [] : (await (this.#found ??= this.#find()))(visits.map(({ seq }) => seq))
    const moments = new Map<number, VisitMoment>()
    let bound: Bound = { to: this.#now, seq: Infinity }
    visits.forEach((visit, index) => {
      const moment = momentWithin(visit, within[index], bound)
      if (moment !== null) moments.set(visit.visit, moment)
      bound = { to: Math.min(bound.to, moment?.to ?? Infinity), seq: Math.min(bound.seq, visit.seq) }
    })
    return (visit) => moments.get(visit) ?? null
  }

  async #find(): Promise<(numbers: readonly number[]) => ReturnType<typeof itemMoments>> {
    const [newest] = await this.#reader.items({ newestFirst: true, limit: 1 })
    const { createdAt: since } = await this.#reader.info()
    const crawl = await atRest(this.#reader)
    return (numbers) => itemMoments(crawl, { last: newest?.seq ?? 0, since, until: this.#now }, numbers)
  }
}

/** What all newer visits say of an older one. */
interface Bound {
  readonly to: number
  readonly seq: number
}

function momentWithin({ fetchedAt, seq }: StoredVisit, within: VisitMoment | undefined, bound: Bound): VisitMoment | null {
  if (fetchedAt !== undefined) return { from: fetchedAt, to: fetchedAt }
  if (within === undefined || seq >= bound.seq || within.from > bound.to) return null
  return { from: within.from, to: Math.min(within.to, bound.to) }
}
