// Secrets in URLs and in header fields of links: the server gets them, and nobody else sees more than a reference.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crawl, link, memoryFrontier, type CrawlConfig, type Plugin, type Spider } from 'avocet'
import { sleepUntil, type Frontier } from '@avocet/core/store'
import { robots } from '@avocet/plugin-robots'
import { sqlite } from '@avocet/plugin-sqlite'
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it, onTestFinished } from 'vitest'
import { pathSpider, run, type Ran } from '../harness.ts'
import { scriptedWeb, type Answer } from '../scripted-web.ts'

const to = (location: string): Answer => ({ status: 302, headers: { location } })
const page = (...hrefs: readonly string[]): Answer => ({ body: hrefs.map((href) => `<a href="${href}">x</a>`).join('') })
const SHOP = 'https://shop.test'

/** Follows all links; an item a page with the URLs that its handler sees. */
function spiderOf(seeds: Spider['seeds'], rest: Partial<Spider> = {}): Spider {
  const handlers: Spider['handlers'] = {
    *start(page) {
      yield { url: page.url.href, asked: page.response.url, parent: page.request.parent ?? null }
      yield* page.links()
    },
  }
  return pathSpider([], { seeds, scope: { within: 'any' }, handlers, ...rest })
}

function crawled(
  script: Readonly<Record<string, Answer | readonly Answer[]>>,
  seeds: Spider['seeds'],
  { spider = spiderOf(seeds), ...config }: Partial<CrawlConfig> = {},
): Promise<Ran> {
  return run(script, { spider, secretParameters: ['token', 'API_Key'], delayMs: 0, ...config })
}

const sentUrls = ({ seen }: Ran): readonly string[] => seen.map(({ outbound }) => outbound.url)

/** All that a store can tell. */
async function stored(frontier: Frontier): Promise<string> {
  const { reader } = frontier
  const parts = [
    reader.counts(),
    reader.hosts({ limit: 99 }),
    reader.requests({ limit: 99 }),
    reader.failures(),
    reader.items({ afterSeq: 0, limit: 99 }),
  ]
  return JSON.stringify(await Promise.all(parts))
}

describe('the values of secret parameters', () => {
  it('go to the server, and to no item, plugin, store or report', async () => {
    const heard: unknown[] = []
    const listener: Plugin = {
      name: 'listener',
      onDiscover: ({ url, from }) => void heard.push(url, from?.url),
      onAdmit: ({ request }) => void heard.push(request),
      beforeRequest: ({ exchange }) => void heard.push(exchange.request),
      onResponse: ({ response }) => void heard.push(response.url),
      onSettled: ({ request, outcome }) => void heard.push(request, outcome),
    }
    const script = {
      [`${SHOP}/?token=s3cret`]: page('/a?API_KEY=s3cret-2&b=1', '/gone?x=1&%74oken=s3cret-3#f'),
      [`${SHOP}/a?API_KEY=s3cret-2&b=1`]: {},
    }
    const ran = await crawled(script, [`${SHOP}/?token=s3cret`], { plugins: [listener] })

    expect(sentUrls(ran)).toEqual([
      `${SHOP}/?token=s3cret`,
      `${SHOP}/a?API_KEY=s3cret-2&b=1`,
      `${SHOP}/gone?x=1&%74oken=s3cret-3`,
    ])
    expect(ran.items).toEqual([
      { url: `${SHOP}/?token=__secret__`, asked: `${SHOP}/?token=__secret__`, parent: null },
      { url: `${SHOP}/a?API_KEY=__secret__&b=1`, asked: `${SHOP}/a?API_KEY=__secret__&b=1`, parent: `${SHOP}/?token=__secret__` },
    ])
    expect(JSON.stringify([heard, ran.report]) + (await stored(ran.frontier))).not.toContain('s3cret')
  })

  it('do not tell pages apart', async () => {
    const script = { [`${SHOP}/`]: page('/a?token=1', '/a?token=2', '/a?token=1&b=1'), [`${SHOP}/a?token=2`]: {} }
    const ran = await crawled(script, [`${SHOP}/`])

    expect(sentUrls(ran)).toEqual([`${SHOP}/`, `${SHOP}/a?token=2`, `${SHOP}/a?token=1&b=1`])
  })

  it('that a redirect adds, and renews, are followed like any', async () => {
    const script = {
      [`${SHOP}/`]: to('/s?token=first&x=1'),
      [`${SHOP}/s?token=first&x=1`]: to('/s?token=second&x=1'),
      [`${SHOP}/s?token=second&x=1`]: page('/next'),
      [`${SHOP}/next`]: {},
    }
    const ran = await crawled(script, [`${SHOP}/`])

    expect(sentUrls(ran)).toEqual([`${SHOP}/`, `${SHOP}/s?token=first&x=1`, `${SHOP}/s?token=second&x=1`, `${SHOP}/next`])
    expect(ran.report.counts).toMatchObject({ done: 2, moved: 1, failed: 0 })
    expect(await stored(ran.frontier)).not.toMatch(/\bfirst\b|\bsecond\b/)
  })

  it('stay with their pages, through retries and what a handler makes of the URL of its page', async () => {
    const again: Plugin = {
      name: 'again',
      onResponse: (answer) => void (answer.response.status === 500 && answer.retry(answer.now + 1_000, 'http-500')),
    }
    const handlers: Spider['handlers'] = {
      *start(page) {
        const next = new URL(page.url)
        next.searchParams.set('p', '2')
        if (page.url.pathname === '/doc-2' && !page.url.searchParams.has('p')) yield link(next)
        yield* page.links()
      },
    }
    const script = {
      [`${SHOP}/?token=mine`]: page('/doc-1?token=one', '/doc-2?token=two', '/doc-3?token=mine'),
      [`${SHOP}/doc-1?token=one`]: [{ status: 500 }, {}],
      [`${SHOP}/doc-2?token=two`]: {},
      [`${SHOP}/doc-2?token=two&p=2`]: {},
      [`${SHOP}/doc-3?token=mine`]: {},
    }
    const seeds = [`${SHOP}/?token=mine`]
    const ran = await crawled(script, seeds, { spider: spiderOf(seeds, { handlers }), plugins: [again] })

    expect(ran.report.counts).toMatchObject({ done: 5, failed: 0 })
  })

  it('of one origin do not go to another, nor does another replace them', async () => {
    const script = {
      [`${SHOP}/?token=mine`]: page('/a?token=mine', 'https://evil.test/'),
      'https://evil.test/': page(`${SHOP}/a?token=theirs`, 'https://evil.test/b?token=__secret__'),
      [`${SHOP}/a?token=mine`]: {},
    }
    const ran = await crawled(script, [`${SHOP}/?token=mine`], { concurrency: 1 })

    expect(sentUrls(ran).toSorted()).toEqual(['https://evil.test/', `${SHOP}/?token=mine`, `${SHOP}/a?token=mine`])
    expect(ran.report.failures).toMatchObject([{ reason: 'secret-unknown', count: 1 }])
  })

  it('are in no error of a handler, nor in a problem', async () => {
    const handlers: Spider['handlers'] = {
      start(page) {
        throw new Error(`no price in ${page.anchors[0]?.url} and (${SHOP}/b?token=s3cret).`)
      },
    }
    const seeds = [{ url: `${SHOP}/?token=s3cret`, headers: { authorization: 'Bearer s3cret' } }]
    const ran = await crawled({ [`${SHOP}/?token=s3cret`]: page('/a?x=1&api_key=s3cret') }, seeds, {
      spider: spiderOf(seeds, { handlers }),
    })

    expect(ran.report.handlerErrors).toMatchObject([
      {
        message: `Error: no price in ${SHOP}/a?x=1&api_key=__secret__ and (${SHOP}/b?token=__secret__).`,
        url: `${SHOP}/?token=__secret__`,
      },
    ])
    expect(JSON.stringify(ran.report)).not.toContain('s3cret')
  })

  it('that a required document is led to are sent, without user and password', async () => {
    const script = {
      [`${SHOP}/robots.txt`]: to('https://me:s3cret@shop.test/rules?token=s3cret'),
      [`${SHOP}/rules?token=s3cret`]: { body: 'User-agent: *\nDisallow: /b' },
      [`${SHOP}/`]: page('/b', '//me:s3cret@shop.test/c'),
      [`${SHOP}/c`]: {},
    }
    const ran = await crawled(script, ['https://me:s3cret@shop.test/'], { plugins: [robots()] })

    expect(sentUrls(ran)).toEqual([`${SHOP}/robots.txt`, `${SHOP}/rules?token=s3cret`, `${SHOP}/`, `${SHOP}/c`])
    expect(JSON.stringify(ran.report) + (await stored(ran.frontier))).not.toContain('s3cret')
  })

  it('named as no parameter can be are refused', async () => {
    const wrong = crawled({}, [SHOP], { secretParameters: ['a=b'] })
    await expect(wrong).rejects.toThrow(
      "expected secretParameters[0] to be the name of a query parameter, such as 'token', got 'a=b'",
    )
  })
})

describe('a later run', () => {
  const first = { [`${SHOP}/?token=old`]: page('/a?token=old', '/own?token=own', '/other?api_key=found') }
  const seed = `${SHOP}/?token=old`

  /** A first run that ends after one page. */
  async function begun(config: Partial<CrawlConfig> = {}): Promise<{ frontier: Frontier; clock: VirtualClock }> {
    const [frontier, clock] = [memoryFrontier(), new VirtualClock()]
    await crawled(first, [seed], { frontier, clock, maxPages: 1, ...config })
    return { frontier, clock }
  }

  it('sends what its seeds give now, and fails what nobody gives any more, unsent', async () => {
    const ran = await crawled(
      { [`${SHOP}/a?token=new`]: {}, [`${SHOP}/own?token=new`]: {} },
      [`${SHOP}/?token=new`],
      await begun(),
    )

    expect(sentUrls(ran)).toEqual([`${SHOP}/a?token=new`, `${SHOP}/own?token=new`])
    expect(ran.report.counts).toMatchObject({ known: 4, done: 3, failed: 1 })
    const [failed] = await ran.frontier.reader.requests({ state: 'failed', limit: 1 })
    expect(failed).toMatchObject({ url: `${SHOP}/other?api_key=__secret__`, reason: 'secret-unknown', blame: 'user' })
  })

  it('sends what an earlier one could not send, once a seed gives the secret, and nobody need ask for that', async () => {
    const store = await begun()
    const without = await crawled({}, [`${SHOP}/`], { ...store, secretParameters: [] })
    const failed = await store.frontier.reader.counts()
    const ran = await crawled(
      { [`${SHOP}/a?token=new`]: {}, [`${SHOP}/own?token=new`]: {}, [`${SHOP}/other?api_key=k`]: {} },
      [`${SHOP}/?token=new`, `${SHOP}/?api_key=k`],
      store,
    )

    expect(sentUrls(without)).toEqual([`${SHOP}/`])
    expect(failed).toMatchObject({ failed: 4 })
    expect(sentUrls(ran)).toEqual(expect.arrayContaining([`${SHOP}/a?token=new`, `${SHOP}/other?api_key=k`]))
    expect(ran.report.failures).not.toContainEqual(expect.objectContaining({ reason: 'secret-unknown' }))
  })

  it('keeps secret what was named in the first one, also when it is not named again', async () => {
    const ran = await crawled({ [`${SHOP}/a?token=new`]: page('/b?token=s3cret') }, [`${SHOP}/?token=new`], {
      ...(await begun()),
      secretParameters: [],
    })

    expect(sentUrls(ran)).toContain(`${SHOP}/a?token=new`)
    expect(await stored(ran.frontier)).not.toMatch(/s3cret|token=new/)
  })
})

describe('credentials among the headers of a link', () => {
  const handlers = (of: Readonly<Record<string, string>>): Spider['handlers'] => ({
    *start() {
      for (const [name, cookie] of Object.entries(of))
        yield link(`/${name}`, { handler: 'page', identity: name, headers: { Cookie: cookie, 'X-Kept': 'yes' } })
    },
    *page(page) {
      yield { seen: page.request.headers }
      if (page.url.pathname === '/a') yield link('/copied', { handler: 'page', headers: page.request.headers })
    },
  })
  const site = Object.fromEntries(['', 'a', 'b', 'c', 'copied'].map((name) => [`${SHOP}/${name}`, {}]))
  const cookies = ({ seen }: Ran): object =>
    Object.fromEntries(seen.map(({ outbound }) => [new URL(outbound.url).pathname, outbound.headers['cookie']]))

  it('are sent with it, and with what its handler makes of its own request, and seen by nobody', async () => {
    const ran = await crawled(site, [SHOP], {
      spider: spiderOf([SHOP], { handlers: handlers({ a: 'sid=s3cret-a', b: 'sid=s3cret-b' }) }),
    })

    expect(cookies(ran)).toEqual({ '/': undefined, '/a': 'sid=s3cret-a', '/b': 'sid=s3cret-b', '/copied': 'sid=s3cret-a' })
    expect(JSON.stringify([ran.items, ran.report]) + (await stored(ran.frontier))).not.toContain('s3cret')
    expect(ran.items).toMatchObject([{ seen: { 'x-kept': 'yes' } }, {}, {}])
  })

  it('in a later run are those that a seed gives for that identity; another account is never asked instead', async () => {
    const [frontier, clock] = [memoryFrontier(), new VirtualClock()]
    const spider = spiderOf([SHOP], { handlers: handlers({ a: 'sid=a', b: 'sid=b' }) })
    await crawled(site, [SHOP], { spider, frontier, clock, maxPages: 1 })
    const seeds = [{ url: `${SHOP}/`, identity: 'b', headers: { cookie: 'sid=b2' }, handler: 'page' }]
    const ran = await crawled(site, seeds, { spider: { ...spider, seeds }, frontier, clock })

    expect(cookies(ran)).toMatchObject({ '/b': 'sid=b2' })
    expect(cookies(ran)).not.toHaveProperty('/a')
    const [failed] = await frontier.reader.requests({ state: 'failed', limit: 1 })
    expect(failed).toMatchObject({ url: `${SHOP}/a`, reason: 'secret-unknown' })
  })
})

describe('two processes on one store', () => {
  it('both send what the seeds give, for pages that either found, and the store has none of it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'avocet-secrets-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const hosts = Array.from({ length: 8 }, (_, n) => `https://h${n}.test`)
    const links = Array.from({ length: 20 }, (_, n) => `/${n}?token=s3cret`)
    const script = Object.fromEntries(
      hosts.flatMap((host) =>
        [`${host}/?token=s3cret`, ...links.map((path) => host + path)].map((url) => [
          url,
          url.includes('/?') ? page(...links) : {},
        ]),
      ),
    )
    const clock = new VirtualClock()
    const crawls = [0, 2_000].map(async (afterMs) => {
      await sleepUntil(clock, clock.now() + afterMs)
      const fetcher = scriptedWeb(clock, script)
      const seeds = hosts.map((host) => `${host}/?token=s3cret`)
      const frontier = sqlite(join(folder, 'store.db'), { clock, synchronous: 'normal' })
      const made = crawl({
        policies: [],
        spider: spiderOf(seeds),
        secretParameters: ['token'],
        concurrency: 4,
        frontier,
        clock,
        fetcher,
        randomSeed: 'two',
      })
      const report = await made.run()
      const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'))
      return { asked: fetcher.seen.length, failed: report.counts.failed, isLeaked: files.some((text) => text.includes('s3cret')) }
    })
    const [first, second] = await clock.run(Promise.all(crawls))

    expect((first?.asked ?? 0) + (second?.asked ?? 0)).toBe(8 * 21)
    expect(second?.asked).toBeGreaterThan(20)
    expect([first, second]).toMatchObject([
      { failed: 0, isLeaked: false },
      { failed: 0, isLeaked: false },
    ])
  })
})
