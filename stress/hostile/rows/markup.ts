// Rows about pages: what is nested, repeated or left open in markup, and what is hidden in texts. A page that can be had must be had.
import { html, serves, servesBytes, whole } from '../answers.ts'
import type { Expected, HostileRow } from '../hostile-row.ts'

const MB = 1_000_000

/** A page of so much markup between a title and a link; both must be found. */
function big(name: string, does: string, make: () => string, expected: Expected = {}): HostileRow {
  return {
    name,
    does,
    play: {
      answer: servesBytes(() => whole(`<!doctype html><title>Big</title><a href="#here">here</a>${make()}`)),
    },
    expected: { pages: ['/'], titles: { '/': 'Big' }, ...expected },
  }
}

/** The same, of which a handler asks for the document as well: it gets it, or is told that it is too deep. */
function deep(name: string, does: string, make: () => string): HostileRow {
  return {
    ...big(name, does, make),
    handler: 'dom',
    expected: { mostRequests: 4 },
  }
}

/** The rows. */
export const MARKUP_ROWS: readonly HostileRow[] = [
  deep('nest-100k', 'nests 100,000 elements', () => '<div>'.repeat(100_000)),
  deep('nest-5k', 'nests 5,000 elements', () => '<div>'.repeat(5_000)),
  deep(
    'attrs-100k',
    'has 100,000 attributes on one element',
    () => `<p ${Array.from({ length: 100_000 }, (_, n) => `a${String(n)}=1`).join(' ')}>x</p>`,
  ),
  deep('table-soup', 'nests 20,000 tables without an end', () => '<table><tr><td>'.repeat(20_000)),
  deep('select-soup', 'has 100,000 selects and options without an end', () => '<select><option>'.repeat(100_000)),
  deep(
    'formatting-soup',
    'opens 50,000 formatting elements and closes them in the wrong order',
    () => '<b><i>'.repeat(25_000) + '</b></i>'.repeat(25_000),
  ),
  deep('svg-soup', 'nests foreign content', () => '<svg><math><foreignObject>'.repeat(10_000)),
  deep('template-soup', 'nests 20,000 templates', () => '<template>'.repeat(20_000)),
  big(
    'nest-scan',
    'nests 100,000 elements, and has a link at the end',
    () => `${'<div>'.repeat(100_000)}<a href="/end">end</a>`,
    {
      links: [2, 2],
      mostRequests: 6,
    },
  ),
  big(
    'links-million',
    'has 300,000 links',
    () => Array.from({ length: 300_000 }, (_, n) => `<a href="/p?i=${String(n)}">`).join(''),
    {
      links: [9_000, 10_000],
      mostKnown: 10_001,
      mostPages: 10_000,
      mostRequests: 10_010,
    },
  ),
  big(
    'links-900',
    'has 10,000 links of 900 characters',
    () => Array.from({ length: 10_000 }, (_, n) => `<a href="/${'p'.repeat(900)}${String(n)}">x</a>`).join(''),
    {
      mostRequests: 10_010,
      mostPages: 10_000,
    },
  ),
  big('line-9mb', 'has one line of text of 9 MB', () => 'word '.repeat(1_800_000)),
  big('comment-open', 'opens a comment of 9 MB', () => `<!--${'- '.repeat(4_500_000)}`),
  big('comment-dashes', 'has a comment of 9 MB of dashes', () => `<!--${'-'.repeat(9 * MB)}`),
  big('lt-5m', 'has 5 million less-than signs', () => '<'.repeat(5 * MB)),
  big('end-tags-5m', 'has 3 million halves of end tags', () => '</a'.repeat(3 * MB)),
  big('script-open', 'opens a script of 9 MB', () => `<script>${'</scrip '.repeat(1_100_000)}`),
  big('style-open', 'opens a style of 5 MB', () => `<style>${'</styl'.repeat(800_000)}`),
  big('textarea-open', 'opens a textarea of 5 MB', () => `<textarea>${'</textare'.repeat(500_000)}`),
  big('attribute-open', 'opens an attribute of 9 MB', () => `<p title="${'x='.repeat(4_500_000)}`),
  big(
    'attribute-references',
    'has an attribute of 9 MB of character references',
    () => `<a href="/x" title="${'&amp;'.repeat(1_800_000)}">x</a>`,
    {
      mostRequests: 6,
    },
  ),
  big(
    'text-references',
    'has 9 MB of character references in a link',
    () => `<a href="/x">${'&notanentity'.repeat(800_000)}</a>`,
    { mostRequests: 6 },
  ),
  {
    name: 'title-open',
    does: 'opens a title of 9 MB',
    play: { answer: servesBytes(() => whole(`<!doctype html><title>${'long title '.repeat(800_000)}`)) },
    expected: { pages: ['/'] },
  },
  big('meta-robots-9mb', 'has a meta robots of 9 MB', () => `<meta name=robots content="${'all, '.repeat(1_800_000)}">`),
  big('meta-refresh-9mb', 'has a meta refresh of 9 MB', () => `<meta http-equiv=refresh content="${' '.repeat(9 * MB)}0;url=x">`),
  big('base-flood', 'has 300,000 bases', () => '<base href="/b/">'.repeat(300_000)),
  big('canonical-flood', 'has 200,000 canonical links', () => '<link rel=canonical href="/c">'.repeat(200_000)),
  big('rel-9mb', 'has a rel of 9 MB', () => `<a href="/x" rel="${'nofollo '.repeat(1_100_000)}">x</a>`, {
    mostRequests: 6,
  }),
  big('href-9mb', 'has a link of 9 MB', () => `<a href="/${'a'.repeat(9 * MB)}">x</a>`, { mostRequests: 6 }),
  big('anchor-text-9mb', 'has a link around 9 MB of spaces', () => `<a href="/x">${' '.repeat(9 * MB)}</a>`, {
    mostRequests: 6,
  }),
  big('doctype-9mb', 'has a second doctype of 9 MB', () => `<!doctype ${'x '.repeat(4_500_000)}>`),
  big('cdata-9mb', 'opens a CDATA section of 9 MB', () => `<svg><![CDATA[${']]'.repeat(4_500_000)}`),
  {
    name: 'xml-deep',
    does: 'nests 100,000 elements of XML',
    handler: 'dom',
    play: { answer: serves(() => `<?xml version="1.0"?>${'<a>'.repeat(100_000)}`, 'Content-Type: application/xml\r\n') },
    expected: { mostRequests: 4 },
  },
  {
    name: 'charset-iso-2022-jp',
    does: 'sends 9 MB as iso-2022-jp',
    play: {
      answer: serves(
        () => `<title>Big</title>${'\x1b$B!!\x1b(B'.repeat(900_000)}`,
        'Content-Type: text/html; charset=iso-2022-jp\r\n',
      ),
    },
    expected: { pages: ['/'], titles: { '/': 'Big' } },
  },
  {
    name: 'filename-attack',
    does: 'offers file names that lead out of the folder',
    play: {
      answer: serves(
        ({ path }) =>
          path === '/' ? html('Files', '/../../etc/passwd', '/con.txt', `/${'n'.repeat(300)}`, '/%2e%2e/x') : html('File'),
        'Content-Disposition: attachment; filename="../../../../tmp/hostile-owned"\r\n',
      ),
    },
    expected: { pages: ['/'], mostRequests: 10 },
  },
  {
    name: 'csv-attack',
    does: 'has a formula as its title',
    play: { answer: serves(() => html('=HYPERLINK(&quot;http://x&quot;,&quot;y&quot;)')) },
    expected: { pages: ['/'], titles: { '/': '=HYPERLINK("http://x","y")' } },
  },
  {
    name: 'title-controls',
    does: 'has escape sequences, bidirectional overrides and line separators in its title',
    play: { answer: serves(() => html('\x1b[2Ja\u202eb\u2028c\u0085d\x07')) },
    expected: { pages: ['/'] },
  },
  {
    name: 'json-proto',
    does: 'has JSON that would pollute prototypes',
    play: {
      answer: serves(() => '{"__proto__":{"x":1},"constructor":{"prototype":{"y":1}}}', 'Content-Type: application/json\r\n'),
    },
    expected: { pages: ['/'] },
  },
  {
    name: 'binary-as-html',
    does: 'sends a megabyte of all bytes as a page',
    play: { answer: serves(() => Buffer.from(Array.from({ length: MB }, (_, n) => (n * 7919) & 255))) },
    expected: { pages: ['/'] },
  },
]
