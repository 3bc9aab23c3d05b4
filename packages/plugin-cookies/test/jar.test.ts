// Which cookies an answer sets, and which requests they are sent with: RFC 6265, as tables.
import { describe, expect, it } from 'vitest'
import { cookiesFor, put, trimmed, type Cookie } from '../src/jar.ts'
import { jarOf as jarOfSession, merged, setJar, trimSessions } from '../src/memory.ts'
import { cookieOf, isSafe, registrableSite } from '../src/set-cookie.ts'

const NOW = Date.UTC(2026, 5, 1)
const SHOP = 'https://www.shop.example/tea/green'

/** What `fields` of an answer of `from` leave in a jar. */
function jarOf(fields: readonly string[], from = SHOP, { at = NOW, seq = 1, jar = [] as Cookie[] } = {}): Cookie[] {
  const url = new URL(from)
  for (const field of fields) {
    const cookie = cookieOf(field, { url, now: at, serverNow: at, at, seq })
    if (cookie !== undefined) put(jar, cookie, isSafe(url))
  }
  return jar
}

/** The field of a request of `to`. */
function sent(jar: readonly Cookie[], to: string, { now = NOW, method = 'GET', from = to } = {}): string {
  const url = new URL(to)
  const isCrossSite = (): boolean => registrableSite(new URL(from).hostname) !== registrableSite(url.hostname)
  const cookies = cookiesFor(jar, { url, method, isSafe: isSafe(url), isCrossSite, now })
  return cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
}

describe('a cookie', () => {
  it.each([
    [
      'of a host',
      'a=1',
      { 'https://www.shop.example/tea/x': true, 'https://shop.example/tea/x': false, 'https://b.www.shop.example/tea/x': false },
    ],
    [
      'of a domain',
      'a=1; Domain=.Shop.Example',
      { 'https://shop.example/tea/': true, 'https://b.shop.example/tea': true, 'https://myshop.example/tea': false },
    ],
    ['of another domain', 'a=1; Domain=other.example', { [SHOP]: false, 'https://other.example/tea/': false }],
    ['of a subdomain', 'a=1; Domain=b.www.shop.example', { [SHOP]: false, 'https://b.www.shop.example/tea/': false }],
    [
      'without a path',
      'a=1',
      { 'https://www.shop.example/tea': true, 'https://www.shop.example/teapot': false, 'https://www.shop.example/': false },
    ],
    ['of a path', 'a=1; Path=/', { 'https://www.shop.example/': true, 'https://www.shop.example/x': true }],
    ['of a path that is none', 'a=1; Path=tea', { [SHOP]: true, 'https://www.shop.example/': false }],
    ['of another path', 'a=1; Path=/cart/', { 'https://www.shop.example/cart/1': true, 'https://www.shop.example/cart': false }],
    ['that is secure', 'a=1; Secure; Path=/', { 'https://www.shop.example/': true, 'http://www.shop.example/': false }],
    ['for scripts or not', 'a=1; HttpOnly', { [SHOP]: true }],
    ['with quotes', 'a="1 2"', { [SHOP]: true }],
    ['with a control character', 'a=1\u0001', { [SHOP]: false }],
    ['beyond what a field can carry', 'a=ř', { [SHOP]: false }],
    ['of 4,096 bytes', `a=${'x'.repeat(4_095)}`, { [SHOP]: true }],
    ['of 4,097 bytes', `a=${'x'.repeat(4_096)}`, { [SHOP]: false }],
    ['of nothing', '', { [SHOP]: false }],
    ['of a sign', '=', { [SHOP]: false }],
    ['with __Secure-', '__Secure-a=1; Secure', { [SHOP]: true }],
    ['with __Secure-, and not secure', '__Secure-a=1', { [SHOP]: false }],
    ['with __Host-', '__Host-a=1; Secure; Path=/', { [SHOP]: true }],
    ['with __Host- and a domain', '__Host-a=1; Secure; Path=/; Domain=shop.example', { [SHOP]: false }],
    ['with __Host- and no path', '__Host-a=1; Secure', { [SHOP]: false }],
  ])('%s', (_what, field, where) => {
    const jar = jarOf([field])

    expect(Object.fromEntries(Object.keys(where).map((to) => [to, sent(jar, to) !== '']))).toEqual(where)
  })

  it.each([
    ['https://a.co.uk/', 'co.uk', ''],
    ['https://a.github.io/', 'github.io', ''],
    ['http://192.0.2.1/', '192.0.2.1', 'a=1'],
    ['http://192.0.2.1/', '2.1', ''],
    ['http://localhost/', 'localhost', 'a=1'],
  ])('of %s is not set for the public suffix %s', (from, domain, field) => {
    expect(sent(jarOf([`a=1; Domain=${domain}`], from), from)).toBe(field)
  })

  it('of a public suffix that is a host itself is for that host alone', () => {
    const jar = jarOf(['a=1; Domain=github.io'], 'https://github.io/')

    expect([sent(jar, 'https://github.io/'), sent(jar, 'https://a.github.io/')]).toEqual(['a=1', ''])
  })

  it.each([
    ['a=1; Max-Age=60', 59_999, 60_000],
    ['a=1; Max-Age=60; Expires=Mon, 01 Jun 2026 00:00:01 GMT', 59_999, 60_000],
    ['a=1; Expires=Mon, 01 Jun 2026 00:00:10 GMT', 9_999, 10_000],
    ['a=1; Max-Age=999999999', 400 * 86_400_000 - 1, 400 * 86_400_000],
  ])('%s is sent for %d ms, and not after %d ms', (field, last, first) => {
    const jar = jarOf([field])

    expect([sent(jar, SHOP, { now: NOW + last }), sent(jar, SHOP, { now: NOW + first })]).toEqual(['a=1', ''])
  })

  it.each(['a=; Max-Age=0', 'a=; Max-Age=-1', 'a=x; Expires=Thu, 01 Jan 1970 00:00:00 GMT'])('is taken back by %s', (field) => {
    const jar = jarOf(['a=1', 'b=2'])

    expect(sent(jarOf([field], SHOP, { at: NOW + 5, seq: 2, jar }), SHOP, { now: NOW + 5 })).toBe('b=2')
  })

  it('with SameSite goes where a navigation takes it', () => {
    const jar = jarOf(['s=1; SameSite=Strict', 'l=1; SameSite=Lax', 'n=1; SameSite=None; Secure', 'x=1; SameSite=what'])
    const from = 'https://other.example/'

    expect(sent(jar, SHOP, { from: 'https://m.shop.example/' })).toBe('s=1; l=1; n=1; x=1')
    expect(sent(jar, SHOP, { from })).toBe('l=1; n=1; x=1')
    expect(sent(jar, SHOP, { from, method: 'POST' })).toBe('n=1; x=1')
  })

  it.each([
    ['http://127.0.0.1/', 'a=1'],
    ['http://127.9.8.7:8080/', 'a=1'],
    ['http://[::1]/', 'a=1'],
    ['http://a.localhost/', 'a=1'],
    ['http://127.evil.example/', ''],
    ['http://127.0.0.1.nip.example/', ''],
    ['http://[::2]/', ''],
    ['http://128.0.0.1/', ''],
  ])('that is secure goes to %s as %j: in clear only to this machine', (to, field) => {
    const { host } = new URL(to)

    expect(sent(jarOf(['a=1; Secure; Path=/'], `https://${host}/`), to)).toBe(field)
  })

  it('of https: is not replaced over http:', () => {
    const jar = jarOf(['a=1; Secure; Path=/'], 'https://shop.example/')
    jarOf(['a=2; Path=/', 'a=3; Path=/x'], 'http://shop.example/x/', { at: NOW + 9, seq: 2, jar })

    expect(sent(jar, 'https://shop.example/x/')).toBe('a=1')
  })
})

describe('a jar', () => {
  it('sends longer paths first, and then older cookies', () => {
    const jar = jarOf(['new=1; Path=/'], SHOP, { at: NOW + 1, seq: 2, jar: jarOf(['old=1; Path=/', 'deep=1']) })

    expect(sent(jar, SHOP, { now: NOW + 2 })).toBe('deep=1; old=1; new=1')
  })

  it('does not let an answer undo what a later request was answered with', () => {
    const jar = jarOf(['sid=out', 'cart=1'])
    jarOf(['sid=in', 'cart=; Max-Age=0'], SHOP, { at: NOW + 2, seq: 3, jar })
    jarOf(['sid=out', 'cart=1'], SHOP, { at: NOW + 1, seq: 2, jar })

    expect(sent(jar, SHOP, { now: NOW + 3 })).toBe('sid=in')
  })

  it('orders requests of one moment by their number', () => {
    const jar = jarOf(['sid=2'], SHOP, { seq: 2 })

    expect(sent(jarOf(['sid=1'], SHOP, { seq: 1, jar }), SHOP)).toBe('sid=2')
  })

  it('keeps 50 cookies of a domain: those that were used last', () => {
    const jar = jarOf(Array.from({ length: 60 }, (_, n) => `c${n}=1; Path=/`))
    sent(jar.slice(0, 20), SHOP, { now: NOW + 7_200_000 })
    const kept = trimmed(jar, { now: NOW + 7_200_000, maxCharacters: Infinity })

    expect(kept).toHaveLength(50)
    expect(kept.filter(({ name }) => Number(name.slice(1)) < 20)).toHaveLength(20)
  })

  it('throws away what has expired before what has not', () => {
    const jar = jarOf([...Array.from({ length: 50 }, (_, n) => `c${n}=1`), 'short=1; Max-Age=1'])

    expect(trimmed(jar, { now: NOW + 1_000, maxCharacters: Infinity }).map(({ name }) => name)).not.toContain('short')
    expect(trimmed(jar, { now: NOW + 1_000, maxCharacters: Infinity })).toHaveLength(50)
  })

  it('has no more characters than its memory may have', () => {
    const jar = jarOf(Array.from({ length: 50 }, (_, n) => `c${n}=${'x'.repeat(4_000)}`))
    const kept = trimmed(jar, { now: NOW, maxCharacters: 48 * 1_024 })

    expect(JSON.stringify(kept).length).toBeLessThanOrEqual(48 * 1_024)
    expect(kept.length).toBeGreaterThan(9)
  })

  it('forgets after ten minutes that a cookie was taken back', () => {
    const jar = jarOf(['a=; Max-Age=0'])

    expect(trimmed(jar, { now: NOW + 599_999, maxCharacters: 9_999 })).toHaveLength(1)
    expect(trimmed(jar, { now: NOW + 600_000, maxCharacters: 9_999 })).toEqual([])
  })

  it('of one session does not push out those of another', () => {
    const small = jarOf(['sid=1'])
    const jars = { sessions: { small, large: jarOf(Array.from({ length: 50 }, (_, n) => `c${n}=${'x'.repeat(4_000)}`)) } }
    trimSessions(jars, NOW)

    expect(jars.sessions.small).toEqual(small)
    expect(JSON.stringify(jars).length).toBeLessThan(50 * 1_024)
  })

  it('of each of many full sessions has its share of one memory', () => {
    const full = (): Cookie[] => jarOf(Array.from({ length: 50 }, (_, n) => `c${n}=${'x'.repeat(500)}`))
    const jars = { sessions: Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`s${n}`, full()])) }
    trimSessions(jars, NOW)
    const sizes = Object.values(jars.sessions).map((jar) => JSON.stringify(jar).length)

    expect(JSON.stringify(jars).length).toBeLessThanOrEqual(48 * 1_024 + 20)
    expect(sizes).toHaveLength(10)
    expect(Math.min(...sizes)).toBeGreaterThan(4_000)
  })

  it('of each of so many sessions that a share has no room for a cookie is kept whole, or not at all: those that were used last', () => {
    const jarAt = (n: number): Cookie[] => jarOf([`sid=${'x'.repeat(32)}`], SHOP, { at: NOW + n })
    const jars = { sessions: Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`s${n}`, jarAt(n)])) }
    const isCut = trimSessions(jars, NOW + 1_000)
    const kept = Object.values(jars.sessions).map((jar) => jar.length)

    expect(isCut).toBe(true)
    expect([Math.min(...kept), kept.length > 200]).toEqual([1, true])
    expect(Object.keys(jars.sessions)).toEqual(Array.from({ length: kept.length }, (_, n) => `s${1_000 - kept.length + n}`))
    expect(JSON.stringify(jars).length).toBeLessThanOrEqual(48 * 1_024 + 20)
  })

  it('of each of many sessions that two processes filled has its share of one memory', () => {
    const left = (process: number): Parameters<typeof merged>[0] => {
      const full = (): Cookie[] => jarOf(Array.from({ length: 50 }, (_, n) => `c${n}=${'x'.repeat(500)}`))
      const jars = { sessions: Object.fromEntries(Array.from({ length: 5 }, (_, n) => [`s${process}-${n}`, full()])) }
      trimSessions(jars, NOW)
      return jars
    }
    const both = merged(left(1), left(2))

    expect(Object.keys(both.sessions)).toHaveLength(10)
    expect(JSON.stringify(both).length).toBeLessThanOrEqual(48 * 1_024 + 20)
  })

  it('of two processes has what was set last', () => {
    const first = { sessions: { alice: jarOf(['a=1', 'b=1']), bob: jarOf(['c=1']) } }
    const second = { sessions: { alice: jarOf(['a=2', 'd=1'], SHOP, { at: NOW + 1 }) } }
    for (const both of [merged(first, second), merged(second, first)]) {
      expect(
        sent(both.sessions['alice'] ?? [], SHOP, { now: NOW + 2 })
          .split('; ')
          .toSorted(),
      ).toEqual(['a=2', 'b=1', 'd=1'])
      expect(sent(both.sessions['bob'] ?? [], SHOP)).toBe('c=1')
    }
  })
})

describe('what a site took back', () => {
  it.each([
    ['', 399 * 86_400_000],
    ['; Max-Age=8640000', 99 * 86_400_000],
  ])('does not come back from what another process remembers of it: %s', (lifetime, laterMs) => {
    const theirs = jarOf([`sid=OLD; Path=/${lifetime}`])
    const mine = { sessions: { alice: jarOf(['sid=; Path=/; Max-Age=0'], SHOP, { at: NOW + 1_000, seq: 2, jar: [...theirs] }) } }
    for (const now of [NOW + 2_000, NOW + laterMs]) trimSessions(mine, now)

    for (const joined of [merged(mine, { sessions: { alice: theirs } }), merged({ sessions: { alice: theirs } }, mine)])
      expect(sent(jarOfSession(joined, 'alice') ?? [], SHOP, { now: NOW + laterMs })).toBe('')
  })
})

describe('a session', () => {
  it.each(['constructor', '__proto__', 'toString'])('may be called %s', (name) => {
    const jars = { sessions: {} }
    expect(jarOfSession(jars, name)).toBeUndefined()

    setJar(jars, name, jarOf(['a=1; Path=/']))
    trimSessions(jars, NOW)
    const again = merged({ sessions: {} }, JSON.parse(JSON.stringify(jars)) as typeof jars)

    expect(sent(jarOfSession(again, name) ?? [], SHOP)).toBe('a=1')
  })
})
