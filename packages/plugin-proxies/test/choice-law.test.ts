// Which of several proxies a host uses.
import { describe, expect, it } from 'vitest'
import { ranked } from '../src/proxies.ts'

const PROXIES = ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id }))
const HOSTS = Array.from({ length: 1_000 }, (_, n) => `host-${n}.test`)

describe('the choice of a proxy', () => {
  it('is the same in any order of the list', () => {
    for (const host of HOSTS.slice(0, 50)) expect(ranked(PROXIES.toReversed(), host)).toEqual(ranked(PROXIES, host))
  })

  it('spreads hosts evenly', () => {
    const shares = PROXIES.map(({ id }) => HOSTS.filter((host) => ranked(PROXIES, host)[0]?.id === id).length)

    for (const share of shares) expect(share).toBeGreaterThan(150)
  })

  it('moves only the hosts of a proxy that is gone, to all others', () => {
    const without = PROXIES.filter(({ id }) => id !== 'c')
    const moved = HOSTS.filter((host) => ranked(PROXIES, host)[0] !== ranked(without, host)[0])

    expect(moved.every((host) => ranked(PROXIES, host)[0]?.id === 'c')).toBe(true)
    expect(new Set(moved.map((host) => ranked(without, host)[0]?.id)).size).toBe(4)
  })

  it('of none, or one, is that', () => {
    expect(ranked([], 'a.test')).toEqual([])
    expect(ranked([{ id: 'a' }], 'a.test')).toEqual([{ id: 'a' }])
  })
})
