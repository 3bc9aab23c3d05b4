// What the user sets for single hosts, and which pattern counts.
import { describe, expect, it } from 'vitest'
import { compileHostOptions } from '../../src/ports/host-options.ts'

describe('options of single hosts', () => {
  const optionsOf = compileHostOptions({
    '*': { maxRps: 5, delayMs: 100 },
    '*.shop.example': { maxRps: 3 },
    'api.shop.example': { maxRps: 1 },
    'shop.example:8080': { maxInFlight: 2 },
  })

  it.each([
    ['api.shop.example', { maxRps: 1, delayMs: 100 }],
    ['a.b.shop.example', { maxRps: 3, delayMs: 100 }],
    ['shop.example', { maxRps: 5, delayMs: 100 }],
    ['shop.example:8080', { maxRps: 5, delayMs: 100, maxInFlight: 2 }],
    ['api.shop.example:8080', { maxRps: 1, delayMs: 100 }],
    ['b.shop.example:8080', { maxRps: 3, delayMs: 100 }],
    ['__proto__', { maxRps: 5, delayMs: 100 }],
  ])('of %s: the most specific pattern counts, option by option', (hostKey, expected) => {
    expect(optionsOf(hostKey)).toEqual(expected)
  })

  it('of a name hold at every port, except where rights are given', () => {
    const hosts = { 'shop.example': { maxInFlight: 3 }, '[::1]': { maxInFlight: 4 } }

    expect(compileHostOptions(hosts)('shop.example:8080')).toEqual({ maxInFlight: 3 })
    expect(compileHostOptions(hosts)('[::1]:8080')).toEqual({ maxInFlight: 4 })
    expect(compileHostOptions(hosts, { anyPort: false })('shop.example:8080')).toEqual({})
  })
})
