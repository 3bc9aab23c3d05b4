// Retry-After: seconds or one of three date forms, and nothing else.
import { describe, expect, it } from 'vitest'
import { httpDate, retryAfterAt } from '../../src/laws/retry-after.ts'

const NOW = Date.UTC(2026, 0, 1)

describe('Retry-After', () => {
  it.each([
    { field: '120', at: NOW + 120_000 },
    { field: ' 0 ', at: NOW },
    { field: 'Thu, 01 Jan 2026 00:01:00 GMT', at: NOW + 60_000 },
    { field: 'Fri, 31 Dec 1999 23:59:59 GMT', at: NOW },
    { field: '99999999999999999999', at: NOW + 30 * 86_400_000 },
    { field: '-1', at: undefined },
    { field: '+5', at: undefined },
    { field: '1.5', at: undefined },
    { field: 'soon', at: undefined },
    { field: '', at: undefined },
    { field: undefined, at: undefined },
  ])('reads $field', ({ field, at }) => {
    expect(retryAfterAt(field === undefined ? {} : { 'retry-after': field }, NOW)).toBe(at)
  })

  const at = (ms: number): string => new Date(ms).toUTCString()

  it.each([
    { what: 'two hours ahead', date: at(NOW + 7_200_000), field: at(NOW + 7_260_000) },
    { what: 'two hours behind', date: at(NOW - 7_200_000), field: at(NOW - 7_140_000) },
    { what: 'behind, as a cache kept it for 100 s', date: at(NOW - 100_000), age: '100', field: at(NOW + 60_000) },
    { what: 'not told', field: at(NOW + 60_000) },
    { what: 'told in garbage', date: 'yesterday', field: at(NOW + 60_000) },
    { what: 'the beginning of time, and nobody set it', date: at(0), field: at(NOW + 60_000) },
  ])('is a minute by a server clock that is $what', ({ date, age, field }) => {
    const headers = { 'retry-after': field, ...(date !== undefined && { date }), ...(age !== undefined && { age }) }
    expect(retryAfterAt(headers, NOW)).toBe(NOW + 60_000)
  })

  it.each([
    ['2', '2014-11-05T22:39:30Z', 2],
    ['Fri, 31 Dec 1999 23:59:59 GMT', '1999-12-31T23:58:59Z', 60],
    ['this is not a date', '2024-01-01T00:00:00Z', undefined],
  ])('reads %s at %s, of the examples of Chromium and RFC 9110, as %s s', (field, now, seconds) => {
    const at = Date.parse(now)
    expect(retryAfterAt({ 'retry-after': field }, at)).toBe(seconds === undefined ? undefined : at + seconds * 1_000)
  })

  it('is up to a tenth later by chance, and never earlier', () => {
    expect([0, 0.5, 1].map((chance) => retryAfterAt({ 'retry-after': '60' }, NOW, chance))).toEqual([
      NOW + 60_000,
      NOW + 63_000,
      NOW + 66_000,
    ])
  })

  it('is the latest of several', () => {
    expect(retryAfterAt({ 'retry-after': ['5', 'soon', '120'] }, NOW)).toBe(NOW + 120_000)
  })
})

describe('HTTP date', () => {
  // The three forms are the example of RFC 9110 §5.6.7.
  it.each(['Sun, 06 Nov 1994 08:49:37 GMT', 'Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994'])('reads %s', (text) => {
    expect(httpDate(text)).toBe(Date.UTC(1994, 10, 6, 8, 49, 37))
  })

  it.each([
    'Sun, 32 Feb 2026 00:00:00 GMT',
    'Sun, 06 Nov 1994 25:00:00 GMT',
    '2026-01-01',
    'Sun, 06 Nov 1994 08:49:37 UTC',
    'sun, 06 nov 1994 08:49:37 gmt',
  ])('refuses %s', (text) => {
    expect(httpDate(text)).toBeUndefined()
  })

  it('takes a two-digit year from 50 on to be one of the last century', () => {
    expect(httpDate('Friday, 01-Jan-49 00:00:00 GMT')).toBe(Date.UTC(2049, 0, 1))
    expect(httpDate('Sunday, 01-Jan-50 00:00:00 GMT')).toBe(Date.UTC(1950, 0, 1))
  })
})
