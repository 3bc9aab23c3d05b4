// Which URLs are of one page by the field of its server (draft-ietf-httpbis-no-vary-search), and what is kept of a host.
import { describe, expect, it } from 'vitest'
import { SamePages, searchVariance } from '../src/same-pages.ts'

const AT = 'https://shop.test/p'

/** Whether two queries are of one page. */
const isSame = (field: string, a: string, b: string): boolean | undefined => {
  const variance = searchVariance(field)
  return variance && variance(AT + a).page === variance(AT + b).page
}

describe('a field', () => {
  it.each([
    ['key-order', '?a=1&b=2', '?b=2&a=1', true],
    ['key-order', '?a=1&a=2', '?a=2&a=1', false],
    ['key-order', '?a=1', '?a=1&b=2', false],
    ['params=("utm_source" "ref")', '?id=7&ref=mail', '?utm_source=x&id=7', true],
    ['params=("ref")', '?id=7&ref=mail', '?id=8&ref=mail', false],
    ['params=("ref")', '?a=1&b=2', '?b=2&a=1', false],
    ['params=("ref"), key-order', '?a=1&b=2&ref=x', '?b=2&a=1', true],
    ['params, except=("id")', '?id=7&view=list', '?id=7', true],
    ['params, except=("id")', '?id=7&view=list', '?id=8&view=list', false],
    ['params, key-order, except=()', '?a=1', '?b=1', true],
    ['params=?1, except=("id")', '?a=1', '', true],
    // The first page of a list is often the same with its number, which says nothing of the others.
    ['params=("page" "p" "offset" "after")', '?page=1', '?page=2', false],
    ['params=("page" "p" "offset" "after")', '?p=1', '?p=2', false],
    ['params, except=("id")', '?cur_page=1', '?cur_page=2', false],
    ['params=("%C3%A9+%E6%B0%97")', '?%C3%A9%20%E6%B0%97=3', '?%C3%A9+%E6%B0%97=4', true],
    ['params=("a%26b")', '?a%26b=1', '', true],
    // Once a field says anything, queries are compared as forms read them.
    ['key-order', '', '?', true],
    ['key-order', '?a=x', '?%61=%78', true],
    ['key-order', '?a=%f6', '?a=%ef%bf%bd', true],
    ['key-order', '?a=x&&&&', '?a=x', true],
    ['key-order', '?a=', '?a', true],
    ['key-order', '?a=%20', '?a=+', true],
    ['key-order=?0, params=("ref")', '?ref=1', '?ref=2', true],
    // Of several members of one name the last counts.
    ['params=("a"), params=("b")', '?a=1', '?a=2', false],
  ])('%s: %s and %s: %s', (field, a, b, same) => {
    expect(isSame(field, a, b)).toBe(same)
  })

  it.each([
    ['', 'params=?0', 'params=()', 'key-order=?0'],
    // Meant for a cache.
    ['params', 'params=?1', 'params, key-order', 'params=("a"), params'],
    ['unknown-key', 'key-order="not a boolean"', 'params="not a boolean or inner list"', 'params=(not-a-string)'],
    ['params=("a"), except=("x")', 'params=(), except=()', 'params=?0, except=("x")', 'params, except=(not-a-string)'],
    ['params, except="not an inner list"', 'params, except=?1', 'except=("x")', 'except=()', 'params,', 'params=("a""b")'],
    // Allowed, or may be one day: to leave it out costs requests only.
    ['params;a=1', 'params, more=1', String.raw`params=("a\"b")`, 'params=("a&b")'],
  ])('says nothing: %s, %s, %s, %s', (...written) => {
    expect(written.map((field) => searchVariance(field))).toEqual(written.map(() => undefined))
  })

  it('of more than 1,024 characters is not read', () => {
    const named = (count: number): string => `params=(${Array.from({ length: count }, (_, n) => `"p${n}"`).join(' ')})`

    expect(searchVariance(named(100))).toBeDefined()
    expect([named(10_000), `params=(${'('.repeat(64_000)}`].map((field) => searchVariance(field))).toEqual([undefined, undefined])
  })
})

const REF = 'params=("ref")'
type Handled = Parameters<SamePages['handled']>[0]
type Asked = Handled['request']

const asked = (path: string, more: Partial<Asked> = {}): Asked =>
  ({ url: `https://shop.test${path}`, method: 'GET', headers: {}, handler: 'start', depth: 1, ...more }) as Asked

/** A page that was answered with `field`. */
const answered = (
  path: string,
  { field = REF, text = path.split('?')[0] ?? '', ...more }: Partial<Asked> & { field?: string; text?: string } = {},
): Handled =>
  ({
    request: asked(path, more),
    response: {
      status: 200,
      headers: field === '' ? {} : { 'no-vary-search': field },
      body: new TextEncoder().encode(`<p>one two ${text}</p>`),
    },
  }) as unknown as Handled

/** A host whose field was right three times. */
function trusting(): SamePages {
  const pages = new SamePages(undefined)
  for (const path of ['/a?ref=1', '/a?ref=2', '/b?ref=1', '/b?ref=2', '/b?ref=3']) pages.handled(answered(path))
  return pages
}

describe('a page', () => {
  it('represents the spellings of its URL once three others were the same', () => {
    const pages = new SamePages(undefined)
    const after = (path: string): string | number | undefined => {
      pages.handled(answered(path))
      return pages.ofOther(asked('/a?ref=9'), 0)
    }

    expect(['/a?ref=1', '/a?ref=2', '/a?ref=3', '/a'].map(after)).toEqual([
      ...[undefined, undefined, undefined],
      'https://shop.test/a?ref=1',
    ])
    expect(pages.ofOther(asked('/a?ref=1'), 0)).toBeUndefined()
    expect(pages.ofOther(asked('/c?ref=9'), 0)).toBeUndefined()
  })

  it('represents no other path, host, handler, session or method, and for no request with fields of its own', () => {
    const pages = trusting()
    const others: Partial<Asked>[] = [
      { url: 'http://shop.test/a?ref=9' },
      { url: 'https://shop.test:8443/a?ref=9' },
      { url: 'https://shop.test/a/?ref=9' },
      { handler: 'product' },
      { identity: '{"session":"alice"}' },
      { method: 'POST', body: '' },
      { headers: { 'accept-language': 'de' } },
      { url: 'https://shop.test/a?ref=9&token=__secret__' },
    ]

    expect(pages.ofOther(asked('/a?ref=9'), 0)).toBe('https://shop.test/a?ref=1')
    expect(others.map((other) => pages.ofOther(asked('/a?ref=9', other), 0))).toEqual(others.map(() => undefined))
  })

  it('that is a list has a URL for each of its parts, though their first parts have two', () => {
    const pages = new SamePages(undefined)
    const field = 'params=("view")'
    for (const list of ['a', 'b', 'c'])
      for (const [n, path] of [`/${list}`, `/${list}?view=1`, `/${list}?view=2`, `/${list}?view=3`].entries())
        pages.handled(answered(path, { field, text: `${list} part ${Math.max(1, n)}` }))

    expect(pages.ofOther(asked('/a?view=4'), 0)).toBeUndefined()
  })

  it('that differs has seven be the same before others are believed to be, in its folder and for its parameters', () => {
    const pages = new SamePages(undefined)
    const field = 'params=("ref" "view")'
    for (const n of [1, 2, 3, 4]) pages.handled(answered(`/a?ref=${n}`, { field }))
    for (const n of [1, 2]) pages.handled(answered(`/b?view=${n}`, { field, text: `view ${n}` }))
    const believed = [3, 4, 5, 6, 7, 8, 9].map((n) => {
      pages.handled(answered(`/b?view=${n}`, { field, text: 'view 1' }))
      return pages.ofOther(asked('/b?view=99'), 0) !== undefined
    })

    expect(pages.ofOther(asked('/a?ref=9'), 0)).toBe('https://shop.test/a?ref=1')
    expect(believed).toEqual([false, false, false, false, false, false, true])
  })

  it('that is on its way has other spellings wait for ten seconds, once their server is known to be right', () => {
    const pages = trusting()

    expect(pages.ofOther(asked('/c?ref=1'), 5_000)).toBeUndefined()
    expect(pages.ofOther(asked('/c?ref=1'), 5_000)).toBeUndefined()
    expect(pages.ofOther(asked('/c?ref=2'), 6_000)).toBe(7_000)
    expect(pages.ofOther(asked('/c?ref=2'), 14_500)).toBe(15_000)
    expect(pages.ofOther(asked('/c?ref=2'), 15_000)).toBeUndefined()
  })

  it.each<[string, (pages: SamePages) => void]>([
    ['is answered without the field', (pages) => pages.handled(answered('/a?ref=1', { field: '' }))],
    ['is answered with another field', (pages) => pages.handled(answered('/a?ref=1', { field: 'params=("from")' }))],
    ['is answered without the field in another spelling', (pages) => pages.handled(answered('/a?ref=2', { field: '' }))],
    ['fails', (pages) => pages.settled(asked('/a?ref=1'), { outcome: { kind: 'failed', reason: 'http-404' }, refused: [] })],
    ['moves', (pages) => pages.settled(asked('/a?ref=1'), { outcome: { kind: 'moved', target: '/' }, refused: [] } as never)],
    [
      'must not be requested any more',
      (pages) =>
        pages.settled(asked('/a?ref=9'), {
          outcome: { kind: 'moved', target: '/' },
          refused: [['deny', 'shop.test', 1]],
        } as never),
    ],
  ])('represents no others once it %s', (_, happens) => {
    const pages = trusting()

    happens(pages)

    expect(pages.ofOther(asked('/a?ref=9'), 0)).toBeUndefined()
    expect(pages.ofOther(asked('/b?ref=9'), 0)).toBe('https://shop.test/b?ref=1')
  })

  it('represents the others after a 304, and where another spelling fails', () => {
    const pages = trusting()
    const { request } = answered('/a?ref=1')

    pages.handled({ request, response: { status: 304, headers: {}, body: new Uint8Array() } } as unknown as Handled)
    pages.settled(asked('/a?ref=2'), { outcome: { kind: 'failed', reason: 'robots' }, refused: [] })

    expect(pages.ofOther(asked('/a?ref=9'), 0)).toBe('https://shop.test/a?ref=1')
  })
})

describe('what is kept of a host', () => {
  it('is the same at rest', () => {
    const pages = trusting()

    expect(new SamePages(pages.changedText(true)).ofOther(asked('/a?ref=9'), 0)).toBe('https://shop.test/a?ref=1')
    expect(pages.changedText(true)).toBeUndefined()
    expect(new SamePages(undefined).changedText(true)).toBeUndefined()
  })

  it('is bounded: 2,000 pages and four fields, whatever a server sends; the oldest are forgotten', () => {
    const pages = trusting()
    for (let n = 0; n < 5_000; n++) {
      pages.handled(answered(`/a?ref=1`))
      pages.handled(answered(`/p/${n}?ref=${'\\'.repeat(95)}`))
      pages.handled(answered(`/q/${n}?ref=1`, { field: `params=("${'x'.repeat(900)}${n}")` }))
    }

    const text = pages.changedText(true) ?? ''
    expect(text.length).toBeLessThan(512 * 1024)
    expect(pages.variances.size).toBe(4)
    expect(pages.ofOther(asked('/a?ref=9'), 0)).toBe('https://shop.test/a?ref=1')
    expect(pages.ofOther(asked('/b?ref=9'), 0)).toBeUndefined()
  })
})
