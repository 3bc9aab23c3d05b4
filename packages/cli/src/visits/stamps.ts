// Law: fields that say when a visit was. They differ each time, and are no change of the page.
//
// A stamp is a field that all items have, in each of the newest visits, whose value is a moment (ISO 8601 with a time, or seconds or milliseconds since 1970),
// and later in each visit than in the one before. From two visits nobody can tell a stamp from a date that has changed, so it takes three.
import type { ReadVisit } from './read-item.ts'

const LEAST_VISITS = 3
/** More would say nothing else. */
const MOST_VISITS = 10

/** Their names, from visits with the newest first. */
export function stampsOf(visits: readonly ReadVisit[]): ReadonlySet<string> {
  const newest = visits.slice(0, MOST_VISITS)
  const value = newest[0]?.items[0]?.value
  if (newest.length < LEAST_VISITS || typeof value !== 'object' || value === null) return new Set()
  // Two visits that brought the same have no stamp: then nothing else is parsed for it.
  const isSame = newest.slice(1).some(({ items }, index) => items[0]?.json === newest[index]?.items[0]?.json)
  return new Set(isSame ? [] : Object.keys(value).filter((name) => isStamp(name, newest)))
}

function isStamp(name: string, visits: readonly ReadVisit[]): boolean {
  let before = Infinity
  for (const { items } of visits) {
    const moments = items.map((item) => momentOf(item.field(name)))
    if (!moments.every((moment) => moment < before)) return false
    before = Math.min(...moments)
  }
  return true
}

const ISO_MOMENT = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/
/** From 2001 to 2100. */
const [FIRST_S, LAST_S] = [1e9, 4.1e9]

/** Epoch ms; NaN of what is no moment. */
function momentOf(value: unknown): number {
  if (typeof value === 'string') return ISO_MOMENT.test(value) ? Date.parse(value) : NaN
  if (typeof value !== 'number') return NaN
  if (value >= FIRST_S && value <= LAST_S) return value * 1_000
  return value >= FIRST_S * 1_000 && value <= LAST_S * 1_000 ? value : NaN
}
