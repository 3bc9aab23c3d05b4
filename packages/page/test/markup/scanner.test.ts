// What the scanner finds in markup, and that no markup makes it slow.
import { describe, expect, it } from 'vitest'
import { scanHtml } from '../../src/markup/scanner.ts'

function hrefs(html: string): readonly string[] {
  return scanHtml(html).anchors.map((anchor) => anchor.href)
}

describe('anchors', () => {
  it.each([
    ['double quotes', '<a href="x">', ['x']],
    ['single quotes', "<a href='x'>", ['x']],
    ['no quotes', '<a href=x/y/>', ['x/y/']],
    ['upper case', '<A HREF=x>', ['x']],
    ['white space everywhere', '<a\n\thref\n=\n"x"\n>', ['x']],
    ['a slash for a space', '<a/href="x"/>', ['x']],
    ['no space after a value', '<a title="t"href="x">', ['x']],
    ['an empty value', '<a href>', ['']],
    ['a missing value', '<a href=>x', ['']],
    ['the first of two', '<a href=x href=y>', ['x']],
    ['references', '<a href="?a=1&amp;b=2&copy=3&#x2f;">', ['?a=1&b=2&copy=3/']],
    ['names that begin like a reference', '<a href="?a&ltlang=1&gtl=2&ltq&notify=3">', ['?a&ltlang=1&gtl=2&ltq&notify=3']],
    ['an area', '<map><area href=x></map>', ['x']],
    ['other names with a', '<abbr href=x><article href=x><a:b href=x><ab href=x>', []],
    ['another attribute', '<a data-href=x xhref=y hrefs=z>', []],
    ['a name', '<a name=x>', []],
    ['a greater-than sign in a value', '<p title="a>b<a href=no>"><a href=x>', ['x']],
    ['an equals sign before a name', '<p ="<a href=no>"><a href=x>', ['x']],
    ['a quote in a tag name of 80 characters', `<${'s<'.repeat(40)}="><a href="x">`, ['x']],
    ['a comment', '<!-- <a href=no> --><a href=x>', ['x']],
    ['a comment that ends with --!>', '<!-- <a href=no> --!><a href=x>', ['x']],
    ['comments that end at once', '<!--><a href=x><!---><a href=y>-->', ['x', 'y']],
    ['dashes in a comment', '<!-- - -- --- <a href=no> ----><a href=x>', ['x']],
    ['a comment that never ends', '<a href=x><!-- <a href=no>', ['x']],
    ['a declaration', '<!doctype html "a><a href=x>', ['x']],
    ['a processing instruction', '<?php echo "<a href=no"; ?><a href=x>', ['x']],
    ['a CDATA section in HTML is a comment', '<![CDATA[ <a href=no> <a href=x> ]]>', ['x']],
    ['a CDATA section in SVG is text', '<svg><![CDATA[ <a href=no> ]]></svg><a href=x>', ['x']],
    ['an end tag that is none', '</ <a href=no>><a href=x>', ['x']],
    ['attributes of an end tag', '</p title="<a href=no>"><a href=x>', ['x']],
    ['a script', '<script>"<a href=no>"</script><a href=x>', ['x']],
    ['a script that ends with an attribute', '<SCRIPT><a href=no></Script \n a=b><a href=x>', ['x']],
    ['a script that names its end', '<script>"</scripts>"<a href=no></script><a href=x>', ['x']],
    ['a script within a script', '<script><!-- <script> </script> <a href=no> --></script><a href=x>', ['x']],
    ['a script with a comment that is one', '<script><!-- --><script></script><a href=x>', ['x']],
    ['a script that never ends', '<a href=x><script><a href=no>', ['x']],
    [
      'other raw text',
      '<style><a href=no></style><textarea><a href=no></textarea><title><a href=no></title><iframe><a href=no></iframe><xmp><a href=no></xmp><noembed><a href=no></noembed><noframes><a href=no></noframes><a href=x>',
      ['x'],
    ],
    ['a tag that is like one', '<styles><a href=x></styles>', ['x']],
    ['a template', '<template><a href=no><template></template><a href=no></template><a href=x>', ['x']],
    ['a template in an anchor', '<a href=x><template></a><a href=no></template></a><a href=y>', ['x', 'y']],
    ['a template that a picture ends in', '<template><svg></template><a href=x>', ['x']],
    ['a template that never ends', '<a href=x><template><a href=no>', ['x']],
    ['what browsers show of a template', '<template shadowrootmode=open><a href=x></template><a href=y>', ['x', 'y']],
    ['plain text', '<a href=x><plaintext><a href=no></plaintext><a href=no>', ['x']],
    ['what a browser without scripting sees', '<noscript><a href=x></noscript>', ['x']],
    ['a tag cut short', '<a href=x><a href="no', ['x']],
    ['a tag cut short after its value', '<a href=x><a href="no"', ['x']],
    ['a tag cut short within a value', '<a href=x><a href=no title=">', ['x']],
    ['lone signs', '< <> <1 <<a href=x>>', ['x']],
    ['text that is not ASCII', '<a href="ü?ж=😀">', ['ü?ж=😀']],
  ])('reads %s', (_, html, expected) => {
    expect(hrefs(html)).toEqual(expected)
  })

  it.each([
    ['folds white space', '<a href=x>\n  One\t two\u00A0 three </a>', 'One two three'],
    ['goes through other tags', '<a href=x><b>O</b>ne<br><!-- no --><script>no</script> two</a> three', 'One two'],
    ['decodes references', '<a href=x>&lt;p&gt; caf&eacute; &amp;amp;</a>', '<p> café &amp;'],
    ['ends at the next anchor', '<a href=x>One<a href=y>Two', 'One'],
    ['keeps signs that are no tags', '<a href=x>1 < 2 <3</a>', '1 < 2 <3'],
    ['goes on to the end', '<a href=x>One', 'One'],
    ['is not that of a template in it', '<a href=x>One<template> no</template> two</a>', 'One two'],
    ['is empty around an image', '<a href=x><img alt=no></a>', ''],
  ])('have a text that %s', (_, html, text) => {
    expect(scanHtml(html).anchors[0]?.text).toBe(text)
  })

  it('have a text of at most 200 characters, never half of one', () => {
    expect(scanHtml(`<a href=x>${'ab '.repeat(100_000)}`).anchors[0]?.text).toHaveLength(200)
    expect(scanHtml(`<a href=x>a${'😀'.repeat(200)}`).anchors[0]?.text).toBe(`a${'😀'.repeat(99)}`)
  })

  it('are nofollow by a token of rel', () => {
    const { anchors } = scanHtml(
      '<a href=1 rel=nofollow><a href=2 rel="external NOFOLLOW"><a href=3 rel="nofollows"><a href=4 rel>',
    )

    expect(anchors.map((anchor) => anchor.nofollow)).toEqual([true, true, false, false])
  })
})

describe('metadata', () => {
  it('takes the first title of the document, not that of a picture', () => {
    expect(scanHtml('<svg><title>no</title></svg><title>\n The &amp; <b>one</b>\n</title><title>no</title>').title).toBe(
      'The & <b>one</b>',
    )
    expect(scanHtml('<svg><div><title>yes').title).toBe('yes')
    expect(scanHtml('<svg/><title>yes').title).toBe('yes')
    expect(scanHtml('<svg a=b/><title>no').title).toBe('')
    expect(scanHtml('').title).toBe('')
  })

  it('lists every base, but for those in noscript', () => {
    expect(
      scanHtml('<base target=_top><base href=x><noscript><base href=no></noscript><BASE HREF=y><script><base href=no></script>')
        .bases,
    ).toEqual(['x', 'y'])
  })

  it('is not read in a template', () => {
    const inert = '<base href=x><title>no</title><link rel=canonical href=x><meta name=robots content=none>'

    expect(scanHtml(`<template>${inert}<meta http-equiv=refresh content="0;url=x"></template><title>yes</title>`)).toMatchObject({
      ...{ title: 'yes', bases: [], robots: [], refreshes: [] },
    })
    expect(scanHtml(`<template>${inert}</template>`)).not.toHaveProperty('canonical')
  })

  it('takes the first canonical link', () => {
    expect(
      scanHtml('<link rel=stylesheet href=no><link rel="Canonical x" href=one><link rel=canonical href=two>').canonical,
    ).toBe('one')
    expect(scanHtml('<link rel=canonical>')).not.toHaveProperty('canonical')
  })

  it('lists robots and refresh contents', () => {
    const scan = scanHtml(
      '<meta name=Robots content=noindex><meta name=description content=robots><META HTTP-EQUIV=Refresh CONTENT="1;url=x"><noscript><meta http-equiv=refresh content="0;url=no"></noscript>',
    )

    expect(scan.robots).toEqual(['noindex'])
    expect(scan.refreshes).toEqual(['1;url=x'])
  })
})

describe('limits', () => {
  it('takes 10,000 anchors and says that there were more', () => {
    const one = '<a href="/p">x</a>'

    expect(scanHtml(one.repeat(10_000))).toMatchObject({ truncated: false, anchors: { length: 10_000 } })
    expect(scanHtml(one.repeat(10_001))).toMatchObject({ truncated: true, anchors: { length: 10_000 } })
  })

  it('counts the attributes of the tag that has most', () => {
    expect(scanHtml('<p a b=1 c="2" d><a href=x>').maxAttributes).toBe(4)
  })

  // Each takes some 50 ms; what is quadratic takes minutes.
  it.each([
    ['less-than signs', '<'.repeat(5_000_000)],
    ['an unclosed comment', `<!--${'-- <!--'.repeat(700_000)}`],
    ['comments that nearly end', '<!-- -->'.slice(0, 6).repeat(800_000)],
    ['unclosed scripts', '<script>'.repeat(600_000)],
    ['scripts with comments', '<script><!--</script>'.repeat(200_000)],
    ['scripts twice escaped', `<script>${'<!--<script>'.repeat(400_000)}`],
    ['unclosed titles', '<title>'.repeat(700_000)],
    ['unclosed values', '<a href="'.repeat(500_000)],
    ['100,000 attributes', `<p ${Array.from({ length: 100_000 }, (_, n) => `a${n}=1`).join(' ')}>`],
    ['a million links', '<a href="/p?i=1">'.repeat(1_000_000)],
    ['an endless text', `<a href=x>${'x'.repeat(5_000_000)}`],
    ['endless ampersands', `<a href="${'&amp'.repeat(1_000_000)}">${'&'.repeat(1_000_000)}`],
    ['pictures', '<svg>'.repeat(1_000_000)],
    ['CDATA sections', `<svg>${'<![CDATA['.repeat(500_000)}`],
    ['spaces', `<a href=x rel="${' '.repeat(5_000_000)}">`],
  ])('stays linear on %s', (_, html) => {
    const start = performance.now()
    scanHtml(html)

    expect(performance.now() - start).toBeLessThan(30_000)
  })
})
