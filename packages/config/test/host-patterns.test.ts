// Patterns of `hosts` that no host can match are refused, with what to write.
import { describe, expect, it } from 'vitest'
import { checkRunnable } from '../src/check-crawl.ts'
import { HOSTS_RULE, LIMITS_RULE, unmatchedPattern } from '../src/host-rules.ts'

const problemOf = (pattern: string, keying: 'host' | 'domain' = 'host'): string | undefined =>
  unmatchedPattern({ [pattern]: { maxRps: 1 } }, keying)

describe('a pattern of hosts', () => {
  it.each(['*', 'shop.example', '*.shop.example', 'shop.example:8080', '*.example', '[::1]:8080', '127.0.0.1'])(
    'that may match a host is taken: %s',
    (pattern) => {
      expect(problemOf(pattern)).toBeUndefined()
    },
  )

  it.each([
    ['shop.example:443', "a default port is no part of a host; write 'shop.example'"],
    ['*.shop.example:80', "a default port is no part of a host; write '*.shop.example'"],
    ['shop.example:0', 'expected a port from 1 to 65535, got 0'],
    ['shop.example:99999', 'expected a port from 1 to 65535, got 99999'],
  ])('with a port that no host has is refused: %s', (pattern, why) => {
    expect(problemOf(pattern)).toBe(`hosts: '${pattern}' matches no host: ${why}`)
  })

  it.each(['www.shop.example', '*.shop.example', '*.www.shop.example', 'shop.example:8080'])(
    'below a domain is refused where hosts are domains: %s',
    (pattern) => {
      expect(problemOf(pattern, 'domain')).toContain(
        "with hostKeying 'domain' hosts are registrable domains without a port; write 'shop.example'",
      )
    },
  )

  it.each(['*', 'shop.example', '*.example', '*.co.uk', 'localhost', '127.0.0.1'])(
    'that is a domain, or all below a suffix, is taken where hosts are domains: %s',
    (pattern) => {
      expect(problemOf(pattern, 'domain')).toBeUndefined()
    },
  )

  it('that speaks of private addresses alone goes by host, with any keying', () => {
    expect(unmatchedPattern({ 'www.shop.example:8080': { allowPrivate: true } }, 'domain')).toBeUndefined()
  })

  it('is refused when the crawl is made', () => {
    const shop = { name: 'shop', seeds: ['https://shop.example/'], handlers: { start: () => [] } }
    expect(() => checkRunnable({ policies: [], spider: shop, hosts: { 'shop.example:443': { maxRps: 1 } } })).toThrow(
      "write 'shop.example'",
    )
  })

  it.each([
    [{ 'http://shop.example/': {} }, /expected each name in hosts to be a host name such as/],
    [{ 'Shop.Example': {} }, /in lower case, got 'Shop.Example'/],
    [{ 'a.*.example': {} }, /to be a host name/],
    [{ 'shop.example': { maxRps: 0 } }, /hosts\['shop.example'\].maxRps to be a number above 0, got 0/],
    [{ 'shop.example': { maxRps: Number.NaN } }, /got NaN/],
    [{ 'shop.example': { maxRsp: 1 } }, /hosts\['shop.example'\] has no option 'maxRsp' \(did you mean 'maxRps'\?\)/],
    [{ 'shop.example': { maxInFlight: 1.5 } }, /a whole number of at least 1/],
  ])('refuses %j', (hosts, message) => {
    expect(HOSTS_RULE.problem(hosts, 'hosts')).toMatch(message)
  })
})

describe('hours of a host', () => {
  const problemWith = (options: object): string | undefined => HOSTS_RULE.problem({ '*': options }, 'hosts')
  const timeZone = 'Europe/Berlin'

  it.each([
    { between: ['20:00', '08:00'], timeZone },
    { between: ['00:00', '24:00'], timeZone: 'UTC' },
    { between: ['09:00', '17:30'], timeZone: '+05:30' },
  ])('may be $between $timeZone', (options) => {
    expect(problemWith(options)).toBeUndefined()
  })

  it.each([
    ['an unknown time zone', { between: ['20:00', '08:00'], timeZone: 'Mars/One' }, 'timeZone to be the name of a time zone'],
    ['a time zone that is no text', { between: ['20:00', '08:00'], timeZone: 1 }, 'timeZone to be the name of a time zone'],
    ['a time zone without hours', { timeZone }, 'between beside timeZone, got none'],
    ['hours without a time zone', { between: ['20:00', '08:00'] }, 'timeZone beside between, got none'],
    ['ends that are equal', { between: ['08:00', '08:00'], timeZone }, 'between to be two different times of the day'],
    ['a time that no clock shows', { between: ['25:00', '08:00'], timeZone }, 'between to be two different times of the day'],
    ['a time without its zero', { between: ['8:00', '20:00'], timeZone }, 'between to be two different times of the day'],
    [
      'one time',
      { between: ['20:00'], timeZone },
      "between to be two different times of the day, such as ['20:00', '08:00'], got ['20:00']",
    ],
    ['a text', { between: '20:00-08:00', timeZone }, 'between to be two different times of the day'],
  ])('may not be %s', (_title, options, expected) => {
    expect(problemWith(options)).toContain(`expected hosts['*'].${expected}`)
  })
})

describe('limits that hosts share', () => {
  it.each([
    [{ match: '*.shops.example', share: true }],
    [{ match: ['*.shops.example', 'own-name.example'], share: true, maxRps: 12 }],
    [
      { match: '*', maxRps: 50 },
      { match: '*.shops.example', share: true, maxRps: 12 },
      { match: '*.far.example', share: true },
    ],
    [
      { match: '*', by: 'exit', maxRps: 10 },
      { match: '*', by: 'session', maxRps: 20 },
      { match: '*', maxRps: 50 },
    ],
  ])('are taken: %j', (...limits) => {
    expect(LIMITS_RULE.problem(limits, 'limits')).toBeUndefined()
  })

  it.each([
    [[{ share: true }], 'expected limits[0].match to be a host name such as'],
    [[{ match: 'https://shops.example', maxRps: 1 }], 'expected limits[0].match to be a host name such as'],
    [[{ match: '*.shops.example', maxRps: 0 }], 'expected limits[0].maxRps to be a number above 0, got 0'],
    [[{ match: '*.shops.example', maxRsp: 1 }], "limits[0] has no option 'maxRsp' (did you mean 'maxRps'?)"],
    [[{ match: '*.shops.example' }], 'limits[0] limits nothing: add maxRps, or share: true to learn the rate'],
    [[{ match: [], maxRps: 1 }], 'limits[0] matches no host: match is empty'],
    [
      [
        { match: '*.shops.example', share: true },
        { match: 'a.shops.example', share: true },
      ],
      "limits[1] contradicts limits[0]: 'a.shops.example' is within '*.shops.example', and both share refusals; leave 'a.shops.example' out of one",
    ],
    [
      [
        { match: '*.eu.shops.example', maxRps: 20 },
        { match: ['*.shops.example'], share: true, maxRps: 12 },
      ],
      "limits[0] contradicts limits[1]: '*.eu.shops.example' is within '*.shops.example', whose 12 a second it cannot exceed",
    ],
    [
      [
        { match: ['a.example', 'b.example'], maxRps: 2 },
        { match: ['c.example', 'b.example'], maxRps: 9 },
      ],
      "limits[1] contradicts limits[0]: both match 'b.example', whose 2 a second it cannot exceed; leave 'b.example' out, or lower its maxRps",
    ],
    [
      [
        { match: '*.shops.example', share: true },
        { match: '*.shops.example', maxRps: 5 },
      ],
      "limits[1] contradicts limits[0]: both begin with '*.shops.example', which names them",
    ],
    [
      [{ match: '*', by: 'place', maxRps: 1 }],
      "expected limits[0].by to be 'address', 'session', 'exit' or { header: 'x-served-by' }, got 'place'",
    ],
    [[{ match: '*', by: { header: 'Session' }, maxRps: 1 }], 'expected limits[0].by to be'],
    [[{ match: '*', by: 'session' }], 'limits[0] limits nothing: add maxRps, or share: true to learn the rate'],
    [
      [
        { match: '*', by: 'exit', share: true },
        { match: '*.shops.example', by: 'session', share: true },
      ],
      "limits[1] contradicts limits[0]: '*.shops.example' is within '*', and both share refusals",
    ],
    [
      [
        { match: '*', by: 'exit', maxRps: 10 },
        { match: '*.shops.example', by: 'exit', maxRps: 10 },
      ],
      "limits[1] contradicts limits[0]: '*.shops.example' is within '*', whose 10 a second it cannot exceed",
    ],
    [[{ match: '*', by: { header: 'x served by' }, maxRps: 1 }], 'expected limits[0].by to be'],
    [
      [
        { match: '*', by: 'address', share: true },
        { match: '*.shops.example', share: true },
      ],
      "limits[1] contradicts limits[0]: '*.shops.example' is within '*', and both share refusals",
    ],
    [
      [
        { match: '*', by: 'address', maxRps: 200 },
        { match: '*', maxRps: 100 },
      ],
      "limits[0] contradicts limits[1]: both match '*', whose 100 a second it cannot exceed",
    ],
    [Array.from({ length: 51 }, (_, n) => ({ match: `${n}.example`, maxRps: 1 })), 'expected at most 50 limits, got 51'],
  ])('are refused: %j', (limits, message) => {
    expect(LIMITS_RULE.problem(limits, 'limits')).toContain(message)
  })

  it('are refused where their pattern matches no host', () => {
    const config = { policies: [], spider: { name: 'shop', seeds: ['https://shop.example/'], handlers: { start: () => [] } } }
    const limits = [{ match: '*.shops.example', maxRps: 1 }]

    expect(() => checkRunnable({ ...config, limits: [{ match: 'shop.example:443', maxRps: 1 }] })).toThrow(
      "limits: 'shop.example:443' matches no host: a default port is no part of a host",
    )
    expect(() => checkRunnable({ ...config, limits, hostKeying: 'domain' })).toThrow("limits: '*.shops.example' matches no host")
  })
})
