// What the traps keep is bounded: which sites, contents and patterns are forgotten, and in which order they are told.
import { describe, expect, it } from 'vitest'
import { HostGains } from '../../src/traps/host-gains.ts'
import { mostRefused, type ClosedPattern } from '../../src/ports/closed-pattern.ts'
import { SiteHosts } from '../../src/traps/site-hosts.ts'

describe('the sites whose hosts are counted', () => {
  it('are 10,000: the one that was not heard of for longest is forgotten', () => {
    const sites = new SiteHosts(1, [])
    for (let n = 0; n < 10_000; n++) sites.admit(`a.s${n}.test`)
    const isFull = (n: number): boolean => !sites.admit(`b.s${n}.test`)

    expect([isFull(1), isFull(0)]).toEqual([true, true])
    sites.admit('a.one-more.test')
    sites.admit('a.two-more.test')
    expect([isFull(0), isFull(1), isFull(2), isFull(5)]).toEqual([true, true, false, true])
  })
})

describe('the contents of a host', () => {
  it('are remembered for 512 others', () => {
    const gains = new HostGains(undefined)
    for (let n = 0; n < 512; n++) gains.remember(n)

    expect(gains.remember(0)).toBe(true)
    gains.remember(512)
    expect([gains.remember(0), gains.remember(1), gains.remember(3)]).toEqual([true, false, true])
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
