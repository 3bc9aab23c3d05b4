// What names a host, and what names a request.
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fingerprintOf } from '../../src/url/fingerprint.ts'
import { hostKeyOf, hostnameOf } from '../../src/url/host-key.ts'
import { trapReason } from '../../src/url/scope.ts'

describe('hostKeyOf', () => {
  it.each([
    ['https://www.shop.example/a', 'www.shop.example', 'shop.example'],
    ['https://www.shop.example:8443/', 'www.shop.example:8443', 'shop.example'],
    ['http://a.b.co.uk/', 'a.b.co.uk', 'b.co.uk'],
    ['http://me.github.io/', 'me.github.io', 'me.github.io'],
    ['http://127.0.0.1:8080/', '127.0.0.1:8080', '127.0.0.1'],
    ['http://[::1]:8080/', '[::1]:8080', '[::1]'],
    ['http://[::1]/', '[::1]', '[::1]'],
    ['http://localhost/', 'localhost', 'localhost'],
    ['http://u:p@h.example/@x', 'h.example', 'h.example'],
  ])('%s', (url, host, domain) => {
    expect(hostKeyOf(url, 'host')).toBe(host)
    expect(hostKeyOf(url, 'domain')).toBe(domain)
    expect(hostKeyOf(new URL(url), 'host')).toBe(host)
  })

  it('agrees with the WHATWG parser', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true }), (url) => {
        const { href, host } = new URL(url)
        expect(hostKeyOf(href, 'host')).toBe(host)
      }),
    )
  })

  it('gives the name without the port', () => {
    expect(hostnameOf('shop.example:8443')).toBe('shop.example')
    expect(hostnameOf('[::1]')).toBe('[::1]')
  })
})

describe('fingerprintOf', () => {
  const plain = { method: 'GET', canonicalUrl: 'https://shop.example/', handler: 'start' }

  it('is the first 16 bytes of a SHA-1, one byte a character: to change it is to lose every store made before', () => {
    expect(Buffer.from(fingerprintOf(plain), 'latin1').toString('hex')).toBe('8bd3b95f0f8bee5ea756184f6e3b7749')
  })

  it('tells method, URL, handler and body apart', () => {
    const others = [
      { ...plain, method: 'POST' },
      { ...plain, canonicalUrl: 'https://shop.example/a' },
      { ...plain, handler: 'product' },
      { ...plain, body: '' },
      { ...plain, handler: 'start\n' },
      { ...plain, added: '"de"' },
      { ...plain, added: '"fr"' },
      { ...plain, body: '', added: '"fr"' },
    ]

    expect(new Set([plain, ...others].map(fingerprintOf)).size).toBe(9)
  })

  it('cannot be confused by parts that contain one another', () => {
    const part = fc.constantFrom('a', '\n', '"', ',', '[', '')
    const identity = fc.record({
      method: fc.constantFrom('GET', 'PUT'),
      canonicalUrl: part.map((x) => `http://${x}`),
      handler: part,
      body: part,
    })

    fc.assert(
      fc.property(identity, identity, (a, b) => {
        expect(fingerprintOf(a) === fingerprintOf(b)).toBe(JSON.stringify(a) === JSON.stringify(b))
      }),
    )
  })
})

describe('trapReason', () => {
  it.each([
    ['people’s URLs', 'https://shop.example/a/b/c?d=e&f=g', undefined],
    ['32 segments', `https://h.example/${Array.from({ length: 32 }, (_, n) => n).join('/')}`, undefined],
    ['33 segments', `https://h.example/${Array.from({ length: 33 }, (_, n) => n).join('/')}`, 'url-limit'],
    ['64 parameters', `https://h.example/?${'a&'.repeat(63)}a`, undefined],
    ['65 parameters', `https://h.example/?${'a&'.repeat(64)}a`, 'url-limit'],
    ['a segment four times', 'https://h.example/a/b/a/b/a/b/a/b/', undefined],
    ['a segment five times', 'https://h.example/a/b/a/b/a/b/a/b/a', 'trap'],
    ['slashes in the query', `https://h.example/?${'a/'.repeat(50)}`, undefined],
    ['no path', 'https://h.example', undefined],
  ])('%s', (_, url, reason) => {
    expect(trapReason(url)).toBe(reason)
  })
})
