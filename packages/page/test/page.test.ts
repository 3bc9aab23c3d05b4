// A response as a handler sees it. Rows marked w3lib and scrapy are from scrapy/w3lib's test_html and scrapy's test_linkextractors.
import type { Page } from '@avocet/core'
import type { ResponseHeaders } from '@avocet/core/plugin'
import { pageOf } from '@avocet/page'
import { load } from 'cheerio'
import { describe, expect, it } from 'vitest'
import { requestOf, responseOf } from '../../core/test/page-parts.ts'

const URL_OF_PAGE = 'https://shop.example/a/b?c=d'

interface Given {
  readonly headers?: ResponseHeaders
  readonly url?: string
  readonly userAgent?: string
}

function page(
  body: string | Uint8Array,
  { headers = { 'content-type': 'text/html; charset=utf-8' }, url = URL_OF_PAGE, userAgent }: Given = {},
): Page {
  return pageOf({ request: requestOf(url), response: responseOf(headers, body, url), userAgent })
}

function urls(given: Page): readonly string[] {
  return given.anchors.map((anchor) => anchor.url)
}

describe('page', () => {
  it('knows its URL, title and text', () => {
    const given = page('<title>The shop</title><body><h1> Our\n prices </h1><script>no</script><p>low</p>')

    expect(given.url.href).toBe(URL_OF_PAGE)
    expect(given.title).toBe('The shop')
    expect(given.text('h1')).toBe('Our prices')
    expect(given.text('script')).toBe('no')
    expect(given.text('h2')).toBe('')
    expect(given.text()).toBe('Our prices low')
  })

  it('resolves anchors and leaves out what is no http(s) URL', () => {
    const given = page(
      '<a href=e>1</a><a href="/e#f">2</a><a href=mailto:x>3</a><a href="java\nscript:x">4</a><a href="http://[">5</a><area href="?g">',
    )

    expect(given.anchors).toEqual([
      { url: 'https://shop.example/a/e', text: '1', nofollow: false, element: 'a' },
      { url: 'https://shop.example/e', text: '2', nofollow: false, element: 'a' },
      { url: 'https://shop.example/a/b?g', text: '', nofollow: false, element: 'area' },
    ])
    expect(given.truncated).toBe(false)
  })

  it.each([
    ['href with spaces', '<a href="  /x  ">', 'https://shop.example/x'],
    ['another host', '<a href="//other.example/x">', 'https://other.example/x'],
    ['three slashes', '<a href="https:///other.example/x">', 'https://other.example/x'],
    ['backslashes', '<a href="\\\\other.example\\x">', 'https://other.example/x'],
    ['only a question mark', '<a href="?">', 'https://shop.example/a/b?'],
    ['only a hash', '<a href="#">', URL_OF_PAGE],
    ['credentials', '<a href="http://user:pw@other.example/">', 'http://other.example/'],
    ['an international name', '<a href="http://bücher.example/">', 'http://xn--bcher-kva.example/'],
    ['an escaped NUL', '<a href="/%00">', 'https://shop.example/%00'],
    ['escaped dots', '<a href="/x/..%2f..">', 'https://shop.example/x/..%2f..'],
  ])('takes %s as browsers do', (_, html, url) => {
    expect(urls(page(html))).toEqual([url])
  })

  it('drops an href of 100 KB', () => {
    expect(urls(page(`<a href="/${'x'.repeat(100_000)}"><a href="/y">`))).toEqual(['https://shop.example/y'])
  })
})

describe('base', () => {
  it.each([
    ['none', '<p>', URL_OF_PAGE],
    ['absolute (w3lib)', "<base href='http://example.org/something' />", 'http://example.org/something'],
    ['relative to the page (w3lib)', "<base href='/absolutepath' />", 'https://shop.example/absolutepath'],
    ['the first of two', '<base href="http://one.example/"><base href="http://two.example/">', 'http://one.example/'],
    ['in the body', '<body><p><base href="http://one.example/">', 'http://one.example/'],
    ['data: is none', '<base href="data:text/html,x"><base href="http://one.example/">', 'http://one.example/'],
    ['in a comment that never ends (w3lib)', '<!-- <base href="http://example.com/"/>', URL_OF_PAGE],
    [
      'after a comment in a comment (w3lib)',
      '<!-- <!--  <base href="http://a.example/"/> -- -->  <base href="http://b.example/"/> ',
      'http://b.example/',
    ],
    ['in noscript (w3lib)', '<noscript><base href="http://evil.example/"></noscript>', URL_OF_PAGE],
    [
      'in a script (w3lib)',
      '<script><base href="http://evil.example/"></script><base href="http://example.org/found/">',
      'http://example.org/found/',
    ],
    ['split by a comment (w3lib)', '<base h<!--c-->ref="http://example.com/">', URL_OF_PAGE],
    ['another element (w3lib)', "<basefoo href='http://example.org/something' />", URL_OF_PAGE],
  ])('%s', (_, html, baseUrl) => {
    expect(page(html).baseUrl).toBe(baseUrl)
  })

  it('counts for the anchors before it, too', () => {
    expect(urls(page('<a href=x><base href="http://one.example/">'))).toEqual(['http://one.example/x'])
  })
})

describe('refresh', () => {
  it.each([
    ['a URL (w3lib)', '5;url=http://example.org/newpage', 5, 'http://example.org/newpage'],
    ['upper case and spaces (w3lib)', '1; URL = http://example.org/newpage', 1, 'http://example.org/newpage'],
    ['a relative URL (w3lib)', '0;url=dummy.html', 0, 'https://shop.example/a/dummy.html'],
    ['quotes', "3; url='/x' y", 3, 'https://shop.example/x'],
    ['no "url="', '3, /x', 3, 'https://shop.example/x'],
    ['a fraction', '0.5;url=/x', 0.5, 'https://shop.example/x'],
    ['no digits', '.;url=/x', 0, 'https://shop.example/x'],
    ['very many digits', `${'9'.repeat(400)};url=/x`, 86_400, 'https://shop.example/x'],
  ])('%s', (_, content, delaySeconds, url) => {
    expect(page(`<meta http-equiv=refresh content="${content}">`).refresh).toEqual({ delaySeconds, url })
  })

  it.each(['5', '', ';url=/x', 'url=/x', '5x;url=/x', '٥; url=http://example.org/x', '5;url=javascript:x', '5;url='])(
    'none in %j',
    (content) => {
      expect(page(`<meta http-equiv=refresh content="${content}">`).refresh).toBeUndefined()
    },
  )

  it('is read from a tag that is not closed (w3lib)', () => {
    expect(page('<meta http-equiv="refresh" content="5;url=newpage"</head>').refresh?.url).toBe('https://shop.example/a/newpage')
  })

  it('takes the charset of the page into account (w3lib)', () => {
    const bytes = Buffer.from('<meta http-equiv="refresh" content="3; url=http://example.com/to\u00A3">', 'latin1')

    expect(page(bytes, { headers: { 'content-type': 'text/html; charset=latin1' } }).refresh?.url).toBe(
      'http://example.com/to%C2%A3',
    )
  })
})

describe('canonical and robots', () => {
  it('gives the canonical URL, absolute', () => {
    expect(page('<base href=/c/><link rel=canonical href="d#e">').canonical).toBe('https://shop.example/c/d')
    expect(page('<link rel=canonical href="mailto:x">').canonical).toBeUndefined()
    expect(page('').canonical).toBeUndefined()
  })

  it.each([
    ['nothing said', '', [], false, false],
    ['meta', '<meta name=robots content="noindex,NoFollow">', [], true, true],
    ['none', '<meta name=robots content=none>', [], true, true],
    ['two metas', '<meta name=robots content=noindex><meta name=robots content="follow nofollow">', [], true, true],
    ['for another crawler', '<meta name=otherbot content=none>', ['otherbot: noindex, nofollow'], false, false],
    ['a field', '', ['nofollow'], false, true],
    ['two fields', '', ['otherbot: nofollow', 'noarchive, NOINDEX'], true, false],
    ['a directive with a colon', '', ['unavailable_after: 25 Jun 2030 15:00:00 PST, noindex'], true, false],
    ['a date with a comma and colons', '', ['unavailable_after: Wed, 25 Jun 2030 15:00:00 GMT, noindex'], true, false],
    ['a field with spaces between its words', '', ['noindex nofollow'], true, true],
    ['a word that is like one', '<meta name=robots content=noindexed>', ['nofollows'], false, false],
  ])('%s', (_, html, fields, noindex, nofollow) => {
    expect(page(html, { headers: { 'content-type': 'text/html', 'x-robots-tag': fields } }).robots).toEqual({ noindex, nofollow })
  })

  it.each([
    ['a meta', '<meta name=Price-Watch content=nofollow>', [], false, true],
    ['a field', '', ['price-watch: noindex'], true, false],
    ['a field for several', '', ['otherbot: nofollow, Price-Watch: unavailable_after: 1 Jan 2030, noindex'], true, false],
    ['one of several fields', '', ['otherbot: noindex', 'price-watch: none', 'noarchive'], true, true],
    ['a field with a date', '', ['Price-Watch: unavailable_after: Wed, 01 Jan 2030 15:00:00 GMT, nofollow'], false, true],
    ['a field for others after us', '', ['price-watch: noindex, otherbot: nofollow'], true, false],
    ['a field for a name that is like ours', '', ['price: noindex', 'price-watch-2: nofollow'], false, false],
  ])('binds the crawler that %s names', (_, html, fields, noindex, nofollow) => {
    const headers = { 'content-type': 'text/html', 'x-robots-tag': fields }

    for (const userAgent of [
      'price-watch/2 (+https://x.example)',
      'Mozilla/5.0 (compatible; Price-Watch/2.1; +https://x.example)',
    ])
      expect(page(html, { headers, userAgent }).robots).toEqual({ noindex, nofollow })
  })
})

describe('links', () => {
  const markup = '<a class=k href=1>One</a><a class=k href=2 rel=nofollow>Two</a><p class=k>no</p><a href=3></a>'

  it('follows every anchor but nofollow ones, with its text', () => {
    expect([...page(markup).links()].map(({ url, options }) => [url, options])).toEqual([
      ['https://shop.example/a/1', { anchorText: 'One' }],
      ['https://shop.example/a/3', {}],
    ])
  })

  it('hands options on', () => {
    const [first] = page(markup).links({ handler: 'product', priority: 2, data: { n: 1 } })

    expect(first?.options).toEqual({ anchorText: 'One', handler: 'product', priority: 2, data: { n: 1 } })
  })

  it('follows the anchors that match a selector', () => {
    expect(
      [...page(markup).links('.k', { nofollow: 'ignore', handler: 'product' })].map(({ url, options }) => [url, options]),
    ).toEqual([
      ['https://shop.example/a/1', { anchorText: 'One', handler: 'product' }],
      ['https://shop.example/a/2', { anchorText: 'Two', handler: 'product' }],
    ])
    expect([...page(markup).links('.k')]).toHaveLength(1)
  })

  it('follows no anchor in a template', () => {
    const inert = page(`<template><a href=1>One</a></template><template shadowrootmode=open><a href=2>`)

    expect(urls(inert)).toEqual(['https://shop.example/a/2'])
    expect([...inert.links('a')].map(({ url }) => url)).toEqual(['https://shop.example/a/2'])
  })

  it.each([
    ['meta', '<meta name=robots content=nofollow>', {}],
    ['a field', '', { 'x-robots-tag': 'nofollow' }],
  ])('follows nothing when %s says nofollow, unless told to', (_, html, headers) => {
    const given = page(html + markup, { headers: { 'content-type': 'text/html', ...headers } })

    expect([...given.links()]).toEqual([])
    expect([...given.links('a')]).toEqual([])
    expect([...given.links({ nofollow: 'ignore' })]).toHaveLength(3)
    expect(given.anchors).toHaveLength(3)
  })

  it.each([{ nofollow: 'no' }, { nofollow: false }])('refuses %j: neither honours nofollow nor ignores it', (options) => {
    expect(() => [...page('<a href=/a>a</a>').links(options as never)]).toThrow(
      expect.objectContaining({
        code: 'AVO_HANDLER_LINK_INVALID',
        message: expect.stringContaining("expected nofollow of page.links() to be 'honour' or 'ignore', got ") as string,
      }) as Error,
    )
  })

  it('finds the links of scrapy’s sample page (scrapy)', () => {
    const sample =
      "<base href='http://example.com' /><area href='sample1.html' alt='sample1'/><a href='sample2.html'>sample 2<img src='sample2.jpg'/></a><a href='http://example.com/sample3.html' title='sample 3'>sample 3 text</a><a href='sample3.html#foo'>sample 3 repetition with fragment</a><a href='http://www.google.com/something'></a><a href='innertag.html'><strong>inner</strong> tag</a>"

    expect(urls(page(sample))).toEqual([
      'http://example.com/sample1.html',
      'http://example.com/sample2.html',
      'http://example.com/sample3.html',
      'http://example.com/sample3.html',
      'http://www.google.com/something',
      'http://example.com/innertag.html',
    ])
  })
})

describe('$', () => {
  it.each([
    ['tables', '<table><tr><td>1<td>2</table>'],
    ['misplaced text and elements', '<table>a<b>b<tr>c<i>d</table>e'],
    ['nested anchors', '<a href=1>y<a href=2>z'],
    ['misnested formatting', '<b>1<p>2</b>3<i>4</p>5'],
    ['noscript, comments, doctype', '<!doctype html><!-- x --><noscript><a href=1></noscript>'],
    ['a template and svg', '<template><p>x</template><svg viewBox="0 0 1 1"><path/></svg>'],
    ['references', '<p title="&lt;&quot;">&lt;&nbsp;&copy;</p>'],
  ])('is what cheerio gives on %s', (_, html) => {
    const { $ } = page(html)
    const whole = load(html)

    expect(
      $('*')
        .toArray()
        .map((element) => (element as { name?: string }).name),
    ).toEqual(
      whole('*')
        .toArray()
        .map((element) => (element as { name?: string }).name),
    )
    expect($('body').text()).toBe(whole('body').text())
    expect($('p, td, a').attr()).toEqual(whole('p, td, a').attr())
    expect(
      $('[href], [title]')
        .toArray()
        .map((element) => element.attribs),
    ).toEqual(
      whole('[href], [title]')
        .toArray()
        .map((element) => element.attribs),
    )
  })

  it('is built once', () => {
    const given = page('<p>')

    expect(given.$).toBe(given.$)
  })

  it('parses XML as XML', () => {
    const feed = page('<rss><item><link>http://x.example/</link></item></rss>', {
      headers: { 'content-type': 'application/rss+xml' },
    })

    expect(feed.$('item > link').text()).toBe('http://x.example/')
    expect(feed.isHtml).toBe(false)
  })
})

describe('other content', () => {
  it('gives JSON', () => {
    const given = page('\uFEFF{"a":[1]}', { headers: { 'content-type': 'application/json' } })

    expect(given.json<{ a: number[] }>().a).toEqual([1])
    expect(given.contentType).toBe('application/json')
    expect(() => page('no').json()).toThrow(SyntaxError)
  })

  it('reads no links from what is not HTML', () => {
    const given = page('{"a":"<a href=x>"}', { headers: { 'content-type': 'application/json', 'x-robots-tag': 'noindex' } })

    expect(given.anchors).toEqual([])
    expect(given.title).toBe('')
    expect(given.baseUrl).toBe(URL_OF_PAGE)
    expect(given.robots.noindex).toBe(true)
  })

  it.each([
    ['HTML', ' \n<!DOCTYPE html><p>', 'text/html', true],
    ['a comment', '<!-- x --><p>', 'text/html', true],
    ['text', 'Hello', 'text/plain', false],
    ['nothing', '', 'text/plain', false],
    ['XML', '<?xml version="1.0"?><a/>', 'text/xml', false],
    ['a PDF', '%PDF-1.7', 'application/pdf', false],
    ['bytes', Uint8Array.of(0, 1, 2, 3), 'application/octet-stream', false],
  ])('guesses %s when the server does not say', (_, body, contentType, isHtml) => {
    expect(page(body, { headers: {} })).toMatchObject({ contentType, isHtml })
    for (const field of ['nonsense', '', '*/*', 'unknown/unknown; charset=utf-8', 'Application/Unknown'])
      expect(page(body, { headers: { 'content-type': field } })).toMatchObject({ contentType, isHtml })
  })

  it('has the charset that was given with a type that says nothing', () => {
    expect(page('<p>', { headers: { 'content-type': '*/*; charset=windows-1251' } }).charset).toBe('windows-1251')
  })

  it('is of the last Content-Type, where a server sends several', () => {
    const headers = { 'content-type': ['text/plain; charset=shift_jis', 'text/html; charset=utf-8'] }
    const { contentType, charset, title } = page('<title>Zwölf</title>', { headers })

    expect({ contentType, charset, title }).toEqual({ contentType: 'text/html', charset: 'UTF-8', title: 'Zwölf' })
  })

  it('believes the server otherwise', () => {
    expect(page('<p>', { headers: { 'content-type': 'Text/PLAIN; charset=x' } }).contentType).toBe('text/plain')
    expect(page('<p>', { headers: { 'content-type': 'application/xhtml+xml' } }).isHtml).toBe(true)
  })
})
