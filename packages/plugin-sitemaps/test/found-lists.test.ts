// What is remembered of sitemaps between runs.
import { describe, expect, it } from 'vitest'
import { joinedLists, remember, remembered, type FoundLists } from '../src/found-lists.ts'

const named = (name: string, ...urls: readonly string[]): Parameters<typeof remember>[1] => ({
  origin: `https://${name}`,
  hostKey: name,
  urls,
})

describe('remembered sitemaps', () => {
  it('are one on the host itself, and all on others', () => {
    const found: FoundLists = { own: {}, elsewhere: {} }

    remember(found, named('a.test', 'https://a.test/1.xml', 'https://a.test/2.xml'))
    remember(found, named('b.test', 'https://b.test/1.xml', 'https://cdn.test/b1.xml', 'https://cdn.test/b2.xml'))

    expect([...remembered(found)]).toEqual([
      { url: 'https://a.test/1.xml', of: 'a.test' },
      { url: 'https://b.test/1.xml', of: 'b.test' },
      { url: 'https://cdn.test/b1.xml', of: 'b.test' },
      { url: 'https://cdn.test/b2.xml', of: 'b.test' },
    ])
  })

  it('are those that robots.txt named last', () => {
    const found: FoundLists = { own: {}, elsewhere: {} }

    remember(found, named('a.test', 'https://a.test/old.xml', 'https://cdn.test/old.xml'))
    remember(found, named('a.test', 'https://a.test/new.xml'))

    expect([...remembered(found)]).toEqual([{ url: 'https://a.test/new.xml', of: 'a.test' }])
  })

  it('are those of 1,000 hosts; beyond 32,768 characters it says that there is no room', () => {
    const found: FoundLists = { own: {}, elsewhere: {} }
    const room = Array.from({ length: 1_200 }, (_, n) => {
      const name = `www.a-shop-${1_000 + n}.test`
      return remember(found, named(name, `https://${name}/sitemap.xml`))
    })

    expect([...remembered(found)].length).toBe(1_169)
    expect(room.filter((has) => has).length).toBe(1_169)
  })

  it('of two processes are those of both, each once', () => {
    const a: FoundLists = {
      own: { '/s.xml': ['https://a.test', 'https://b.test'] },
      elsewhere: { 'a.test': ['https://cdn.test/1'] },
    }
    const b: FoundLists = {
      own: { '/s.xml': ['https://c.test'], '/t.xml': ['https://b.test'] },
      elsewhere: { 'c.test': ['https://cdn.test/2'] },
    }

    expect(joinedLists(a, b)).toEqual({
      own: { '/s.xml': ['https://a.test', 'https://b.test', 'https://c.test'] },
      elsewhere: { 'a.test': ['https://cdn.test/1'], 'c.test': ['https://cdn.test/2'] },
    })
  })
})
