// The hot path of a crawl: what is known ends at a set in RAM, and only what may be new becomes a request.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { link, type Link, type Request } from '@avocet/core'
import type { Leased } from '@avocet/core/store'
import { compileScope } from '../../src/url/scope.ts'
import { describe, expect, it } from 'vitest'
import { Discoveries, type Discovered, type LinksFrom } from '../../src/discovery/discovery.ts'
import { KnownPairs } from '../../src/discovery/known-pairs.ts'
import { createHooks, type CrawlHooks } from '../../src/hooks/hooks.ts'
import { PLAIN } from '../../src/run/late-codec.ts'
import { DroppedParameters } from '../../src/url/dropped-parameters.ts'

const from = {
  leased: { id: 7, depth: 2, url: 'http://shop.test/a' } as Leased,
  request: { id: 7 } as Request,
  baseUrl: 'http://shop.test/a',
}

function made({ known = new KnownPairs() } = {}): { hooks: CrawlHooks; discoveries: Discoveries } {
  const hooks = createHooks({ speaks() {}, returned() {}, rescue() {}, promised() {} })
  return {
    hooks,
    discoveries: new Discoveries(
      hooks,
      compileScope({}, ['shop.test', 'shop.test:81'], () => {}),
      {
        ...{ keying: 'host', codec: { current: PLAIN }, dropped: new DroppedParameters([]), now: () => 5_000 },
        ...{ sees: () => false, isDocument: () => false, known },
      },
    ),
  }
}

/** All steps of a page. */
function ofPage(discoveries: Discoveries, links: readonly Link[], where: LinksFrom): Discovered {
  const steps = discoveries.inSteps(links, where)
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  return step.value
}

/** Bytes in use once all garbage is collected. */
function used(): number {
  setFlagsFromString('--expose-gc')
  ;(runInNewContext('gc') as () => void)()
  return process.memoryUsage().heapUsed
}

describe('discovery', () => {
  it.each(['http://shop.test/', 'http://www.shop.test/'])('keeps the texts of links to %s without their pages', (to) => {
    const { discoveries } = made()
    const before = used()
    const kept = Array.from({ length: 40 }, (_, n) => {
      const page = `To the page with number ${n}`.padEnd(2 ** 20, `text ${n} `)
      return ofPage(discoveries, [link(`${to}${n}`, { anchorText: page.slice(0, 25) })], from).requests
    })

    expect(used() - before).toBeLessThan(10 * 2 ** 20)
    expect([kept, discoveries]).toHaveLength(2)
  })

  it('asks the gate about each link, and counts those beyond what a page may add', () => {
    let asked = 0
    const gate = { mayAdd: () => 1, refusal: () => void asked++ }
    const elsewhere = Array.from({ length: 300 }, (_, n) => link(`http://other.test/${n}`))
    const beyond = Array.from({ length: 3_000 }, (_, n) => link(`/b/${n}`))
    const { requests, refused, overBudget } = ofPage(made().discoveries, [link('/a'), ...elsewhere, ...beyond], { ...from, gate })

    expect([requests.length, overBudget, asked]).toEqual([1, 3_000, 3_001])
    expect(refused).toEqual([
      ['off-host', 'other.test', 300],
      ['link-budget', '', 3_000],
    ])
  })

  it('counts links to further hosts where a site may have no more', () => {
    const isFull = (hostKey: string): boolean => hostKey === 'shop.test:81'
    const gate = { mayAdd: () => 9, refusal: (hostKey: string) => (isFull(hostKey) ? 'link-budget' : undefined) } as const
    const paths = ['/a', '/b', '//shop.test:81/c', '/d', '//shop.test:81/e'].map((href) => link(href))
    const { requests, refused } = ofPage(made().discoveries, paths, { ...from, gate })

    expect(requests.map(({ url }) => url)).toEqual(['http://shop.test/a', 'http://shop.test/b', 'http://shop.test/d'])
    expect(refused).toEqual([['link-budget', 'shop.test:81', 2]])
  })

  it.each([[false], [true]])(
    'gives no room to links that this run has written (a plugin is asked about every link: %s)',
    (tapped) => {
      const { discoveries, hooks } = made()
      if (tapped) hooks.onDiscover.tap('every link', () => {})
      const gate = { mayAdd: () => 2, refusal: () => undefined }
      const links = Array.from({ length: 5 }, (_, n) => link(`/${n}`))
      discoveries.known.remember(ofPage(discoveries, links.slice(0, 2), from).pairs)
      const { requests, overBudget } = ofPage(discoveries, links, { ...from, gate })

      const urls = ['/0', '/1', '/2', '/3'].map((path) => `http://shop.test${path}`)
      expect([requests.map(({ url }) => url), overBudget]).toEqual([tapped ? urls : urls.slice(2), 1])
    },
  )

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
    discoveries.known.remember(first.pairs)

    const second = ofPage(discoveries, [link('/b'), link('/c'), link('/d')], from)

    expect(second.requests.map(({ url }) => url)).toEqual(['http://shop.test/d'])
    expect(second.offered).toBe(3)
  })

  it('knows a URL again by what it resolves to, not by how another page wrote it', () => {
    const { discoveries } = made()
    const elsewhere = { ...from, baseUrl: 'http://shop.test/x/y' }
    discoveries.known.remember(ofPage(discoveries, [link('b'), link('?page=2')], from).pairs)

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
    discoveries.known.remember(ofPage(discoveries, [link('/b')], from).pairs)

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

  it('knows the links of a crawl of many URLs, not the recent ones alone', () => {
    const { discoveries } = made()
    discoveries.known.remember(Array.from({ length: 40_000 }, (_, n) => `http://shop.test/${n}`))

    expect(ofPage(discoveries, [link('http://shop.test/39999'), link('http://shop.test/0')], from).requests).toHaveLength(0)
    expect(ofPage(discoveries, [link('http://shop.test/40000')], from).requests).toHaveLength(1)
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
    discoveries.known.remember(ofPage(discoveries, [link('/b')], from).pairs)

    expect(ofPage(discoveries, [link('http://shop.test/b', options)], from).requests).toHaveLength(1)
  })

  it('takes no text for what another handler knows, however it is written', () => {
    const { discoveries } = made()
    discoveries.known.remember(ofPage(discoveries, [link('/b', { handler: 'other' })], from).pairs)

    expect(ofPage(discoveries, [link(' other http://shop.test/b')], from).requests).toHaveLength(1)
  })

  it('forgets what it knew once the process has signed in anew: the store may be another one', () => {
    let term = 0
    const { discoveries } = made({ known: new KnownPairs(() => term) })
    discoveries.known.remember(['http://shop.test/b'])
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
