// Parameters that a scope drops: links that differ in nothing else are one page, which is requested without them, whatever leads to it.
import { link, type CrawlConfig, type Scope } from 'avocet'
import { describe, expect, it } from 'vitest'
import { pathSpider, run } from '../harness.ts'
import type { Answer } from '../scripted-web.ts'

const A = 'http://a.test'
const ok: Answer = { body: 'here' }
const to = (location: string): Answer => ({ status: 302, headers: { location } })
const urls = (seen: readonly { readonly outbound: { readonly url: string } }[]): string[] =>
  seen.map(({ outbound }) => outbound.url.slice(A.length))

/** Pages by path; `/` links to `links`. Everything else yields its path and query. */
function crawled(
  { links = [], scope, seeds = ['/'] }: { links?: readonly string[]; scope?: Scope; seeds?: readonly string[] },
  pages: Readonly<Record<string, Answer | readonly Answer[]>> = {},
  config: Partial<CrawlConfig> = {},
) {
  const spider = pathSpider(
    seeds.map((seed) => A + seed),
    {
      ...(scope && { scope }),
      handlers: {
        *start(page) {
          yield { url: page.url.pathname + page.url.search }
          if (page.url.pathname === '/') for (const href of links) yield link(href)
        },
      },
    },
  )
  const web = Object.fromEntries(Object.entries({ '/': ok, ...pages }).map(([path, answer]) => [A + path, answer]))
  return run(web, { spider, ...config })
}

describe('parameters that a scope drops', () => {
  it('make links that differ in tracking alone one page, requested without it, by default', async () => {
    const links = ['/a?utm_source=x', '/a?gclid=1&utm_medium=y', '/a', '/b?n=1&fbclid=z', '/b?n=1']
    const { seen, report, items } = await crawled({ links }, { '/a': ok, '/b?n=1': ok })

    expect(urls(seen)).toEqual(['/', '/a', '/b?n=1'])
    expect(report.counts).toMatchObject({ known: 3, done: 3, failed: 0 })
    expect(items).toEqual([{ url: '/' }, { url: '/a' }, { url: '/b?n=1' }])
  })

  it('are those of the scope, and none with an empty list', async () => {
    const links = ['/a?ref=1', '/a?ref=2&utm_id=3']
    const ref = await crawled(
      { links, scope: { dropParameters: { tracking: false, names: ['ref'] } } },
      { '/a': ok, '/a?utm_id=3': ok },
    )
    const both = await crawled({ links, scope: { dropParameters: { names: ['ref'] } } }, { '/a': ok })
    const none = await crawled(
      { links, scope: { dropParameters: { tracking: false } } },
      { '/a?ref=1': ok, '/a?ref=2&utm_id=3': ok },
    )

    expect(urls(ref.seen)).toEqual(['/', '/a', '/a?utm_id=3'])
    expect(urls(both.seen)).toEqual(['/', '/a'])
    expect(urls(none.seen)).toEqual(['/', '/a?ref=1', '/a?ref=2&utm_id=3'])
  })

  it('are dropped from seeds as well', async () => {
    const { seen } = await crawled({ seeds: ['/a?utm_source=x', '/a'] }, { '/a': ok })

    expect(urls(seen)).toEqual(['/a'])
  })

  it('are sessions in paths where the scope says so', async () => {
    const links = ['/a;jsessionid=1?b', '/a;jsessionid=2?b&PHPSESSID=3']
    const { seen } = await crawled({ links, scope: { dropParameters: { sessions: true } } }, { '/a?b': ok })

    expect(urls(seen)).toEqual(['/', '/a?b'])
  })

  it('are not seen by allow and deny', async () => {
    const scope: Scope = { deny: [/utm_/], allow: [/\/$/, /\/a$/] }
    const { seen } = await crawled({ links: ['/a?utm_source=x'], scope }, { '/a': ok })

    expect(urls(seen)).toEqual(['/', '/a'])
  })

  it('leave identity and method of a link as they are', async () => {
    const handlers = {
      *start() {
        for (const identity of ['de', 'fr']) yield link('/a?utm_id=1', { identity, handler: 'page' })
        yield link('/a?utm_id=1', { method: 'POST', body: 'x', handler: 'page' })
      },
      *page() {},
    }
    const { seen } = await run({ [`${A}/`]: ok, [`${A}/a`]: ok }, { spider: pathSpider([`${A}/`], { handlers }) })

    expect(seen.map(({ outbound }) => `${outbound.method} ${outbound.url.slice(A.length)}`)).toEqual([
      'GET /',
      'GET /a',
      'GET /a',
      'POST /a',
    ])
  })
})

describe('a list of parameters that means nothing', () => {
  it.each([
    [['ref'], "expected scope.dropParameters to be an object, got ['ref']"],
    [{ traking: true }, "scope.dropParameters has no option 'traking' (did you mean 'tracking'?)"],
    [{ tracking: 1 }, 'expected scope.dropParameters.tracking to be true or false, got 1'],
    [{ names: 'ref' }, "expected scope.dropParameters.names to be a list, got 'ref'"],
    [
      { names: ['ref', '*'] },
      "expected scope.dropParameters.names[1] to be the name of a query parameter, such as 'ref' or 'ref_*', got '*'",
    ],
    [{ names: ['a=b'] }, "got 'a=b'"],
    [{ names: ['u*m'] }, "got 'u*m'"],
    [{ names: [''] }, "got ''"],
    [{ names: [7] }, 'got 7'],
    [{ names: [undefined] }, 'got nothing'],
  ])('is refused: %j', async (dropParameters, message) => {
    const wrong = { dropParameters } as unknown as Scope

    await expect(crawled({ scope: wrong })).rejects.toThrow(message)
  })
})

describe('a redirect that adds parameters that are dropped', () => {
  it('to the same page is followed as the server writes it, and the page is known by its plain URL', async () => {
    const links = ['/a?utm_source=other']
    const { seen, items, report, frontier } = await crawled(
      { links, seeds: ['/a', '/'] },
      { '/a': to('/a?utm_source=x'), '/a?utm_source=x': ok },
    )

    expect(urls(seen).toSorted()).toEqual(['/', '/a', '/a?utm_source=x'])
    expect(items).toHaveLength(2)
    expect(report.counts).toMatchObject({ known: 2, done: 2, moved: 0, failed: 0 })
    expect(await frontier.reader.requests({ url: `${A}/a` })).toMatchObject([{ state: 'done' }])
  })

  it('and back, once its cookie was set, is followed to the page', async () => {
    const { items, report } = await crawled({ seeds: ['/a'] }, { '/a': [to('/a?utm_source=x'), ok], '/a?utm_source=x': to('/a') })

    expect(items).toEqual([{ url: '/a' }])
    expect(report.counts).toMatchObject({ known: 1, done: 1, failed: 0 })
  })

  it.each([
    ['to and fro', { '/a': to('/a?utm_source=x'), '/a?utm_source=x': to('/a') }, 4],
    ['to itself', { '/a': to('/a?utm_source=x'), '/a?utm_source=x': to('/a?utm_source=x') }, 4],
  ])('ends as a loop: %s', async (_what, pages, asked) => {
    const { seen, frontier } = await crawled({ seeds: ['/a'] }, pages)

    expect(seen).toHaveLength(asked)
    expect(await frontier.reader.requests({ url: `${A}/a` })).toMatchObject([{ state: 'failed', reason: 'redirect-loop' }])
  })

  it('to another value each time ends after ten hops', async () => {
    const hops = Array.from({ length: 20 }, (_, n) => [`/a${n === 0 ? '' : `?utm_id=${n}`}`, to(`/a?utm_id=${n + 1}`)])
    const { seen, frontier } = await crawled({ seeds: ['/a'] }, Object.fromEntries(hops))

    expect(seen).toHaveLength(11)
    expect(await frontier.reader.requests({ url: `${A}/a` })).toMatchObject([{ state: 'failed', reason: 'redirect-limit' }])
  })

  it('to another page is followed without them, and does not double a page that is known', async () => {
    const links = ['/go/1', '/go/2', '/a']
    const pages = { '/go/1': to('/a?utm_source=1'), '/go/2': to('/b?utm_source=2'), '/a': ok, '/b': ok }
    const { seen, report } = await crawled({ links }, pages)

    expect(urls(seen).toSorted()).toEqual(['/', '/a', '/b', '/go/1', '/go/2'])
    expect(report.counts).toMatchObject({ known: 5, done: 3, moved: 2 })
  })
})

describe('a parameter that is secret', () => {
  it.each(['SID', 's*'])('cannot be dropped as %s', async (name) => {
    const contradiction = crawled({ scope: { dropParameters: { names: [name] } } }, {}, { secretParameters: ['sid'] })

    await expect(contradiction).rejects.toMatchObject({
      code: 'AVO_CONFIG_INVALID',
      message: expect.stringContaining('got sid in both') as string,
    })
  })
})
