// What may be asked in place of a request that lacks a secret: what scope, robots.txt and other plugins admit by its own URL.
import { link, type Plugin, type Spider } from '@avocet/core'
import { polite } from '@avocet/preset-polite'
import { describe, expect, it } from 'vitest'
import { pathSpider, type Ran } from '../harness.ts'
import type { Answer } from '../scripted-web.ts'
import { emptyStore, handlers, links, page, pages, ran, sentUrls, SHOP, site, type Script } from '../sessions/session-shop.ts'

const to = (location: string): Answer => ({ status: 302, headers: { location } })
const messages = ({ report }: Ran): string => report.problems.map(({ message }) => message).join()

describe('a page that is asked again for a secret', () => {
  it('does not lead to where robots.txt forbids', async () => {
    const store = emptyStore()
    const robots: Script = {
      '/robots.txt': { headers: { 'content-type': 'text/plain' }, body: 'User-agent: *\nDisallow: /private\n' },
    }
    await ran(store, site({ '/': page(...links('old')), ...robots }), { maxPages: 1, policies: polite() })
    const moved = site({ '/': to('/private/start'), '/private/start': page(...links('new')), ...pages('new'), ...robots })
    const second = await ran(store, moved, { policies: polite() })

    expect(sentUrls(second)).not.toContain('/private/start')
    expect(second.report.failures).toEqual([{ reason: 'secret-unknown', count: 40 }])
    expect(messages(second)).toContain(
      `${SHOP}/ was asked again and handed out none in its URLs, ${SHOP}/private/start may not be asked, by the scope or a plugin such as robots`,
    )
  })

  it('does not lead out of the scope', async () => {
    const store = emptyStore()
    const spider = pathSpider([], { seeds: [`${SHOP}/`], scope: { deny: [/\/start/] }, handlers })
    await ran(store, site({ '/': page(...links('old')) }), { maxPages: 1, spider })
    const moved = site({ '/': to('/start'), '/start': page(...links('new')) })
    const second = await ran(store, moved, { spider })

    expect(sentUrls(second)).toEqual(['/'])
  })

  it('does not lead to another origin', async () => {
    const store = emptyStore()
    await ran(store, site({ '/': page(...links('old')) }), { maxPages: 1 })
    const elsewhere = 'https://else.test/'
    const second = await ran(store, {
      [`${SHOP}/`]: to(elsewhere),
      [elsewhere]: page(...links('new').map((path) => SHOP + path)),
    })

    expect(sentUrls(second)).toEqual(['/'])
  })

  it('is not asked where a plugin would not send it any more', async () => {
    const store = emptyStore()
    await ran(store, site({ '/': page(...links('old')) }), { maxPages: 1 })
    const gate: Plugin = {
      name: 'gate',
      async beforeRequest(outgoing) {
        await Promise.resolve()
        if (outgoing.exchange.request.url === `${SHOP}/`) outgoing.drop('closed')
      },
    }
    const second = await ran(store, site({ '/': page(...links('new')), ...pages('new') }), { plugins: [gate] })

    expect(sentUrls(second)).toEqual([])
    expect(second.report.failures).toEqual([{ reason: 'secret-unknown', count: 40 }])
  })

  it('is not asked without the parameter where the scope denies that', async () => {
    const store = emptyStore()
    const spider = pathSpider([], { seeds: ['https://portal.test/'], scope: { within: 'any', deny: [/\/a$/] }, handlers })
    await ran(store, { 'https://portal.test/': page(`${SHOP}/a?sid=old`) }, { maxPages: 1, spider })
    const second = await ran(store, site({ '/a': page('/b?sid=new') }), { spider })

    expect(sentUrls(second)).toEqual([])
  })

  it.each([
    ['puts it off', 'once', 1],
    ['throws', 'once', 60],
    ['puts it off', 'eight times', 1 + 2 + 4 + 8 + 4 * 10],
  ] as const)('is waited for where a plugin %s, %s', async (what: string, often: string, seconds: number) => {
    const store = emptyStore()
    await ran(store, site({ '/': page(...links('old'), '/plain') }), { maxPages: 1 })
    const startedAt = store.clock.now()
    let left = often === 'once' ? 1 : 8
    const busy: Plugin = {
      name: 'busy',
      beforeRequest(outgoing) {
        if (outgoing.exchange.request.url !== `${SHOP}/` || left-- <= 0) return
        if (what === 'throws') throw new Error('busy')
        outgoing.retry(outgoing.now + 1_000, 'busy')
      },
    }
    const script = site({ '/': page(...links('new')), ...pages('new'), '/?sid=new': {}, '/plain': {} })
    const second = await ran(store, script, { plugins: [busy] })

    expect(second.report.counts).toMatchObject({ failed: 0, waiting: 0, done: 43 })
    expect(sentUrls(second).slice(0, 2)).toEqual(['/plain', '/'])
    expect(((second.seen[1]?.at ?? 0) - startedAt) / 1_000).toBeCloseTo(seconds, 0)
  })

  it('is given up for the run where a plugin throws each time, and asked in the next one', async () => {
    const store = emptyStore()
    await ran(store, site({ '/': page(...links('old')) }), { maxPages: 1 })
    let threw = 0
    const broken: Plugin = {
      name: 'broken',
      beforeRequest(outgoing) {
        if (outgoing.exchange.request.url !== `${SHOP}/`) return
        threw++
        throw new Error('broken')
      },
    }
    const second = await ran(store, site({ '/': page(...links('new')) }), { plugins: [broken] })
    const third = await ran(store, site({ '/': page(...links('new')), ...pages('new'), '/?sid=new': {} }))

    expect([threw, sentUrls(second)]).toEqual([5, []])
    expect(second.report.failures).toEqual([{ reason: 'secret-unknown', count: 40 }])
    expect(messages(second)).toContain(
      `${SHOP}/ was tried 5 times, and the last time plugin broken threw in beforeRequest: broken`,
    )
    expect(third.report.counts).toMatchObject({ failed: 0, waiting: 0, done: 42 })
  })

  it('may be on http while the pages that it lists are on https, and move there', async () => {
    const home = 'http://shop.test/'
    const spider = pathSpider([], { seeds: [home], scope: { within: 'any' }, handlers })
    const script = (sid: string): Script => ({
      [home]: page(...links(sid).map((path) => SHOP + path)),
      ...site(pages(sid)),
      ...site({ [`/?sid=${sid}`]: {} }),
    })
    const stay = emptyStore()
    await ran(stay, script('old'), { maxPages: 1, spider })
    const second = await ran(stay, script('new'), { spider })
    const move = emptyStore()
    await ran(move, script('old'), { maxPages: 1, spider })
    const moved = { ...script('new'), [home]: to(`${SHOP}/`), [`${SHOP}/`]: page(...links('new')) }
    const third = await ran(move, moved, { spider })

    expect(sentUrls(second)).toEqual([home, ...links('new'), '/?sid=new'])
    expect(second.report.counts).toMatchObject({ failed: 0, waiting: 0 })
    expect(sentUrls(third).slice(0, 2)).toEqual([home, '/'])
    expect(third.report.counts).toMatchObject({ failed: 0, waiting: 0 })
  })

  it('gets the header fields that are for it, and none that belong to the request', async () => {
    const own = { 'if-match': '"a"', range: 'bytes=0-9', 'content-language': 'en', 'x-account': 'seven' }
    const following: Spider['handlers'] = {
      *start(visited) {
        for (const { url } of visited.anchors) yield link(url, { headers: own })
      },
    }
    const store = emptyStore()
    const spider = pathSpider([], { seeds: [`${SHOP}/`], handlers: following })
    const marks: Plugin = {
      name: 'marks',
      beforeRequest: (outgoing) => outgoing.setHeader('x-page', new URL(outgoing.exchange.request.url).pathname),
    }
    await ran(store, site({ '/': page('/a?sid=old') }), { maxPages: 1, spider })
    const second = await ran(store, site({ '/': page('/a?sid=new'), '/a?sid=new': {} }), { spider, plugins: [marks] })

    const [home, child] = second.seen.map(({ outbound }) => outbound.headers)
    expect(child).toMatchObject({ ...own, 'x-page': '/a' })
    expect(home).toMatchObject({ 'x-account': 'seven', 'x-page': '/' })
    expect(Object.keys(home ?? {}).filter((name) => /^(if-|range|content-)/.test(name))).toEqual([])
  })
})
