// The laws of reuse: how long a response is fresh, and which requests it answers.
import { describe, expect, it } from 'vitest'
import {
  directivesOf,
  msOf,
  freshUntil,
  confirmedBy,
  isConditionMet,
  reusableOf,
  reuseFor,
  type AsSent,
} from '../src/cache/http-rules.ts'

const AT = Date.UTC(2026, 2, 1, 12)
const DATE = 'Sun, 01 Mar 2026 12:00:00 GMT'
const LATER = 'Sun, 01 Mar 2026 12:01:00 GMT'

describe('directives', () => {
  it.each([
    ['max-age=60', { 'max-age': '60' }],
    ['Max-Age="60" , no-cache="set-cookie, x"', { 'max-age': '60', 'no-cache': 'set-cookie, x' }],
    ['max-age=60, max-age=60', { 'max-age': '60' }],
    ['max-age=60, max-age=90', { 'max-age': 'several' }],
    ['private="unclosed, no-store', { private: '', unclosed: '', 'no-store': '' }],
    ['', {}],
    ['x'.repeat(5_000), { 'no-store': '' }],
  ])('of %j', (text, found) => {
    expect(Object.fromEntries(directivesOf({ 'cache-control': text }))).toEqual(found)
  })

  it.each([
    ['0', 0],
    ['60', 60_000],
    ['2147483648', 2_147_483_648_000],
    ['99999999999999999999', 2_147_483_648_000],
    ['-1', 0],
    ['NaN', 0],
    ['1.5', 0],
    ['', 0],
  ])('give whole seconds: %j', (value, ms) => {
    expect(msOf(new Map([['max-age', value]]), 'max-age')).toBe(ms)
  })
})

describe('a response is fresh', () => {
  it.each([
    ['for its max-age', { 'cache-control': 'max-age=60' }, 60_000],
    ['for its max-age, whatever Expires says', { 'cache-control': 'max-age=60', date: DATE, expires: DATE }, 60_000],
    ['less what caches on the way had it for', { 'cache-control': 'max-age=60', age: '50' }, 10_000],
    ['never, where its age is no number', { 'cache-control': 'max-age=60', age: 'old' }, -Infinity],
    ['from Date to Expires', { date: DATE, expires: LATER }, 60_000],
    [
      'from Date to Expires, by a clock a year behind',
      { date: DATE.replace('2026', '2025').replace('Sun', 'Sat'), expires: LATER.replace('2026', '2025').replace('Sun', 'Sat') },
      60_000,
    ],
    ['as long as ours says, by a clock that was never set', { date: 'Thu, 01 Jan 1970 00:00:00 GMT', expires: LATER }, 60_000],
    ['until Expires by our clock, without Date', { expires: LATER }, 60_000],
    ['not at all, with Expires: 0', { date: DATE, expires: '0' }, 0],
    ['not at all, with an Expires before its Date', { date: LATER, expires: DATE }, 0],
    ['for two max-ages not at all', { 'cache-control': ['max-age=60', 'max-age=90'] }, 0],
  ])('%s', (_what, headers, ms) => {
    expect(freshUntil(headers, AT)).toBe(AT + ms)
  })

  it('for an unknown time, where only shared caches are told', () => {
    expect(freshUntil({ 'cache-control': 's-maxage=60', 'last-modified': DATE }, AT)).toBeUndefined()
  })
})

const digest = (_field: string, value: string): string => `#${value}`
const asked = (more: Partial<AsSent['request']> = {}, sent: AsSent['sent'] = {}): AsSent => ({
  request: { method: 'GET', url: 'http://a.example/', ...more },
  sent,
})
const ok = (headers: Record<string, string> = {}, status = 200) => ({
  status,
  headers: { 'cache-control': 'max-age=60', ...headers },
})
const noted = (response = ok(), as = asked()) => reusableOf(as, response, { at: AT, digest })

describe('a response answers later requests', () => {
  it.each([200, 203, 204, 300, 301, 302, 308, 404, 410])('with status %d', (status) =>
    expect(noted(ok({}, status))).toBeDefined(),
  )
  it.each([206, 304, 500, 503])('but not with status %d', (status) => expect(noted(ok({}, status))).toBeUndefined())

  it.each([
    ['a POST', asked({ method: 'POST' })],
    ['a part', asked({}, { range: 'bytes=0-1' })],
    ['a page that a browser renders', asked({ render: 'browser' })],
    ['a URL with a secret', asked({ url: 'http://a.example/?token=__secret__' })],
    ['a request that wants nothing kept', asked({}, { 'cache-control': 'no-store' })],
  ])('but not to %s', (_what, as) => {
    expect(noted(ok(), as)).toBeUndefined()
    expect(reuseFor(noted() as never, as, { now: AT, digest })).toBe('other')
  })

  it('but not where too many fields vary, or their values cannot be compared', () => {
    const many = Array.from({ length: 33 }, (_, at) => `x-${at}`).join()
    expect(noted(ok({ vary: many }))).toBeUndefined()
    expect(reusableOf(asked({}, { cookie: 'a=1' }), ok(), { at: AT, digest: () => undefined })).toBeUndefined()
  })
})

describe('a kept response', () => {
  const verdict = (now: number, as = asked(), response = ok()): string => reuseFor(noted(response) as never, as, { now, digest })

  it('is fresh up to its last ms, and stale from then on, and before it was there', () => {
    expect([AT - 1, AT, AT + 59_999, AT + 60_000].map((now) => verdict(now))).toEqual(['stale', 'fresh', 'fresh', 'stale'])
  })

  it.each([
    ['no-cache', asked(), ok({ 'cache-control': 'max-age=60, no-cache' })],
    ['a request that wants no kept one', asked({}, { 'cache-control': 'no-cache' }), ok()],
    ['a request of another time', asked({ again: AT + 1 }), ok()],
  ])('is stale for %s', (_what, as, response) => expect(verdict(AT + 1, as, response)).toBe('stale'))

  it('is fresh for what was asked for again before it came', () => expect(verdict(AT + 1, asked({ again: AT }))).toBe('fresh'))

  it('is another for another cookie, credentials, or field that varies', () => {
    for (const field of ['cookie', 'authorization', 'accept-language'])
      expect(verdict(AT, asked({}, { [field]: 'x' }), ok({ vary: 'Accept-Language, ' }))).toBe('other')
  })

  it('is as long fresh as a 304 says, or as it said itself, without its old age; and never with no-store or another Vary', () => {
    const before = noted(ok({ age: '59' })) as never
    const after = (headers: Record<string, string>) => confirmedBy(before, { status: 304, headers }, AT + 90_000)
    expect(reuseFor(after({}) as never, asked(), { now: AT + 149_999, digest })).toBe('fresh')
    expect(reuseFor(after({ 'cache-control': 'max-age=1' }) as never, asked(), { now: AT + 91_000, digest })).toBe('stale')
    expect([after({ 'cache-control': 'no-store' }), after({ vary: 'accept' })]).toEqual([undefined, undefined])
  })

  it('is what a condition asks for by its tag, weakly compared, else by its date', () => {
    const headers = { etag: 'W/"1"', 'last-modified': DATE }
    expect(isConditionMet(headers, { 'if-none-match': '"1"' })).toBe(true)
    expect(isConditionMet(headers, { 'if-none-match': '"2"', 'if-modified-since': DATE })).toBe(false)
    expect([isConditionMet(headers, { 'if-modified-since': DATE }), isConditionMet(headers, {})]).toEqual([true, false])
  })
})
