// A resumed crawl asks the site again for secrets that it hands out itself: nothing that waits behind one is lost, and nothing is fetched twice.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crawl, link, type Plugin, type Spider } from 'avocet'
import { sleepUntil } from '@avocet/core/store'
import { sqlite } from '@avocet/plugin-sqlite'
import { polite } from '@avocet/preset-polite'
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it, onTestFinished } from 'vitest'
import { pathSpider, run } from '../harness.ts'
import { scriptedWeb, type Answer } from '../scripted-web.ts'
import { emptyStore, handlers, links, page, pages, ran, sentUrls, SHOP, site, type Script } from '../sessions/session-shop.ts'

describe('a parameter that is named as secret late', () => {
  it('is reported: how many URLs of earlier runs the store keeps with their values, and what to do; once', async () => {
    const store = emptyStore()
    await ran(store, site({ '/': page(...links('old'), '/plain') }), { maxPages: 1, secretParameters: [] })
    const late = await ran(store, site(pages('old')))
    const again = await ran(store, site({}))

    expect(late.report.problems).toEqual([
      {
        count: 1,
        message:
          'the store keeps 40 URLs with a value of sid, which was not secret in earlier runs: they stay as they are, and so do items, outputs and events of those runs, and what this run and later ones print of these URLs; to remove them, start with an empty store (--fresh)',
      },
    ])
    expect(again.report.problems).toEqual([])
  })
})

describe('a crawl that goes on without the secret of its waiting pages', () => {
  it('asks the page that led to them again, once, and loses none', async () => {
    const store = emptyStore()
    await ran(store, site({ '/': page(...links('old')), ...pages('old') }), { maxPages: 4, concurrency: 1 })
    const script = site({ '/': page(...links('new')), ...pages('new'), '/?sid=new': {} })
    const second = await ran(store, script, { maxPerHost: 8 })

    expect(second.report.counts).toMatchObject({ known: 42, done: 42, failed: 0 })
    expect(sentUrls(second).toSorted()).toEqual(['/', ...links('new').slice(3), '/?sid=new'].toSorted())
    expect(new Set(second.items.map((item) => (item as { path: string }).path)).size).toBe(41)
    expect(second.items).toHaveLength(42)
    expect(second.report.problems).toEqual([
      {
        count: 1,
        message: `${SHOP}/ was asked again for a fresh value of the secret parameter sid: values of earlier runs are never stored, and what waits for one is sent with the fresh one`,
      },
    ])
  })

  it('asks no page again while a seed gives the value', async () => {
    const store = emptyStore()
    await ran(store, site({ '/': page(...links('old')) }), { maxPages: 1 })
    const spider = pathSpider([], { seeds: [`${SHOP}/?sid=mine`], handlers })
    const second = await ran(store, site({ ...pages('mine'), '/?sid=mine': {} }), { spider })

    expect(sentUrls(second).filter((path) => path === '/')).toEqual([])
    expect(second.report.counts.failed).toBe(0)
  })

  it('follows a redirect to the URL that has it, and climbs over pages that need it themselves', async () => {
    const store = emptyStore()
    const to = (location: string): Answer => ({ status: 302, headers: { location } })
    const script = (sid: string): Script =>
      site({
        '/': to(`/home?sid=${sid}`),
        [`/home?sid=${sid}`]: page(`/a?sid=${sid}`),
        [`/a?sid=${sid}`]: page(`/b?sid=${sid}`, `/c?sid=${sid}`),
        [`/b?sid=${sid}`]: {},
        [`/c?sid=${sid}`]: {},
      })
    await ran(store, script('old'), { maxPages: 2 })
    const second = await ran(store, script('new'))

    expect(sentUrls(second)).toEqual(['/', '/b?sid=new', '/c?sid=new'])
    expect(second.report.counts).toMatchObject({ failed: 0, waiting: 0 })
  })

  it('goes where the page has moved since, though the redirect hands out nothing', async () => {
    const store = emptyStore()
    await ran(store, site({ '/': page('/a?sid=old') }), { maxPages: 1 })
    const moved = site({
      '/': { status: 302, headers: { location: '/start' } },
      '/start': page('/a?sid=new'),
      '/a?sid=new': {},
    })
    const second = await ran(store, moved)

    expect(sentUrls(second)).toEqual(['/', '/start', '/a?sid=new'])
  })

  it('reads what a document that is no page says', async () => {
    const store = emptyStore()
    const api: Spider['handlers'] = {
      *start(visited) {
        if (visited.url.pathname === '/') yield link(visited.json<{ next: string }>().next)
      },
    }
    const spider = pathSpider([], { seeds: [`${SHOP}/`], handlers: api })
    const script = (sid: string): Script =>
      site({
        '/': { headers: { 'content-type': 'application/json' }, body: `{"next":"\\/a?x=1&sid=${sid}"}` },
        [`/a?x=1&sid=${sid}`]: {},
      })
    await ran(store, script('old'), { maxPages: 1, spider })
    const second = await ran(store, script('new'), { spider })

    expect(sentUrls(second)).toEqual(['/', '/a?x=1&sid=new'])
  })

  it('asks the page itself without the parameter where its parents are of another origin', async () => {
    const store = emptyStore()
    const spider = pathSpider([], { seeds: ['https://portal.test/'], scope: { within: 'any' }, handlers })
    const script = (sid: string): Script => ({
      'https://portal.test/': page(`${SHOP}/a?sid=${sid}`),
      [`${SHOP}/a?sid=${sid}`]: page(),
      [`${SHOP}/a`]: page(`/b?sid=${sid}`),
    })
    await ran(store, script('old'), { maxPages: 1, spider })
    const second = await ran(store, script('new'), { spider })

    expect(sentUrls(second)).toEqual(['/a', '/a?sid=new'])
    expect(second.report.counts).toMatchObject({ failed: 0, done: 2 })
  })

  it('asks in vain once, fails what waits, and tries again in the next run', async () => {
    const store = emptyStore()
    await ran(store, site({ '/': page(...links('old')) }), { maxPages: 1 })
    const second = await ran(store, site({ '/': page('/login'), '/login': {} }))
    const third = await ran(store, site({ '/': page(...links('new')), ...pages('new'), '/?sid=new': {} }))

    expect(sentUrls(second)).toEqual(['/'])
    expect(second.report.failures).toEqual([{ reason: 'secret-unknown', count: 40 }])
    expect(second.report.problems.map(({ message }) => message).join()).toContain(`${SHOP}/ was asked again and handed out none`)
    expect(third.report.counts).toMatchObject({ failed: 0, done: 42 })
  })

  it('loses nothing when it is stopped while it asks', async () => {
    const store = emptyStore()
    await ran(store, site({ '/': page(...links('old')) }), { maxPages: 1 })
    const script = site({ '/': page(...links('new')), ...pages('new'), '/?sid=new': {} })
    const spider = pathSpider([], { seeds: [`${SHOP}/`], scope: { within: 'any' }, handlers })
    const config = { spider, secretParameters: ['sid'], delayMs: 0, maxPerHost: 4, ...store }
    const stopped = await run(script, config, (made, clock) => void clock.at(clock.now() + 5, () => made.abort()))
    const third = await run(script, config)

    expect(sentUrls(stopped)).toEqual(['/'])
    expect(stopped.report.counts).toMatchObject({ waiting: 40, failed: 0 })
    expect(third.report.counts).toMatchObject({ failed: 0, done: 42 })
  })

  it('asks once for each host, and none for another', async () => {
    const store = emptyStore()
    const other = 'https://other.test'
    const spider = pathSpider([], { seeds: [`${SHOP}/`, `${other}/`], handlers })
    const script = (sid: string): Script => ({
      ...site({ '/': page(...links(sid)), ...pages(sid), [`/?sid=${sid}`]: {} }),
      [`${other}/`]: page(`/x?sid=other-${sid}`),
      [`${other}/x?sid=other-${sid}`]: {},
    })
    await ran(store, script('old'), { maxPages: 2, spider })
    const second = await ran(store, script('new'), { spider })

    expect(second.report.counts).toMatchObject({ failed: 0, waiting: 0 })
    expect(second.seen.filter(({ outbound }) => outbound.url.endsWith('.test/'))).toHaveLength(2)
    expect(second.seen.map(({ outbound }) => outbound.url)).toContain(`${other}/x?sid=other-new`)
  })

  it('waits where the site refuses for the moment, at its pace', async () => {
    const store = emptyStore()
    await ran(store, site({ '/': page(...links('old')) }), { maxPages: 1 })
    const busy: Answer = { status: 503, headers: { 'retry-after': '30' } }
    const script = site({ '/': [busy, page(...links('new'))], ...pages('new'), '/?sid=new': {}, '/robots.txt': { status: 404 } })
    const second = await ran(store, script, { policies: polite() })

    expect(second.report.counts).toMatchObject({ failed: 0, done: 42 })
    const asked = second.seen.filter(({ outbound }) => outbound.url === `${SHOP}/`).map(({ at }) => at)
    expect(asked).toHaveLength(2)
    expect((asked[1] ?? 0) - (asked[0] ?? 0)).toBeGreaterThanOrEqual(30_000)
  })

  it('never sends a page that is not to be sent twice to find a value, and hands nobody the value', async () => {
    const store = emptyStore()
    const posting: Spider['handlers'] = {
      *start(visited) {
        if (visited.request.method === 'GET')
          yield* [...visited.anchors].map(({ url }) => link(url, { method: 'POST', body: 'x' }))
        yield { path: visited.url.href }
      },
    }
    const spider = pathSpider([], { seeds: [`${SHOP}/`], handlers: posting })
    const heard: unknown[] = []
    const listener: Plugin = { name: 'listener', onResponse: (answered) => void heard.push(answered.response) }
    const script = (sid: string): Script => site({ '/': page(`/order?sid=${sid}`), [`/order?sid=${sid}`]: {} })
    await ran(store, script('s3cret-old'), { maxPages: 1, spider })
    const second = await ran(store, script('s3cret-new'), { spider, plugins: [listener] })

    expect(second.seen.map(({ outbound }) => `${outbound.method} ${outbound.url} ${outbound.body ?? ''}`)).toEqual([
      `GET ${SHOP}/ `,
      `POST ${SHOP}/order?sid=s3cret-new x`,
    ])
    const shown = heard.map((response) => ({ ...(response as object), body: '' }))
    expect(JSON.stringify([shown, second.items, second.report])).not.toContain('s3cret')
  })
})

describe('two processes on one store of a site that hands out sessions', () => {
  it('fail nothing: each asks for a session of its own for the hosts that come to it, once', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'avocet-fresh-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const hosts = Array.from({ length: 8 }, (_, n) => `https://h${n}.test`)
    const script = Object.fromEntries(
      hosts.flatMap((host) => [
        [`${host}/`, page(...links('any').slice(0, 20))],
        ...links('any').map((path) => [host + path, page()]),
      ]),
    ) as Script
    const clock = new VirtualClock()
    const crawls = [0, 2_000].map(async (afterMs) => {
      await sleepUntil(clock, clock.now() + afterMs)
      const fetcher = scriptedWeb(clock, script)
      const frontier = sqlite(join(folder, 'store.db'), { clock, synchronous: 'normal' })
      const spider = pathSpider([], { seeds: hosts.map((host) => `${host}/`), handlers })
      const report = await crawl({
        policies: [],
        spider,
        secretParameters: ['sid'],
        concurrency: 4,
        frontier,
        clock,
        fetcher,
        randomSeed: 'two',
      }).run()
      return { failed: report.counts.failed, asked: fetcher.seen.map(({ outbound }) => outbound.url) }
    })
    const [first, second] = await clock.run(Promise.all(crawls))

    expect([first?.failed, second?.failed]).toEqual([0, 0])
    const again = (second?.asked ?? []).filter((url) => url.endsWith('.test/'))
    expect(again.length).toBeGreaterThan(0)
    expect(new Set(again).size).toBe(again.length)
    const all = [...(first?.asked ?? []), ...(second?.asked ?? [])].filter((url) => !url.endsWith('.test/'))
    expect(all.toSorted()).toEqual([...new Set(all)].toSorted())
    expect(all).toHaveLength(160)
  })
})
