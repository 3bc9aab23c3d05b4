// What was done to given-up pages in the store itself. Nobody has to carry it out: it is listed among the orders, and counted by the runs that hear of it.
import { AvocetError } from '../errors.ts'
import { shown } from '../shown.ts'

/** Given-up pages that were retried, or dropped. */
export interface GivenUpChange {
  /** Among the orders that are listed. */
  readonly kind: 'given-up'
  /** Retried: they wait again. Dropped: nobody looks at them any more. */
  readonly done: 'retried' | 'dropped'
  /** How many. */
  readonly pages: number
  /** By how many the settled requests became more; negative where they wait again. */
  readonly settled: number
}

/** Throws AVO_USAGE for numbers that cannot be. */
export function assertGivenUpChange({ pages, settled }: GivenUpChange): void {
  if (!(Number.isSafeInteger(pages) && pages > 0)) throw wrong('how many given-up pages, 1 or more', pages)
  if (!(Number.isSafeInteger(settled) && Math.abs(settled) <= pages))
    throw wrong('by how many the settled requests became more, at most as many as pages', settled)
}

function wrong(expected: string, got: number): AvocetError {
  return new AvocetError('AVO_USAGE', `expected ${expected}, got ${shown(got)}`)
}
