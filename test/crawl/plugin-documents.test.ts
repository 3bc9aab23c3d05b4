// Documents of plugins: ordinary requests whose handlers yield links to pages, in any store, over runs, beyond the scope, and within a budget of their own.
import { crawl, definePlugin, link, type Plugin } from 'avocet'
import { describe, expect, it } from 'vitest'
import { pathSpider, run } from './harness.ts'
import { html, runs } from './runs.ts'

const HOST = 'http://shop.test'
const DAY_MS = 24 * 3_600_000

/** Reads lists of paths, one in a line; `path date` says when it was modified. The first document is added when it opens. */
function lists(options: { readonly everyMs?: number; readonly url?: string } = {}): Plugin {
  const { url = `${HOST}/map`, ...rest } = options
  return definePlugin({
    name: 'lists',
    handlers: {
      list: {
        ...rest,
        *handle(page) {
          for (const line of page.body.split('\n')) {
            const [path = '', modifiedAt] = line.split(' ')
            const handler = path.endsWith('map') ? 'lists/list' : 'start'
            yield link(path, { handler, ...(modifiedAt !== undefined && { modifiedAt: Number(modifiedAt) }) })
          }
        },
      },
    },
    open: ({ add }) => add({ url, handler: 'lists/list', again: true }),
  })
}

const body = (...lines: readonly string[]): { readonly body: string } => ({ body: lines.join('\n') })

const MOVED = { status: 302, headers: { location: '/' } }

describe.each(['memory', 'sqlite'])('documents of plugins, in a store of %s', (kind) => {
  it('are read in each run, and what they list is requested once', async () => {
    const script = {
      [`${HOST}/`]: html(),
      [`${HOST}/map`]: body('/a', '/b-map'),
      [`${HOST}/b-map`]: body('/b'),
      [`${HOST}/a`]: html(),
      [`${HOST}/b`]: html(),
    }
    const all = await runs(kind, { script, spider: pathSpider([`${HOST}/`]) }, { plugins: [lists()] }, { plugins: [lists()] })

    expect(all.map(({ asked }) => asked.toSorted())).toEqual([
      ['GET /', 'GET /a', 'GET /b', 'GET /b-map', 'GET /map'],
      ['GET /map'],
    ])
    expect(all.map(({ report }) => [report.ended, report.run.items, report.driedUp])).toEqual([
      ['done', 3, []],
      ['done', 0, []],
    ])
    expect(all.map(({ report: { counts, documents } }) => [counts.done, documents])).toEqual([
      [5, 2],
      [5, 2],
    ])
  })

  it.each([
    { what: 'is gone in one run', answers: [body('/a'), { status: 404 }, body('/a')], documents: [1, undefined, 1] },
    { what: 'fails in the first run', answers: [{ status: 404 }, body('/a'), body('/a')], documents: [undefined, 1, 1] },
    { what: 'moves in one run', answers: [body('/a'), MOVED, body('/a')], documents: [1, 1, 2] },
  ])('count as done while they are, where a list $what', async ({ answers, documents }) => {
    const script = { [`${HOST}/`]: html(), [`${HOST}/map`]: answers, [`${HOST}/a`]: html() }
    const config = { plugins: [lists()] }
    const all = await runs(kind, { script, spider: pathSpider([`${HOST}/`]) }, config, config, config)

    const pages = all.map(({ records }) => records.filter(({ state, handler }) => state === 'done' && handler === 'start').length)
    expect(all.map(({ report }) => report.documents)).toEqual(documents)
    expect(all.map(({ report: { counts, documents: given = 0 } }) => counts.done - given)).toEqual(pages)
  })

  it('have a page visited again that was modified since it was fetched, once in a run, and leave the others alone', async () => {
    const begins = 1_767_225_600_000
    const dates = [begins + DAY_MS / 2, 0, -1, begins - DAY_MS, begins + 90 * DAY_MS]
    const listed = body(...dates.map((at, n) => `/${n} ${at}`), '/none')
    const pages = Object.fromEntries(['/', '/none', ...dates.map((_, n) => `/${n}`)].map((path) => [HOST + path, html()]))
    const spiderOf = pathSpider([`${HOST}/`])
    const config = { plugins: [lists()] }
    const all = await runs(kind, { script: { ...pages, [`${HOST}/map`]: listed }, spider: spiderOf }, config, config, config)

    expect(all.map(({ asked }) => asked.length)).toEqual([8, 2, 1])
    expect(all[1]?.asked).toEqual(['GET /map', 'GET /0'])
    expect(all.map(({ report }) => report.sources)).toEqual([
      [{ url: `${HOST}/map`, links: 6, added: 6, due: 0 }],
      [{ url: `${HOST}/map`, links: 6, added: 0, due: 1 }],
      [{ url: `${HOST}/map`, links: 6, added: 0, due: 0 }],
    ])
  })

  it('are not requested while their plugin is missing, which is said, and wait again when it is there', async () => {
    const script = { [`${HOST}/`]: html(), [`${HOST}/map`]: body('/a', '/b-map'), [`${HOST}/b-map`]: body('/b') }
    const pages = { [`${HOST}/a`]: html(), [`${HOST}/b`]: html() }
    const [, without, after] = await runs(
      kind,
      { script: { ...script, ...pages }, spider: pathSpider([`${HOST}/`]) },
      { plugins: [lists()], maxPages: 2 },
      {},
      { plugins: [lists()] },
    )

    expect(without?.asked).toEqual(['GET /a'])
    expect(without?.report.failures).toEqual([{ reason: 'handler-unknown', count: 1 }])
    expect([without?.report.handlerErrors, without?.report.problems.map(({ message }) => message)]).toEqual([
      [],
      [
        expect.stringMatching(
          /^requests for the handler lists\S+, which neither the spider \(it has: start\) nor a plugin has, are not sent/,
        ),
      ],
    ])
    expect(after?.asked.toSorted()).toEqual(['GET /b', 'GET /b-map', 'GET /map'])
  })

  it('add URLs when a plugin sees a document that it requires, with what the plugin remembers of it', async () => {
    const plugin = definePlugin({
      name: 'rules',
      hostMemory: () => ({ read: false }),
      handlers: { list: { handle: (page) => page.body.split('\n').map((path) => link(path)) } },
      admit(ask, memory) {
        if (memory.read) return
        ask.require(`${HOST}/rules`, (document) => {
          memory.read = true
          document.add({ url: `${HOST}/map`, handler: 'rules/list' })
        })
      },
    })
    const script = { [`${HOST}/`]: html(), [`${HOST}/rules`]: {}, [`${HOST}/map`]: body('/a'), [`${HOST}/a`]: html() }
    const all = await runs(kind, { script, spider: pathSpider([`${HOST}/`]) }, { plugins: [plugin] }, { plugins: [plugin] })

    expect(all.map(({ asked }) => asked.toSorted())).toEqual([['GET /', 'GET /a', 'GET /map', 'GET /rules'], []])
  })
})

describe('documents of plugins', () => {
  it('may be outside of the scope, which holds for what they list; a depth is counted from them', async () => {
    const script = {
      [`${HOST}/`]: {},
      'http://cdn.test/map': body(`${HOST}/a`, 'http://other.test/', 'http://blocked.test/x-map'),
      [`${HOST}/a`]: {},
    }
    const made = pathSpider([`${HOST}/`], { scope: { maxDepth: 1, deny: [/map/], blockedHosts: ['blocked.test'] } })
    const { asked, report } = await run(script, { spider: made, plugins: [lists({ url: 'http://cdn.test/map' })] })

    expect(asked.map((line) => line.split(' ')[1]).toSorted()).toEqual(['/', '/a', '/map'])
    expect(report.refusedLinks.map(({ rule, count }) => [rule, count])).toEqual([
      ['off-host', 1],
      ['blocked-host', 1],
    ])
  })

  it('are followed through redirects, which open no site', async () => {
    const script = {
      [`${HOST}/`]: {},
      [`${HOST}/map`]: { status: 301, headers: { location: 'http://cdn.test/map' } },
      'http://cdn.test/map': body('/x', `${HOST}/a`),
      [`${HOST}/a`]: {},
    }
    const { asked, report } = await run(script, { spider: pathSpider([`${HOST}/`]), plugins: [lists()] })

    expect(asked.map((line) => line.split(' ')[1]).toSorted()).toEqual(['/', '/a', '/map', '/map'])
    expect(report.problems).toEqual([])
  })

  it('list as much as their host may, however small the budget of its pages is; the rest is left out and said', async () => {
    const paths = Array.from({ length: 30 }, (_, n) => `/${n}`)
    const script = {
      [`${HOST}/`]: {},
      [`${HOST}/map`]: body(...paths),
      ...Object.fromEntries(paths.map((path) => [HOST + path, {}])),
    }
    const discoveryLimits = { maxUrlsPerPage: 1, firstUrlsPerHost: 1, maxListedUrlsPerHost: 20 }
    const { report } = await run(script, { spider: pathSpider([`${HOST}/`]), plugins: [lists()], discoveryLimits, maxYields: 1 })

    expect([report.ended, report.counts.known]).toEqual(['done', 22])
    expect(report.problems.map(({ message }) => message)).toEqual([
      `${HOST}/map lists more new URLs than documents of shop.test may add (20): the others are left out; raise discoveryLimits.maxListedUrlsPerHost`,
    ])
  })

  it('are requested again at their interval, and a crawl that has such does not end by itself', async () => {
    const script = { [`${HOST}/`]: {}, [`${HOST}/map`]: [body('/a'), body('/a', '/b')], [`${HOST}/a`]: {}, [`${HOST}/b`]: {} }
    const spiderOf = pathSpider([`${HOST}/`])
    const { asked, report } = await run(script, {
      spider: spiderOf,
      plugins: [lists({ everyMs: 3_600_000 })],
      maxTimeMs: 2.5 * 3_600_000,
    })

    expect(asked.filter((line) => line.endsWith('/map')).length).toBe(3)
    expect(asked.filter((line) => line.endsWith('/b')).length).toBe(1)
    expect(report.ended).toBe('limit')
  })

  it('fail where their handler yields an item, and never meet the handlers of the spider', async () => {
    const plugin = definePlugin({
      name: 'bad',
      handlers: { list: { handle: () => [{ no: 'link' }] as never } },
      open: ({ add }) => add({ url: `${HOST}/map`, handler: 'bad/list' }),
    })
    const { report, items } = await run(
      { [`${HOST}/`]: {}, [`${HOST}/map`]: {} },
      { spider: pathSpider([`${HOST}/`]), plugins: [plugin] },
    )

    expect(items).toEqual([{ path: '/' }])
    expect(report.failures).toEqual([{ reason: 'handler-yield-invalid', count: 1 }])
  })

  it.each([
    { handlers: [] },
    { handlers: { A: { handle() {} } } },
    { handlers: { a: {} } },
    { handlers: { a: { handle() {}, everyMs: 0 } } },
    { handlers: { a: { handle() {}, maxBytes: Number.NaN } } },
  ])('are refused when a plugin declares them as %o', (part) =>
    expect(run({}, { spider: pathSpider([`${HOST}/`]), plugins: [{ name: 'wrong', ...part } as never] })).rejects.toMatchObject({
      code: 'AVO_PLUGIN_INVALID',
    }),
  )
})

describe('a plugin that sends URLs to a handler', () => {
  const made = (name: string) => () =>
    crawl({
      spider: pathSpider([`${HOST}/`]),
      policies: [],
      plugins: [definePlugin({ name: 'lists', linksTo: typeof name === 'string' ? [name] : name })],
    })

  it('names them in a list', () => {
    expect(made(5 as never)).toThrow(expect.objectContaining({ code: 'AVO_PLUGIN_INVALID' }))
  })
})
