// The moment that a date of a feed names: RFC 3339 as Atom has it, or RFC 822 as RSS has it, with what people make of both.

/** Of RFC 822 §5.1; the platform knows these, and no other names. */
const ZONED = /(?:Z|[+-]\d{2}:?\d{2}|\b(?:GMT|UTC|UT|[ECMP][SD]T))$/i
const ISO = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?)?/
const RFC_822 = /^(?:[A-Za-z]{3,9},? )?\d{1,2} [A-Za-z]{3,9} \d{2,4} \d{1,2}:\d{2}(?::\d{2})?/
const MAX_CHARACTERS = 64

/** Epoch ms; undefined for what is no date. A date without a zone is UTC. */
export function feedTime(text: string | undefined): number | undefined {
  const date = text?.trim() ?? ''
  if (date === '' || date.length > MAX_CHARACTERS) return undefined
  const form = ISO.exec(date)?.[0] ?? RFC_822.exec(date)?.[0]
  if (form === undefined) return undefined
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(date)
  const zone = date.slice(form.length).trim()
  if (!isDay && zone !== '' && !ZONED.test(zone)) return undefined
  const iso = ISO.test(date) ? form.replace(' ', 'T').replace(',', '.') : form
  const at = Date.parse(
    isDay ? date : `${iso}${iso === form && !ISO.test(date) ? ' ' : ''}${zone === '' ? 'Z' : zone.replace(/^UT$/i, 'UTC')}`,
  )
  return Number.isNaN(at) ? undefined : at
}
