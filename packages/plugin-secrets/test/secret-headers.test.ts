// Credentials of links and seeds: for whom a reference stands for a value, and for whom it does not.
import { describe, expect, it } from 'vitest'
import { BoundedTexts } from '../src/secret-parameters.ts'
import { SecretHeaders } from '../src/secret-headers.ts'

const FIELDS = ['authorization', 'cookie']

const SHOP = 'https://shop.test/a'
const OTHER = 'https://other.test/a'

describe('the cookie of a link', () => {
  it('is sent to the origin that it was given for, and is unknown at any other', () => {
    const headers = new SecretHeaders(FIELDS)
    const hidden = headers.hidden({ cookie: 'sid=1' }, { url: SHOP })

    expect(hidden['cookie']).not.toContain('sid')
    expect(headers.revealed(hidden, 'https://shop.test/b')).toEqual({ headers: { cookie: 'sid=1' } })
    expect(headers.revealed(hidden, OTHER)).toEqual({ unknown: 'cookie' })
    expect(headers.revealed(hidden, 'http://shop.test/a')).toEqual({ unknown: 'cookie' })
  })

  it('is that of its own account where two are distinguished', () => {
    const headers = new SecretHeaders(FIELDS)
    const one = headers.hidden({ cookie: 'sid=1' }, { url: SHOP, identity: '"one"' })
    const two = headers.hidden({ cookie: 'sid=2' }, { url: SHOP, identity: '"two"' })

    expect(headers.revealed(one, SHOP)).toEqual({ headers: { cookie: 'sid=1' } })
    expect(headers.revealed(two, SHOP)).toEqual({ headers: { cookie: 'sid=2' } })
  })

  it('is its own where two links of one origin give different ones', () => {
    const headers = new SecretHeaders(FIELDS)
    const one = headers.hidden({ cookie: 'sid=1' }, { url: SHOP })
    const two = headers.hidden({ cookie: 'sid=2' }, { url: SHOP })

    expect(headers.revealed(one, SHOP)).toEqual({ headers: { cookie: 'sid=1' } })
    expect(headers.revealed(two, SHOP)).toEqual({ headers: { cookie: 'sid=2' } })
  })

  it('is unknown in another process, unless a seed gives one for that origin', () => {
    const hidden = new SecretHeaders(FIELDS).hidden({ cookie: 'sid=1' }, { url: SHOP })
    const later = new SecretHeaders(FIELDS)

    expect(later.revealed(hidden, SHOP)).toEqual({ unknown: 'cookie' })
    later.hidden({ cookie: 'sid=9' }, { url: SHOP, isSeed: true })
    expect(later.revealed(hidden, SHOP)).toEqual({ headers: { cookie: 'sid=9' } })
  })
})

describe('the authorization of a seed', () => {
  it('is that of the first seed of its origin', () => {
    const headers = new SecretHeaders(FIELDS)
    const first = headers.hidden({ authorization: 'Bearer 1' }, { url: SHOP, isSeed: true })
    headers.hidden({ authorization: 'Bearer 2' }, { url: SHOP, isSeed: true })

    expect(headers.revealed(first, SHOP)).toEqual({ headers: { authorization: 'Bearer 1' } })
  })

  it('is that of its own account where two seeds of one origin are distinguished, also in a later process', () => {
    const [first, later] = [new SecretHeaders(FIELDS), new SecretHeaders(FIELDS)]
    const given = (headers: SecretHeaders, n: 1 | 2): Readonly<Record<string, string>> =>
      headers.hidden({ authorization: `Bearer ${n}` }, { url: SHOP, identity: `"${n}"`, isSeed: true })
    given(first, 1)
    const two = given(first, 2)
    given(later, 1)
    given(later, 2)

    expect(first.revealed(two, SHOP)).toEqual({ headers: { authorization: 'Bearer 2' } })
    expect(later.revealed(two, SHOP)).toEqual({ headers: { authorization: 'Bearer 2' } })
  })

  it('leaves other fields as they are', () => {
    const plain = { accept: 'text/html' }
    expect(new SecretHeaders(FIELDS).hidden(plain, { url: SHOP })).toBe(plain)
  })
})

describe('texts that are bounded', () => {
  it('forget the oldest when they hold too many characters', () => {
    const texts = new BoundedTexts(10)
    texts.set('a', '1234')
    texts.set('b', '1234')
    texts.set('c', '12')

    expect(texts.has('a')).toBe(false)
    expect([...texts.values()]).toEqual(['1234', '12'])
  })
})
