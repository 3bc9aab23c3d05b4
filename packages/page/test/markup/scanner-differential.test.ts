// The scanner against parse5, which is the standard: on generated soup both find the same links, title and metadata.
//
// Left out of the soup is what the scanner does not claim to know, as said at its top: `<select>`, `<frameset>`, and in pictures
// the places where HTML may begin again. parse5 repeats an anchor that is misnested, so links are compared as sets.
import * as fc from 'fast-check'
import { parse, type DefaultTreeAdapterTypes as Tree } from 'parse5'
import { describe, expect, it } from 'vitest'
import { foldSpace } from '../../src/markup/element-text.ts'
import { scanHtml } from '../../src/markup/scanner.ts'

interface Found {
  readonly hrefs: Set<string>
  readonly titles: string[]
  readonly robots: Set<string>
}

function found(html: string): Found {
  const result: Found = { hrefs: new Set(), titles: [], robots: new Set() }
  visit(parse(html, { scriptingEnabled: false }), result)
  return result
}

function visit(node: Tree.Node, result: Found): void {
  if ('tagName' in node) {
    const attribute = (name: string): string | undefined => node.attrs.find((each) => each.name === name)?.value
    const href = attribute('href')
    const content = attribute('content')
    if ((node.tagName === 'a' || node.tagName === 'area') && href !== undefined) result.hrefs.add(href)
    if (node.tagName === 'title' && node.namespaceURI.endsWith('xhtml')) result.titles.push(foldSpace(textOf(node)))
    if (node.tagName === 'meta' && attribute('name') === 'robots' && content !== undefined) result.robots.add(content)
  }
  if ('childNodes' in node) for (const child of node.childNodes) visit(child, result)
}

function textOf(node: Tree.Node): string {
  if ('value' in node) return node.value
  return 'childNodes' in node ? node.childNodes.map(textOf).join('') : ''
}

const value = fc.constantFrom(
  'x',
  '"y"',
  "'z'",
  '"a b"',
  "'>'",
  '"<a href=q>"',
  '&amp;',
  '"&copy=1&lt;"',
  '"',
  "'",
  '',
  'a"b',
  'a=b',
  '/u/',
)
const name = fc.constantFrom(
  'href',
  'HREF',
  'rel',
  'title',
  'content',
  'x=',
  '"',
  '=',
  '/',
  'data-href',
  'hre',
  'name=robots',
  '\t',
  '\n',
)
const attribute = fc.tuple(name, fc.constantFrom('=', ' = ', '', ' '), value).map((parts) => parts.join(''))
const tagName = fc.constantFrom(
  'a',
  'A',
  'p',
  'div',
  'b',
  'table',
  'td',
  'area',
  'meta',
  'abbr',
  'script',
  'style',
  'title',
  'textarea',
  'iframe',
  'xmp',
  'noscript',
  'br',
  'i',
  'li',
  'h1',
  'a1',
  'a-b',
  'noembed',
  'template',
)
const tag = fc
  .tuple(
    fc.constantFrom('<', '<', '</'),
    tagName,
    fc.array(attribute, { maxLength: 3 }),
    fc.constantFrom('>', '>', '/>', '', ' '),
  )
  .map(([open, element, attributes, close]) => `${open}${[element, ...attributes].join(' ')}${close}`)
const rest = fc.constantFrom(
  'text',
  ' ',
  '<',
  '>',
  '<!--',
  '-->',
  '--!>',
  '<!-->',
  '--',
  '-',
  '<!',
  '<?',
  '</',
  '</>',
  '<!doctype html>',
  '<![CDATA[',
  ']]>',
  '&lt;',
  '"',
  "'",
  '<!--<script',
  '</script>',
  '</title>',
  '<script>',
  '\0',
)
const soup = fc.array(fc.oneof(tag, tag, rest), { maxLength: 14 }).map((parts) => parts.join(''))

describe('the scanner and parse5', () => {
  it('find the same in soup', () => {
    fc.assert(
      fc.property(soup, (html) => {
        const expected = found(html)
        const scan = scanHtml(html)
        expect(new Set(scan.anchors.map((anchor) => anchor.href.replaceAll('\0', '\u{FFFD}')))).toEqual(expected.hrefs)
        expect(new Set(scan.robots.map((content) => content.replaceAll('\0', '\u{FFFD}')))).toEqual(expected.robots)
        expect(scan.title.replaceAll('\0', '\u{FFFD}')).toBe(expected.titles[0] ?? '')
      }),
      { numRuns: 5_000 },
    )
  })

  it('read the same text in anchors that are well nested', () => {
    const inline = fc.constantFrom(
      'one',
      ' ',
      '\n\t',
      '&amp;',
      '&nbsp;',
      '<b>two</b>',
      '<img alt=x>',
      '<!-- no -->',
      '<',
      '&lt;p&gt;',
      'ü',
      '<br>',
      '&#65;',
      '&bogus;',
      '&copy',
    )
    fc.assert(
      fc.property(fc.array(inline, { maxLength: 10 }), (parts) => {
        const html = `<p><a href=x>${parts.join('')}</a>after`
        const document = parse(html, { scriptingEnabled: false })
        const texts: string[] = []
        const walk = (node: Tree.Node): void => {
          if ('tagName' in node && node.tagName === 'a') texts.push(foldSpace(textOf(node), 200))
          else if ('childNodes' in node) node.childNodes.forEach(walk)
        }
        walk(document)
        expect(scanHtml(html).anchors.map((anchor) => anchor.text)).toEqual(texts)
      }),
      { numRuns: 1_000 },
    )
  })
})
