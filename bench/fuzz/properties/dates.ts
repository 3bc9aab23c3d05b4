// Dates of HTTP: all three forms against the platform's calendar, and waits that stay within their bounds whatever was sent.
import { retryAfterAt, serverNow } from '@avocet/core/plugin'
import { httpDate } from '../../../packages/core/src/laws/retry-after.ts'
import * as fc from 'fast-check'
import assert from 'node:assert/strict'
import { fieldsOf } from '../corpus.ts'
import { mutatedText } from '../mutated.ts'
import { property, type Property } from '../property.ts'

const NOW = Date.UTC(2027, 6, 15, 12)
const MONTH_MS = 30 * 86_400_000
const LONG_DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

/** Whole seconds of the years that four digits have, from 1 on: the platform takes the first hundred for others. */
const moment = fc
  .integer({ min: Date.UTC(101, 0) / 1_000, max: Date.UTC(9999, 11, 31) / 1_000 })
  .map((seconds) => seconds * 1_000)
const nearMoment = fc
  .integer({ min: Date.UTC(1950, 0) / 1_000, max: Date.UTC(2049, 11, 31) / 1_000 })
  .map((seconds) => seconds * 1_000)

function partsOf(at: number): {
  readonly day: string
  readonly date: string
  readonly month: string
  readonly year: string
  readonly time: string
} {
  const [day = '', date = '', month = '', year = '', time = ''] = new Date(at).toUTCString().replace(',', '').split(' ')
  return { day, date, month, year: year.padStart(4, '0'), time }
}

const forms = property(
  { name: 'dates', what: 'a date is the moment that it names, in each of its three forms', runs: 4_000 },
  fc.tuple(moment, nearMoment),
  ([any, near]) => {
    const { day, date, month, year, time } = partsOf(any)
    assert.equal(httpDate(`${day}, ${date} ${month} ${year} ${time} GMT`), any, 'IMF-fixdate')
    assert.equal(httpDate(`${day} ${month} ${date.replace(/^0/, ' ')} ${time} ${year}`), any, 'asctime')
    const old = partsOf(near)
    const longDay = LONG_DAYS[new Date(near).getUTCDay()] ?? ''
    assert.equal(httpDate(`${longDay}, ${old.date}-${old.month}-${old.year.slice(2)} ${old.time} GMT`), near, 'RFC 850')
  },
)

const TOKENS = [
  'GMT',
  'Mon, ',
  'Feb',
  '29',
  '30',
  '31',
  '00',
  '24',
  '60',
  ':',
  '-',
  ' ',
  '  ',
  ',',
  '9999',
  '0000',
  '1e3',
  '+0100',
  '99999999999999999999',
] as const
const dateText = mutatedText({ files: [...fieldsOf('Date'), ...fieldsOf('Retry-After')], tokens: TOKENS })
const loose = fc.oneof(dateText, fc.stringMatching(/^(Mon|Sun), [0-3]\d (Jan|Feb|Apr|Dec) \d{4} [0-2]\d:[0-6]\d:[0-6]\d GMT$/))

const strict = property(
  { name: 'dates-strict', what: 'what is read as a date is a moment, and written as a date', runs: 4_000 },
  loose,
  (text) => {
    const at = httpDate(text)
    if (at === undefined) return
    assert.ok(Number.isSafeInteger(at))
    assert.match(text, /^[A-Z][a-z]{2,8},? /)
  },
)

const waits = property(
  { name: 'retry-after', what: 'a server asks for a wait of no less than nothing and of 30 days at most', runs: 4_000 },
  fc.record({
    after: fc.array(loose, { minLength: 1, maxLength: 2 }),
    date: fc.option(loose),
    age: fc.option(fc.oneof(fc.stringMatching(/^\d{1,12}$/), fc.string())),
  }),
  ({ after, date, age }) => {
    const headers = { 'retry-after': after, ...(date !== null && { date }), ...(age !== null && { age }) }
    const at = retryAfterAt(headers, NOW)
    assert.ok(at === undefined || (at >= NOW && at <= NOW + MONTH_MS), String(at))
    assert.ok(Number.isFinite(serverNow(headers, NOW)))
  },
)

/** All of this file. */
export const DATE_PROPERTIES: readonly Property[] = [forms, strict, waits]
