// The hot path of a crawl: what is known ends at a set in RAM, and only what may be new becomes a request.
import { link, type Link, type Request } from '@avocet/core'
import type { Leased } from '@avocet/core/store'
import { compileScope } from '../../src/url/scope.ts'
import { describe, expect, it } from 'vitest'
import { Discoveries, type Discovered, type LinksFrom } from '../../src/discovery/discovery.ts'
import { RecentPairs } from '../../src/discovery/recent-pairs.ts'
import { createHooks, type CrawlHooks } from '../../src/hooks/hooks.ts'
import { PLAIN } from '../../src/run/late-codec.ts'
import { DroppedParameters } from '../../src/url/dropped-parameters.ts'

const from = {
  leased: { id: 7, depth: 2, url: 'http://shop.test/a' } as Leased,
  request: { id: 7 } as Request,
  baseUrl: 'http://shop.test/a',
}

function made({ recent = new RecentPairs() } = {}): { hooks: CrawlHooks; discoveries: Discoveries } {
  const hooks = createHooks({ speaks() {}, returned() {}, rescue() {}, promised() {} })
  return {
    hooks,
    discoveries: new Discoveries(
      hooks,
      compileScope({}, ['shop.test', 'shop.test:81'], () => {}),
      { keying: 'host', codec: { current: PLAIN }, dropped: new DroppedParameters([]), now: () => 5_000, recent },
    ),
  }
}

/** Where links stand, and which of them the store knows. */
type Where = LinksFrom & { readonly isKnown?: (url: string) => boolean }

/** All steps of a page. */
function ofPage(discoveries: Discoveries, links: readonly Link[], { isKnown = () => false, ...where }: Where): Discovered {
  const steps = discoveries.inSteps(links, where)
  let step = steps.next()
  while (step.done !== true) {
    const known = step.value?.filter(({ url }) => isKnown(url)).map(({ fingerprint }) => fingerprint)
    step = steps.next(known && new Set(known))
  }
  return step.value
}

describe('discovery', () => {
  it('looks closely at a thousand links beyond what a page may add, and counts the others', () => {
    const { discoveries } = made()
    let asked = 0
    const gate = { mayAdd: () => 1, refusal: () => void asked++ }
    const elsewhere = Array.from({ length: 300 }, (_, n) => link(`http://other.test/${n}`))
    const beyond = Array.from({ length: 3_000 }, (_, n) => link(`/b/${n}`))
    const { requests, refused, overBudget } = ofPage(discoveries, [link('/a'), ...elsewhere, ...beyond], { ...from, gate })

    expect([requests.length, overBudget, asked]).toEqual([1, 3_000, 1_001])
    expect(refused).toEqual([
      ['off-host', 'other.test', 300],
      ['link-budget', '', 3_000],
    ])
  })

  it('says that a page has more, where a site may have no more hosts', () => {
    const isFull = (hostKey: string): boolean => hostKey === 'shop.test:81'
    const gate = { mayAdd: () => 9, refusal: (hostKey: string) => (isFull(hostKey) ? 'link-budget' : undefined) } as const
    const paths = ['/a', '/b', '//shop.test:81/c', '/d', '//shop.test:81/e'].map((href) => link(href))
    const { requests, hasMore, refused } = ofPage(made().discoveries, paths, { ...from, gate })

    expect(requests.map(({ url }) => url)).toEqual(['http://shop.test/a', 'http://shop.test/b', 'http://shop.test/d'])
    expect([hasMore, refused]).toEqual([true, [['link-budget', 'shop.test:81', 2]]])
  })

  it('gives no room to links that the store knows', () => {
    const gate = { mayAdd: () => 2, refusal: () => undefined }
    const links = Array.from({ length: 3_000 }, (_, n) => link(`/${n}`))
    const found = (unknown: readonly number[]): Discovered =>
      ofPage(made().discoveries, links, { ...from, gate, isKnown: (url) => !unknown.includes(Number(url.slice(17))) })

    expect(found([])).toMatchObject({ requests: [], overBudget: 0, refused: [], hasMore: false })
    const requests = [{ url: 'http://shop.test/2998' }, { url: 'http://shop.test/2999' }]
    expect(found([2_998, 2_999])).toMatchObject({ requests, hasMore: false })
    expect(found([7, 8, 2_900, 2_950])).toMatchObject({ overBudget: 2, hasMore: true })
    expect(found([7, 8]).pairs).toHaveLength(3_000)
  })

  it('asks about no link while all of them fit', () => {
    const gate = { mayAdd: () => 3, refusal: () => undefined }
    let asked = 0
    ofPage(
      made().discoveries,
      ['/a', '/b', '/c'].map((href) => link(href)),
      { ...from, gate, isKnown: () => asked++ > 0 },
    )

    expect(asked).toBe(0)
  })

  it('makes requests of links: resolved, one deeper, with their parent and anchor text', () => {
    const { discoveries } = made()
    const { requests } = ofPage(discoveries, [link('/b#top', { anchorText: 'B', priority: 3 })], from)

    expect(requests).toMatchObject([
      { url: 'http://shop.test/b', hostKey: 'shop.test', handler: 'start', depth: 3, priority: 3, parentId: 7, anchorText: 'B' },
    ])
  })

  it('takes a link that is twice on a page once, whatever its spelling', () => {
    const { discoveries } = made()
    const { requests } = ofPage(
      discoveries,
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
    const first = ofPage(discoveries, [link('/b'), link('/c')], from)
    discoveries.recent.remember(first.pairs)

    const second = ofPage(discoveries, [link('/b'), link('/c'), link('/d')], from)

    expect(second.requests.map(({ url }) => url)).toEqual(['http://shop.test/d'])
    expect(second.offered).toBe(3)
  })

  it('knows a URL again by what it resolves to, not by how another page wrote it', () => {
    const { discoveries } = made()
    const elsewhere = { ...from, baseUrl: 'http://shop.test/x/y' }
    discoveries.recent.remember(ofPage(discoveries, [link('b'), link('?page=2')], from).pairs)

    expect(ofPage(discoveries, [link('b'), link('?page=2')], elsewhere).requests.map(({ url }) => url)).toEqual([
      'http://shop.test/x/b',
      'http://shop.test/x/y?page=2',
    ])
    expect(ofPage(discoveries, [link('../b#top'), link('/a?page=2')], elsewhere).requests).toEqual([])
  })

  it('shows every link to a plugin that wants to see them, known or not', () => {
    const { hooks, discoveries } = made()
    const shown: string[] = []
    hooks.onDiscover.tap('eye', ({ url }) => void shown.push(url))
    discoveries.recent.remember(ofPage(discoveries, [link('/b')], from).pairs)

    ofPage(discoveries, [link('/b')], from)

    expect(shown).toEqual(['http://shop.test/b', 'http://shop.test/b'])
  })

  it('counts what is out of scope, or no URL, as refused', () => {
    const { discoveries } = made()
    const { requests, refused } = ofPage(discoveries, [link('http://other.test/'), link('mailto:a@b'), link('http://[')], from)

    expect(requests).toEqual([])
    expect(refused).toEqual([
      ['off-host', 'other.test', 1],
      ['not-http', '', 1],
      ['malformed', '', 1],
    ])
  })

  it('holds a bounded number of known links, the recent ones', () => {
    const { discoveries } = made()
    discoveries.recent.remember(Array.from({ length: 40_000 }, (_, n) => `http://shop.test/${n}`))

    expect(ofPage(discoveries, [link('http://shop.test/39999')], from).requests).toHaveLength(0)
    expect(ofPage(discoveries, [link('http://shop.test/0')], from).requests).toHaveLength(1)
  })

  it('remembers no link that is refused: what refuses it may change', () => {
    const { discoveries } = made()

    expect(ofPage(discoveries, [link('http://other.test/'), link('/b')], from).pairs).toEqual(['http://shop.test/b'])
    expect(ofPage(discoveries, [link('http://other.test/')], from).refused).toEqual([['off-host', 'other.test', 1]])
  })

  it.each([
    ['another method', { method: 'POST' }],
    ['a body', { body: 'q=1' }],
    ['an identity of its own', { identity: 'second' }],
  ])('takes a known URL with %s for another page', (_what, options) => {
    const { discoveries } = made()
    discoveries.recent.remember(ofPage(discoveries, [link('/b')], from).pairs)

    expect(ofPage(discoveries, [link('http://shop.test/b', options)], from).requests).toHaveLength(1)
  })

  it('takes no text for what another handler knows, however it is written', () => {
    const { discoveries } = made()
    discoveries.recent.remember(ofPage(discoveries, [link('/b', { handler: 'other' })], from).pairs)

    expect(ofPage(discoveries, [link(' other http://shop.test/b')], from).requests).toHaveLength(1)
  })

  it('does not forget a link that is met again and again', () => {
    const { discoveries } = made()
    const others = (of: string): string[] => Array.from({ length: 16_384 }, (_, n) => `http://shop.test/${of}${n}`)
    discoveries.recent.remember(['http://shop.test/b'])

    for (const round of ['x', 'y', 'z']) {
      discoveries.recent.remember(others(round).slice(1))
      expect(ofPage(discoveries, [link('/b')], from).requests).toHaveLength(0)
    }
  })

  it('forgets what it knew once the process has signed in anew: the store may be another one', () => {
    let term = 0
    const { discoveries } = made({ recent: new RecentPairs(() => term) })
    discoveries.recent.remember(['http://shop.test/b'])
    const before = ofPage(discoveries, [link('/b')], from).requests
    term = 1

    expect([before.length, ofPage(discoveries, [link('/b')], from).requests.length]).toEqual([0, 1])
  })

  it('keeps to the scope, whatever plugins say', () => {
    const { hooks, discoveries } = made()
    hooks.onDiscover.tap('eye', () => {})

    expect(ofPage(discoveries, [link('http://other.test/')], from)).toMatchObject({
      requests: [],
      refused: [['off-host', 'other.test', 1]],
    })
  })

  it('gives all reasons for which a seed is refused', () => {
    const { hooks, discoveries } = made()
    hooks.onDiscover.tap('a', (found) => found.refuse('one'))
    hooks.onDiscover.tap('b', (found) => found.refuse('two'))

    expect(discoveries.ofSeed({ url: 'http://shop.test/' }, 'http://shop.test/')).toBe('one, two')
  })

  it('asks for a link with the data, the priority and the method that it has, and with a text of 200 characters', () => {
    const { discoveries } = made()
    const options = { data: { page: 2 }, priority: 2.7, method: 'post', anchorText: 'x'.repeat(300) }
    const [request] = ofPage(discoveries, [link('/b', options)], from).requests

    expect(request).toMatchObject({ dataJson: '{"page":2}', priority: 2, method: 'POST' })
    expect(request?.anchorText).toHaveLength(200)
  })
})
