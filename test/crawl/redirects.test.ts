// A redirect is a discovery: every hop is an exchange of its own, of its own host.
import { definePlugin } from '@avocet/core'
import { describe, expect, it } from 'vitest'
import { pathSpider, run } from './harness.ts'

const A = 'http://a.test'
const B = 'http://b.test'
const to = (location: string, status = 302): object => ({ status, headers: { location } })
const paths = (asked: readonly string[]): string[] => asked.map((line) => line.split(' ')[1] ?? '')

describe('a redirect', () => {
  it('settles as moved, and its target is visited with the same handler, data and depth', async () => {
    const spider = pathSpider([], {
      seeds: [{ url: `${A}/old`, data: { n: 1 } }],
      handlers: {
        *start({ url, request }) {
          yield { path: url.pathname, data: request.data, depth: request.depth, hops: request.hops, from: request.redirectedFrom }
        },
      },
    })
    const { items, report, frontier } = await run({ [`${A}/old`]: to('/new', 301), [`${A}/new`]: { body: 'here' } }, { spider })

    expect(items).toEqual([{ path: '/new', data: { n: 1 }, depth: 0, hops: 1, from: `${A}/old` }])
    expect(report.counts).toMatchObject({ known: 2, moved: 1, done: 1 })
    expect(await frontier.reader.requests({ url: `${A}/old` })).toMatchObject([
      { state: 'moved', target: `${A}/new`, status: 301 },
    ])
  })

  it.each([
    ['UTF-8', '/caf\u00c3\u00a9?q=\u00c3\u00a9', '/caf%C3%A9?q=%C3%A9'],
    ['Latin-1', '/caf\u00e9', '/caf%E9'],
  ])('whose Location is in raw %s is followed byte by byte', async (_charset, location, target) => {
    const spider = pathSpider([`${A}/old`])
    const { report, seen } = await run({ [`${A}/old`]: to(location), [A + target]: {} }, { spider })

    expect(seen.map(({ outbound }) => outbound.url)).toEqual([`${A}/old`, A + target])
    expect(report.counts).toMatchObject({ moved: 1, done: 1 })
  })

  it('never takes custom headers to another origin', async () => {
    const spider = pathSpider([], { seeds: [{ url: `${A}/`, headers: { 'x-api-key': 'secret' } }] })
    const { seen } = await run(
      { [`${A}/`]: to('/same'), [`${A}/same`]: to(`${B}/other`), [`${B}/other`]: {} },
      { spider, headers: { authorization: 'Basic x' } },
    )

    expect(seen.map(({ outbound }) => [outbound.url, outbound.headers['x-api-key'], outbound.headers['authorization']])).toEqual([
      [`${A}/`, 'secret', 'Basic x'],
      [`${A}/same`, 'secret', 'Basic x'],
      [`${B}/other`, undefined, undefined],
    ])
  })

  it('is not followed where the spider accepts its status: its handler sees it, with its cookies', async () => {
    const spider = pathSpider([`${A}/login`], {
      accepts: (status) => status === 200 || status === 303,
      handlers: {
        *start({ url, response }) {
          yield { path: url.pathname, status: response.status, cookies: response.headers['set-cookie'] ?? [] }
        },
      },
    })
    const login = { status: 303, headers: { location: '/welcome', 'set-cookie': ['session=1', 'theme=dark'] } }
    const { items, asked } = await run({ [`${A}/login`]: login, [`${A}/welcome`]: {} }, { spider })

    expect(items).toEqual([{ path: '/login', status: 303, cookies: ['session=1', 'theme=dark'] }])
    expect(paths(asked)).toEqual(['/login'])
  })

  it('is seen by plugins before its target is requested: a cookie that it sets can be sent there', async () => {
    let cookie: string | undefined
    const jar = definePlugin({
      name: 'jar',
      beforeRequest(outgoing) {
        if (cookie !== undefined) outgoing.setHeader('cookie', cookie)
      },
      onResponse({ response }) {
        cookie ??= String(response.headers['set-cookie'])
      },
    })
    const login = { status: 303, headers: { location: '/welcome', 'set-cookie': 'session=1' } }
    const script = { [`${A}/login`]: login, [`${A}/welcome`]: {} }
    const { seen } = await run(script, { spider: pathSpider([`${A}/login`]), plugins: [jar] })

    expect(seen.map(({ outbound }) => outbound.headers['cookie'])).toEqual([undefined, 'session=1'])
  })

  it('to itself is asked again twice, for the cookies, and then given up', async () => {
    const { asked, report } = await run({ [`${A}/`]: to('/#top') }, { spider: pathSpider([`${A}/`]) })

    expect(paths(asked)).toEqual(['/', '/', '/'])
    expect(report.failures).toEqual([{ reason: 'redirect-loop', count: 1 }])
  })

  it('in a ring ends where it meets itself for the second time, for the cookies', async () => {
    const { asked, report } = await run({ [`${A}/1`]: to('/2'), [`${A}/2`]: to('/1') }, { spider: pathSpider([`${A}/1`]) })

    expect(paths(asked)).toEqual(['/1', '/2', '/1', '/2'])
    expect(report.counts).toMatchObject({ known: 2, moved: 2 })
  })

  it('is followed ten times in a row, no further', async () => {
    const script = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`${A}/r?n=${n}`, to(`/r?n=${n + 1}`)]))
    const { asked, report } = await run(script, { spider: pathSpider([`${A}/r?n=0`]) })

    expect(asked).toHaveLength(11)
    expect(report.failures).toEqual([{ reason: 'redirect-limit', count: 1 }])
  })

  it.each(['file:///etc/passwd', 'javascript:alert(1)', 'data:,x', '//[', 'http://x:99999/', ''])(
    'to %j fails, and nothing is asked',
    async (location) => {
      const { asked, report } = await run({ [`${A}/`]: to(location) }, { spider: pathSpider([`${A}/`]) })

      expect(asked.length).toBeLessThanOrEqual(3)
      expect(['redirect-target', 'redirect-loop']).toContain(report.failures[0]?.reason)
    },
  )

  it.each([
    { status: 301, method: 'POST', becomes: 'GET' },
    { status: 302, method: 'POST', becomes: 'GET' },
    { status: 303, method: 'PUT', becomes: 'GET' },
    { status: 307, method: 'POST', becomes: 'POST' },
    { status: 308, method: 'POST', becomes: 'POST' },
  ])('$status after $method asks with $becomes', async ({ status, method, becomes }) => {
    const headers = { 'content-type': 'text/plain', 'Content-Language': 'en', 'x-api-key': 'k' }
    const spider = pathSpider([], { seeds: [{ url: `${A}/form`, method, body: 'a=1', headers }] })
    const { seen } = await run({ [`${A}/form`]: to('/done', status), [`${A}/done`]: {} }, { spider })

    expect(seen[1]?.outbound.method).toBe(becomes)
    expect(seen[1]?.outbound.body).toBe(becomes === 'GET' ? undefined : 'a=1')
    const { 'content-type': type, 'content-language': language, 'x-api-key': key } = seen[1]?.outbound.headers ?? {}
    expect([type, language, key]).toEqual(becomes === 'GET' ? [undefined, undefined, 'k'] : ['text/plain', 'en', 'k'])
  })
})

describe('an immediate refresh', () => {
  const HTML = { 'content-type': 'text/html' }
  const HOME = 'http://home.test'
  const refreshing = (content: string): object => ({ headers: HTML, body: `<meta http-equiv=refresh content=${content}>` })
  const target = { headers: HTML, body: '<a href=/more>more</a>' }
  const spider = pathSpider([], {
    seeds: [{ url: `${HOME}/`, data: 7 }],
    handlers: {
      *start(page) {
        const { depth, data } = page.request
        yield { url: page.url.href, depth, data }
        yield* page.links({ handler: 'other' })
      },
      *other({ url, request }) {
        yield { url: url.href, depth: request.depth }
      },
    },
  })

  it.each<[string, object]>([
    ['a meta element', refreshing('0;url=/en/')],
    ['a quoted meta element', refreshing(`"10; URL='/en/'"`)],
    ['the Refresh field', { headers: { ...HTML, refresh: '0; url=/en/' } }],
    ['the Refresh field of an empty response', { headers: { refresh: '0; url=/en/' } }],
  ])('in %s is a redirect of page.links()', async (_where, home) => {
    const web = { [`${HOME}/`]: home, [`${HOME}/en/`]: target, [`${HOME}/more`]: {} }
    const { items } = await run(web, { spider })

    expect(items).toEqual([
      { url: `${HOME}/`, depth: 0, data: 7 },
      { url: `${HOME}/en/`, depth: 0, data: 7 },
      { url: `${HOME}/more`, depth: 1 },
    ])
  })

  it.each([
    [
      'a page that links elsewhere',
      { headers: HTML, body: '<meta http-equiv=refresh content="9;url=/login?from=/"><a href=/more>more</a>' },
    ],
    ['a live page that loads itself again with a new query', refreshing('"10; url=/?_=1"')],
  ])('of %s is not followed', async (_what, home) => {
    const web = { [`${HOME}/`]: home, [`${HOME}/more`]: {}, [`${HOME}/login?from=/`]: {}, [`${HOME}/?_=1`]: {} }
    const { asked } = await run(web, { spider })

    expect(paths(asked).filter((path) => path !== '/more')).toEqual(['/'])
  })

  it('of a page that links only to where it leads is followed once', async () => {
    const home = { headers: HTML, body: '<meta http-equiv=refresh content="0;url=/en/"><a href=/en/>click here</a>' }
    const { items } = await run({ [`${HOME}/`]: home, [`${HOME}/en/`]: {} }, { spider })

    expect(items).toMatchObject([
      { url: `${HOME}/`, depth: 0 },
      { url: `${HOME}/en/`, depth: 0 },
    ])
  })

  it('of a seed to another site is refused, and the report says so', async () => {
    const web = { [`${HOME}/`]: refreshing('0;url=http://ads.test/'), 'http://ads.test/': target }
    const { asked, report } = await run(web, { spider })

    expect(paths(asked)).toEqual(['/'])
    expect(report.problems.map(({ message }) => message)).toEqual([
      'seed http://home.test/ redirects to http://ads.test/, which is refused (off-host): nothing of that seed is crawled; allow the target in the scope, or make it the seed',
    ])
  })

  it('of a seed takes the host that it leads to into the crawl', async () => {
    const web = {
      [`${HOME}/`]: refreshing('0;url=http://www.home.test/'),
      'http://www.home.test/': target,
      'http://www.home.test/more': {},
    }
    const { asked } = await run(web, { spider })

    expect(paths(asked)).toEqual(['/', '/', '/more'])
  })

  it.each([
    ['after more than ten seconds', '11;url=/en/'],
    ['to the page itself', '5;url=/'],
  ])('%s is none', async (_what, content) => {
    const { asked } = await run({ [`${HOME}/`]: refreshing(content), [`${HOME}/en/`]: target }, { spider })

    expect(paths(asked)).toEqual(['/'])
  })

  it('without an end is bounded by the depth of the crawl', async () => {
    const endless = Object.fromEntries(
      Array.from({ length: 99 }, (_, n) => [`${HOME}/${n || ''}`, refreshing(`0;url=/${n + 1}`)] as const),
    )
    const { asked } = await run(endless, { spider: { ...spider, scope: { maxDepth: 1 } } })

    expect(asked).toHaveLength(22)
  })
})
