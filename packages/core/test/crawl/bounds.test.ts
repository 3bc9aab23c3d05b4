// What links may add: budgets of URLs and of hosts, what is kept of them, and in which order they are told.
import { describe, expect, it } from 'vitest'
import { DEFAULTS } from '../../src/ports/config.ts'
import { urlsLeft, type ClosedPattern } from '../../src/ports/discovery-limits.ts'
import { mostRefused } from '../../../at-rest/src/closed-patterns.ts'
import { SiteHosts } from '../../src/discovery/link-budgets.ts'

const LIMITS = DEFAULTS.discoveryLimits

describe('the sites whose hosts are counted', () => {
  it('are 10,000: the one that was not heard of for longest is forgotten', () => {
    const sites = new SiteHosts(1)
    for (let n = 0; n < 10_000; n++) sites.admit(`a.s${n}.test`)
    const isFull = (n: number): boolean => !sites.admit(`b.s${n}.test`)

    expect([isFull(1), isFull(0)]).toEqual([true, true])
    sites.admit('a.one-more.test')
    sites.admit('a.two-more.test')
    expect([isFull(0), isFull(1), isFull(2), isFull(5)]).toEqual([true, true, false, true])
  })
})

describe('the patterns that are listed', () => {
  const closed = (pattern: string, refused: number, since = 9): ClosedPattern => ({
    pattern,
    reason: 'new-hosts',
    pages: 10,
    refused,
    since,
  })

  it('are those most refused, and by name where as many were', () => {
    const all = [closed('b.test/**', 5), closed('c.test/**', 7), closed('a.test/**', 5)]

    expect(mostRefused(all).map(({ pattern }) => pattern)).toEqual(['c.test/**', 'a.test/**', 'b.test/**'])
  })

  it('are one where many hosts link to the same site: since the first, and refused in all', () => {
    const all = [closed('*.farm.test', 3, 9), closed('a.test/**', 5), closed('*.farm.test', 4, 2)]

    expect(mostRefused(all)).toMatchObject([
      { pattern: '*.farm.test', pages: 20, refused: 7, since: 2 },
      { pattern: 'a.test/**' },
    ])
  })

  it('are a hundred', () => {
    const told = mostRefused(Array.from({ length: 150 }, (_, n) => closed(`h${n}.test/**`, n)))

    expect([told.length, told[0]?.refused, told.at(-1)?.refused]).toEqual([100, 149, 50])
  })
})

describe('the budget of new URLs', () => {
  it.each([
    [{ pages: 0, items: 0, added: 0 }, 50_000],
    [{ pages: 0, items: 0, added: 50_000 }, 0],
    [{ pages: 100, items: 0, added: 50_000 }, 11_000],
    [{ pages: 1_000, items: 0, added: 100_000 }, 0],
    [{ pages: 1_000, items: 5_000, added: 100_000 }, 50_000],
    [{ pages: 1_000_000, items: 0, added: 1_000_000 }, 9_090_000],
  ])('of a host that gave %o is %d', (given, left) => {
    expect(urlsLeft(given, LIMITS)).toBe(left)
  })
})

describe('the hosts of a site', () => {
  it('are 50 where that is the limit', () => {
    const sites = new SiteHosts(50)
    const admitted = Array.from({ length: 100 }, (_, n) => sites.admit(`h${n}.farm.test`)).filter(Boolean).length

    expect(admitted).toBe(50)
    expect(sites.admit('h1.farm.test')).toBe(true)
    expect(sites.admit('other.test')).toBe(true)
  })
})

describe('a share of Infinity', () => {
  it('is no limit, whatever was given before', () => {
    const none = { pages: 0, items: 0, added: 99 }
    expect(urlsLeft(none, { ...LIMITS, urlsPerItem: Infinity })).toBe(Infinity)
    expect(urlsLeft(none, { ...LIMITS, urlsPerPage: Infinity, maxUnpaidUrlsPerHost: Infinity })).toBe(Infinity)
    expect(urlsLeft(none, { ...LIMITS, urlsPerPage: Infinity })).toBe(LIMITS.maxUnpaidUrlsPerHost - 99)
  })
})
