// The DOM is built within a budget: hostile markup is refused in time, ordinary markup never.
import { AvocetError } from '@avocet/core'
import { load } from 'cheerio/slim'
import { parse } from 'parse5'
import { adapter } from 'parse5-htmlparser2-tree-adapter'
import { describe, expect, it } from 'vitest'
import { buildDom, domInSteps } from '../../src/markup/dom.ts'
import { scanHtml } from '../../src/markup/scanner.ts'

function build(html: string): ReturnType<typeof buildDom> {
  return buildDom(html, 'html', scanHtml(html).maxAttributes)
}

/** How it ended, after how many ms. */
function outcome(html: string): { readonly code: string; readonly tookMs: number } {
  const start = performance.now()
  try {
    build(html)
    return { code: 'built', tookMs: performance.now() - start }
  } catch (error) {
    if (!(error instanceof AvocetError)) throw error
    return { code: error.code, tookMs: performance.now() - start }
  }
}

describe('the DOM budget', () => {
  it('takes 500 levels and refuses 600', () => {
    expect(outcome('<div>'.repeat(500)).code).toBe('built')
    expect(outcome('<div>'.repeat(600)).code).toBe('AVO_PAGE_TOO_DEEP')
  })

  it('does not take long pages for deep ones', () => {
    const page = `<ul>${'<li>One<li>Two'.repeat(2_000)}</ul>${'<p>Three'.repeat(2_000)}<svg>${'<path d="x"/>'.repeat(2_000)}</svg>${'<br><img src=x>'.repeat(2_000)}`

    expect(build(page)('li')).toHaveLength(4_000)
  })

  it('takes 1,000 attributes and refuses 1,001', () => {
    const attributes = Array.from({ length: 1_001 }, (_, n) => `a${n}`)

    expect(outcome(`<p ${attributes.slice(1).join(' ')}>`).code).toBe('built')
    expect(outcome(`<p ${attributes.join(' ')}>`).code).toBe('AVO_PAGE_TOO_DEEP')
  })

  it.each([
    ['100,000 levels', '<div>'.repeat(100_000)],
    ['levels behind wrong end tags', '<div></x>'.repeat(100_000)],
    ['misnested formatting', '<b><div></b>'.repeat(50_000)],
    ['scopes', '<div><table><td></div>'.repeat(50_000)],
    ['pictures', '<svg><foreignObject><div>'.repeat(50_000)],
    ['100,000 attributes', `<p ${Array.from({ length: 100_000 }, (_, n) => `a${n}`).join(' ')}>`],
  ])('refuses %s at once', (_, html) => {
    const { code, tookMs } = outcome(html)

    expect(code).toBe('AVO_PAGE_TOO_DEEP')
    expect(tookMs).toBeLessThan(3_000)
  })

  it.each([
    ['table soup', `<table>${'x<i></i>'.repeat(60_000)}`],
    ['select soup', `<select>${'<option>x<b>'.repeat(50_000)}`],
    ['formatting soup', '<p><b id=x><i>'.repeat(20_000)],
    ['an open comment', `<!--${'x'.repeat(4_000_000)}`],
    ['less-than signs', '<'.repeat(1_000_000)],
  ])('is done with %s in time', (_, html) => {
    expect(outcome(html).tookMs).toBeLessThan(8_000)
  })
})

describe.each(['html', 'xml'] as const)('a character reference (%s)', (parser) => {
  it.each(['f'.repeat(400), '110000', `${'0'.repeat(400)}41`])('to code point %s does not throw', (digits) => {
    const text = buildDom(`<p>&#x${digits};</p>`, parser, 1)('p').text()

    expect(text).toBe(digits.endsWith('41') ? 'A' : '\uFFFD')
  })
})

describe('a document that is built in steps', () => {
  // Whatever a piece ends in: a tag, an attribute, a reference, a pair of surrogates, a comment, a line break, a table that text does not belong in.
  const pieces = [
    '<p class="a b">one &amp; two',
    ' 𝄞',
    '<!-- - -->',
    '\r\n',
    '<table>x<tr><td>y</table>',
    '<b><i>z</b></i>',
    '&notin;',
    '</p>',
  ]

  it('is the same as in one go, wherever the pieces end', () => {
    for (let shift = 0; shift < 7; shift++) {
      const html = 'x'.repeat(shift) + pieces.join('').repeat(1_000)
      const steps = domInSteps(html, 'html', 1)
      let count = 0
      let step = steps.next()
      for (; step.done !== true; step = steps.next()) count++

      expect(count).toBeGreaterThan(1)
      expect(step.value.html()).toBe(load(parse(html, { treeAdapter: adapter })).html())
    }
  })

  it('is refused in the middle when it is too deep', () => {
    const steps = domInSteps(`${'<p>x</p>'.repeat(8_000)}${'<div>'.repeat(600)}`, 'html', 0)

    expect(() => [...steps]).toThrow('nested at most 512 deep')
  })
})
