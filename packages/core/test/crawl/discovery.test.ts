// The hot path of a crawl: what is known ends at a set in RAM, and only what may be new becomes a request.
import { compileScope, link, type Leased, type Request } from '@avocet/core'
import { describe, expect, it } from 'vitest'
import { Discoveries } from '../../src/crawl/discovery.ts'
import { createHooks, type CrawlHooks } from '../../src/hooks.ts'

const from = {
  leased: { id: 7, depth: 2, url: 'http://shop.test/a' } as Leased,
  request: { id: 7 } as Request,
  baseUrl: 'http://shop.test/a',
}

function made(): { hooks: CrawlHooks; discoveries: Discoveries } {
  const hooks = createHooks({ speaks() {}, returned() {}, rescue() {}, promised() {} })
  return {
    hooks,
    discoveries: new Discoveries(
      hooks,
      compileScope({}, ['shop.test'], () => {}),
      'host',
    ),
  }
}

describe('discovery', () => {
  it('makes requests of links: resolved, one deeper, with their parent and anchor text', () => {
    const { discoveries } = made()
    const { requests } = discoveries.ofPage([link('/b#top', { anchorText: 'B', priority: 3 })], from)

    expect(requests).toMatchObject([
      { url: 'http://shop.test/b', hostKey: 'shop.test', handler: 'start', depth: 3, priority: 3, parentId: 7, anchorText: 'B' },
    ])
  })

  it('takes a link that stands twice on a page once, whatever its spelling', () => {
    const { discoveries } = made()
    const { requests } = discoveries.ofPage(
      [link('/b'), link('/b'), link('http://shop.test/b'), link('/b', { handler: 'other' })],
      from,
    )

    expect(requests.map(({ url, handler }) => `${handler} ${url}`)).toEqual([
      'start http://shop.test/b',
      'other http://shop.test/b',
    ])
  })

  it('offers the store nothing that it is known to have', () => {
    const { discoveries } = made()
    const first = discoveries.ofPage([link('/b'), link('/c')], from)
    discoveries.remember(first.pairs)

    const second = discoveries.ofPage([link('/b'), link('/c'), link('/d')], from)

    expect(second.requests.map(({ url }) => url)).toEqual(['http://shop.test/d'])
    expect(second.offered).toBe(3)
  })

  it('knows a URL again by what it resolves to, not by how another page wrote it', () => {
    const { discoveries } = made()
    const elsewhere = { ...from, baseUrl: 'http://shop.test/x/y' }
    discoveries.remember(discoveries.ofPage([link('b'), link('?page=2')], from).pairs)

    expect(discoveries.ofPage([link('b'), link('?page=2')], elsewhere).requests.map(({ url }) => url)).toEqual([
      'http://shop.test/x/b',
      'http://shop.test/x/y?page=2',
    ])
    expect(discoveries.ofPage([link('../b#top'), link('/a?page=2')], elsewhere).requests).toEqual([])
  })

  it('shows every link to a plugin that wants to see them, known or not', () => {
    const { hooks, discoveries } = made()
    const shown: string[] = []
    hooks.onDiscover.tap('eye', ({ url }) => void shown.push(url))
    discoveries.remember(discoveries.ofPage([link('/b')], from).pairs)

    discoveries.ofPage([link('/b')], from)

    expect(shown).toEqual(['http://shop.test/b', 'http://shop.test/b'])
  })

  it('counts what is out of scope, or no URL, as refused', () => {
    const { discoveries } = made()
    const { requests, refused } = discoveries.ofPage([link('http://other.test/'), link('mailto:a@b'), link('http://[')], from)

    expect(requests).toEqual([])
    expect(refused).toBe(3)
  })

  it('holds a bounded number of known links, the recent ones', () => {
    const { discoveries } = made()
    discoveries.remember(Array.from({ length: 40_000 }, (_, n) => `http://shop.test/${n}`))

    expect(discoveries.ofPage([link('http://shop.test/39999')], from).requests).toHaveLength(0)
    expect(discoveries.ofPage([link('http://shop.test/0')], from).requests).toHaveLength(1)
  })
})
