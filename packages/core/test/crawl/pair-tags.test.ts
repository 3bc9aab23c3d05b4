import { describe, expect, it } from 'vitest'
import { PairTags } from '../../src/discovery/known-pairs.ts'

const URLS = Array.from({ length: 200_000 }, (_, n) => `https://shop-${n % 800}.test/product/${n}?from=list`)

function tagsOf(texts: readonly string[], tags: PairTags): PairTags {
  for (const text of texts) tags.add(text)
  return tags
}

describe('tags of known pairs', () => {
  it.each([0, 1, 2 ** 31, 2 ** 32 - 1])('know what was added and nothing else, with the seed %d', (seed) => {
    const tags = tagsOf(URLS.slice(0, 100_000), new PairTags({ seed }))

    // Some find their set full each time that the table is at half load.
    expect(URLS.slice(0, 100_000).filter((url) => !tags.has(url)).length).toBeLessThan(2_000)
    expect(URLS.slice(100_000).filter((url) => tags.has(url))).toEqual([])
  })

  it('tell texts apart by one bit, their order and their length', () => {
    const added = ['ab', 'https://a.test/1', '\u{100}']
    const tags = tagsOf(added, new PairTags({ seed: 0 }))

    expect(added.filter((text) => tags.has(text))).toEqual(added)
    expect(['ba', 'a', 'abb', '', 'https://a.test/0', 'https://a.test/10', '\0'].filter((text) => tags.has(text))).toEqual([])
  })

  it('grow to their cap and no further, and what came last is kept', () => {
    const tags = tagsOf(URLS, new PairTags({ seed: 0, maxPlaces: 8_192 }))

    expect(URLS.filter((url) => tags.has(url)).length).toBeLessThanOrEqual(8_192)
    expect(tags.has(URLS.at(-1) ?? '')).toBe(true)
  })
})
