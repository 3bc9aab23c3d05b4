// What the items of a page say, as one number: equal for items that differ only in the URL of their page, in when it was fetched, and in the date of a page of
// dates.
import { textHash } from './text-hash.ts'

/** Characters that are looked at. */
const MAX_CHARACTERS = 8_192
/** Moments as `Date` writes them into JSON: what a handler notes of the visit, not of the page. */
const MOMENT = /"\d{4}-\d\d-\d\dT[\d:.]+Z"/g

/** A negative key, so that no content has it. `dateNumbers`: nothing follows from such a number. */
export function itemsKey(items: readonly string[], url: string, dateNumbers: ReadonlySet<number>): number {
  let text = ''
  for (const item of items) {
    text += item.slice(0, MAX_CHARACTERS - text.length)
    if (text.length >= MAX_CHARACTERS) break
  }
  const path = url.slice(url.indexOf('/', url.indexOf('//') + 2))
  const known = text.replaceAll(MOMENT, '').replaceAll(url, '').replaceAll(`"${path}"`, '')
  const undated =
    dateNumbers.size === 0 ? known : known.replaceAll(/\d+/g, (digits) => (dateNumbers.has(Number(digits)) ? '' : digits))
  return -1 - textHash(undated)
}
