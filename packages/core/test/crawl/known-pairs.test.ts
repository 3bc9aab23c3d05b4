import { describe, expect, it } from 'vitest'
import { KnownPairs } from '../../src/discovery/known-pairs.ts'

const URLS = Array.from({ length: 200_000 }, (_, n) => `https://shop-${n % 800}.test/product/${n}?from=list`)

describe('known pairs', () => {
  it.each([0, 1, 2 ** 31, 2 ** 32 - 1])('know what was added and nothing else, with the seed %d', (seed) => {
    const known = new KnownPairs(() => seed)
    known.remember(URLS.slice(0, 100_000))

    // Some find their set full each time that the table is at half load.
    expect(URLS.slice(0, 100_000).filter((url) => !known.has(url)).length).toBeLessThan(2_000)
    expect(URLS.slice(100_000).filter((url) => known.has(url))).toEqual([])
  })

  it('tell texts apart by one bit, their order and their length', () => {
    const added = ['ab', 'https://a.test/1', '\u{100}']
    const known = new KnownPairs()
    known.remember(added)

    expect(added.filter((text) => known.has(text))).toEqual(added)
    expect(['ba', 'a', 'abb', '', 'https://a.test/0', 'https://a.test/10', '\0'].filter((text) => known.has(text))).toEqual([])
  })

  it('grow to their cap and no further, and what came last is kept', () => {
    const known = new KnownPairs(() => 0, 8_192)
    known.remember(URLS)

    expect(URLS.filter((url) => known.has(url)).length).toBeLessThanOrEqual(8_192)
    expect(known.has(URLS.at(-1) ?? '')).toBe(true)
  })
})
