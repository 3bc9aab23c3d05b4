// When visits were: exactly of the last page that a handler got, which is what stores keep; of those before it as far as the history of the crawl tells.
//
// A visit that is older was not later, so what is known of a newer one bounds it.
import type { FrontierReader } from '@avocet/core/store'
import { atRest } from '@avocet/at-rest'
import { itemMoments } from '@avocet/plugin-journal'
import { lastItemNumber } from './read-item.ts'
import type { MomentOf, VisitMoment } from './visit-lines.ts'

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
    const last = await lastItemNumber(this.#reader)
    const { createdAt: since } = await this.#reader.info()
    const crawl = await atRest(this.#reader)
    return (numbers) => itemMoments(crawl, { last, since, until: this.#now }, numbers)
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
