// Dates as sitemaps and feeds write them. What cannot be a date of a web page is none.
//
// A day without a time counts as its end: a page that was fetched in the morning may have been modified in the afternoon, and is visited once more in a run.
// Sources: W3C NOTE-datetime; RFC 822 §5.

const DAY_MS = 86_400_000
/** The web is younger, and 1970 is what a program writes that has no date. */
const EARLIEST = Date.UTC(1990, 0, 1)
/** A date has some 30 characters; `Date.parse` looks at all that it is given. */
const MOST_CHARACTERS = 64
const W3C = /^(\d{4})(?:-(\d{2})(?:-(\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2})?)(?:[.,]\d{1,9})?\s*(Z|[+-]\d{2}:?\d{2})?)?)?)?$/i
/** As most tools write it: the engine reads it as it is, ten times faster. */
const WHOLE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?(?:Z|[+-]\d\d:\d\d)$/
const RFC_822 = /^(?:[A-Za-z]{3,9},?\s+)?\d{1,2}\s+[A-Za-z]{3,9}\s+\d{2,4}\s+\d{1,2}:\d{2}(?::\d{2})?/
/** Of RFC 822 §5.1; the platform knows these, and takes what it does not know for the zone of the machine. */
const ZONED = /^(?:Z|(?:GMT|UTC)?[+-]\d{2}:?\d{2}|GMT|UTC|UT|[ECMP][SD]T)$/i

/**
 * Epoch ms of a date; undefined where it is none.
 *
 * @example
 * ```ts
 * listDate('2026-11-23T10:00:00+02:00') // 1795420800000
 * listDate('Mon, 23 Nov 2026 08:00:00 GMT') // 1795420800000
 * listDate('2026-11-23') // 1795478400000
 * listDate('yesterday') // undefined
 * ```
 */
export function listDate(written: string): number | undefined {
  const text = written.trim()
  if (text.length > MOST_CHARACTERS) return undefined
  const at = WHOLE.test(text) ? Date.parse(text) : (w3cDate(text) ?? rfc822Date(text))
  return at >= EARLIEST ? at : undefined
}

function w3cDate(text: string): number | undefined {
  const [, year, month, day, time, zone = 'Z'] = W3C.exec(text) ?? []
  if (year === undefined) return undefined
  if (month === undefined || day === undefined) return Date.parse(`${year}-${month ?? '01'}-01T00:00:00Z`)
  if (time === undefined) return Date.parse(`${year}-${month}-${day}T00:00:00Z`) + DAY_MS
  const offset = zone.toUpperCase() === 'Z' ? 'Z' : `${zone.slice(0, 3)}:${zone.slice(-2)}`
  return Date.parse(`${year}-${month}-${day}T${time.length === 5 ? `${time}:00` : time}${offset}`)
}

/** A date without a zone is UTC, on every machine. */
function rfc822Date(text: string): number {
  const form = RFC_822.exec(text)?.[0]
  if (form === undefined) return Number.NaN
  const zone = text.slice(form.length).trim() || 'UTC'
  return ZONED.test(zone) ? Date.parse(`${form} ${zone}`) : Number.NaN
}
