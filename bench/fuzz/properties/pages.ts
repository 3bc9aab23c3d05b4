// HTML: the scanner against parse5, which is the standard, on mutated pages and on soup; and what is read of a page, which never throws.
//
// As in the scanner's own test, what it does not claim to know is left out: `<template>`, `<select>`, `<frameset>`, and where HTML begins again in pictures.
import { pageOf } from '@avocet/page'
import * as fc from 'fast-check'
import assert from 'node:assert/strict'
import { parse, type DefaultTreeAdapterTypes as Tree } from 'parse5'
import { foldSpace } from '../../../packages/page/src/markup/element-text.ts'
import { HtmlScanner, scanHtml } from '../../../packages/page/src/markup/scanner.ts'
import { corpusOf } from '../corpus.ts'
import { mutated, mutatedText } from '../mutated.ts'
import { property, type Property } from '../property.ts'

const MARKUP = [
  ...[
    '<',
    '>',
    '</',
    '/>',
    '"',
    "'",
    '=',
    '<!--',
    '-->',
    '--!>',
    '<!-->',
    '<!',
    '<?',
    '<![CDATA[',
    ']]>',
    '&',
    '&amp;',
    '&lt',
    '&#0;',
    '&#x',
  ],
  ...[
    '<a href=x>',
    '</a>',
    '<a href="',
    "<a href='",
    '<A HREF=',
    ' href=y',
    ' HREF',
    '<area href=z>',
    '<title>',
    '</title>',
    '<script>',
    '</script>',
  ],
  ...[
    '<script><!--<script>',
    '<style>',
    '</style',
    '<textarea>',
    '</textarea>',
    '<xmp>',
    '<iframe>',
    '</iframe>',
    '<noscript>',
    '</noscript>',
  ],
  ...[
    '<meta name=robots content=none>',
    '<base href=/b/>',
    '<p>',
    '</p>',
    '<table>',
    '<td>',
    '<b>',
    '<plaintext>',
    '<noembed>',
    '\0',
    '\f',
    '\r\n',
    'é',
  ],
] as const
const LONG_VALUE = 3_000
/** What parse5 and the scanner need not agree on. */
const UNCLAIMED = /<(?:template|select|frameset|svg|math|noframes|plaintext|option|optgroup|selectedcontent)/i

const recorded = { files: corpusOf('pages'), tokens: MARKUP }
const soup = fc
  .array(fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...MARKUP) }, fc.string({ maxLength: 4 })), { maxLength: 16 })
  .map((all) => all.join(''))
const text = fc.oneof(soup, mutatedText(recorded))

interface Found {
  readonly hrefs: Set<string>
  readonly titles: string[]
  readonly robots: string[]
}

/** NUL is U+FFFD in a tree. */
const shown = (value: string): string => value.replaceAll('\0', '\u{FFFD}')

function foundBy5(html: string): Found {
  const found: Found = { hrefs: new Set(), titles: [], robots: [] }
  const nodes: Tree.Node[] = [parse(html, { scriptingEnabled: false })]
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    if ('tagName' in node) note(node, found)
    if ('childNodes' in node) nodes.push(...node.childNodes.toReversed())
  }
  return found
}

function note(element: Tree.Element, found: Found): void {
  const attribute = (name: string): string | undefined => element.attrs.find((each) => each.name === name)?.value
  const [href, content] = [attribute('href'), attribute('content')]
  if ((element.tagName === 'a' || element.tagName === 'area') && href !== undefined) found.hrefs.add(href)
  if (element.tagName === 'title')
    found.titles.push(foldSpace(element.childNodes.map((node) => ('value' in node ? node.value : '')).join(''), 1_000))
  if (element.tagName === 'meta' && attribute('name')?.trim().toLowerCase() === 'robots' && content !== undefined)
    found.robots.push(content)
}

/** parse5 7.3 throws at a character reference of some hundred digits, if only zeros. */
const TOO_LONG_FOR_5 = /&#(?:x[0-9a-f]{100}|\d{100})/i

const links = property(
  {
    name: 'scanner-links',
    what: 'the scanner finds the links, the title and the robots directives that parse5 finds',
    runs: 1_500,
  },
  text,
  (html) => {
    if (UNCLAIMED.test(html) || TOO_LONG_FOR_5.test(html)) return
    // The parser of a text has line ends of one kind: the standard makes them so before anything else.
    const plain = html.replaceAll(/\r\n?/g, '\n')
    const expected = foundBy5(plain)
    // The scanner reads 16 KiB of a value, however many references they are.
    if ([...expected.hrefs, ...expected.robots].some((value) => value.length > LONG_VALUE)) return
    const scan = scanHtml(plain)
    assert.deepEqual(new Set(scan.anchors.map((anchor) => shown(anchor.href))), expected.hrefs, 'links')
    if (expected.robots.length <= 10) assert.deepEqual(new Set(scan.robots.map(shown)), new Set(expected.robots), 'robots')
    if ((expected.titles[0] ?? '').length < 1_000) assert.equal(shown(scan.title), shown(expected.titles[0] ?? ''), 'title')
  },
)

const steps = property(
  { name: 'scanner-steps', what: 'a page that is scanned a stretch at a time is the same page', runs: 1_500 },
  fc.tuple(mutatedText(recorded), fc.integer({ min: 1, max: 500 })),
  ([html, step]) => {
    const scanner = new HtmlScanner(html)
    for (let end = step; !scanner.isDone; end += step) scanner.advance(end)
    assert.deepEqual(scanner.found, scanHtml(html))
  },
)

const contentType = fc.constantFrom(
  ...[
    'text/html',
    'text/html; charset=utf-8',
    'text/html;charset=shift_jis',
    'application/xhtml+xml',
    'text/xml',
    'text/plain',
    '',
    'x',
    'application/json',
  ],
  ...[
    'text/html;charset=utf-16le',
    'text/html; charset=iso-2022-jp',
    'text/html; charset=hz-gb-2312',
    'text/html; charset=windows-1252',
    'text/html;charset=x',
  ],
)

const pages = property(
  { name: 'page', what: 'whatever a body is, reading a page of it throws nothing, and in steps it is the same', runs: 800 },
  fc.record({ body: mutated(recorded), type: contentType, tag: fc.string({ maxLength: 30 }) }),
  ({ body, type, tag }) => {
    const source = pageSource(body, { 'content-type': type, 'x-robots-tag': tag })
    const [page, inSteps] = [pageOf(source), pageOf(source)]
    const reading = inSteps.inSteps()
    while (reading.next().done !== true);
    assert.deepEqual(summaryOf(inSteps), summaryOf(page))
    for (const { url } of page.anchors) assert.equal(new URL(url).href, url)
  },
)

function pageSource(body: Uint8Array, headers: Readonly<Record<string, string>>): Parameters<typeof pageOf>[0] {
  const url = 'https://shop.example/list/1?a=b'
  const timings = { firstByteMs: 1, bodyMs: 1, reusedSocket: false }
  const request = { url, method: 'GET', handler: 'start', depth: 0, priority: 0 } as unknown as Parameters<
    typeof pageOf
  >[0]['request']
  return { request, response: { url, status: 200, headers, body, wireBytes: body.length, timings } }
}

function summaryOf(page: ReturnType<typeof pageOf>): unknown {
  const { anchors, title, robots, refresh, baseUrl, canonical, truncated, charset, body } = page
  return { anchors, links: [...page.links()].length, title, robots, refresh, baseUrl, canonical, truncated, charset, body }
}

/** All of this file. */
export const PAGE_PROPERTIES: readonly Property[] = [links, steps, pages]
