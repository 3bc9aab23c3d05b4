// Rows about charsets that lie, and links that are none or look like another.
import { html, serves } from '../answers.ts'
import type { Expected, HostileRow } from '../hostile-row.ts'

/** A page whose title must come out so, whatever is said of its charset. */
function charset(
  name: string,
  does: string,
  { fields = 'Content-Type: text/html\r\n', body, title }: { fields?: string; body: Uint8Array; title?: string },
): HostileRow {
  return {
    name: `charset-${name}`,
    does,
    play: { answer: serves(() => body, fields) },
    expected: { pages: ['/'], ...(title !== undefined && { titles: { '/': title } }) },
  }
}

/** Links that are followed as the platform resolves them, or left out. */
function links(name: string, does: string, hrefs: readonly string[], expected: Expected = {}): HostileRow {
  return {
    name: `href-${name}`,
    does,
    play: { answer: serves(({ path }) => (path === '/' ? html('Links', ...hrefs) : html('Linked'))) },
    expected: { pages: ['/'], mostRequests: 60, ...expected },
  }
}

const latin = (text: string): Buffer => Buffer.from(text, 'latin1')

/** The rows. */
export const TEXT_ROWS: readonly HostileRow[] = [
  charset('bom-wins', 'says Shift_JIS, and begins with a byte order mark of UTF-8', {
    fields: 'Content-Type: text/html; charset=shift_jis\r\n',
    body: Buffer.from('\uFEFF<title>Zwölf</title>'),
    title: 'Zwölf',
  }),
  charset('header-wins', 'says UTF-8 in a field and Shift_JIS in the page', {
    fields: 'Content-Type: text/html; charset=utf-8\r\n',
    body: Buffer.from('<meta charset=shift_jis><title>Zwölf</title>'),
    title: 'Zwölf',
  }),
  charset('meta', 'says in the page alone that it is windows-1252', {
    body: latin('<meta charset=windows-1252><title>Zw\xf6lf</title>'),
    title: 'Zwölf',
  }),
  charset('utf16', 'says UTF-16 in the page, which is UTF-8', {
    body: Buffer.from('<meta charset=utf-16><title>Zwölf</title>'),
    title: 'Zwölf',
  }),
  charset('invalid-utf8', 'sends bytes that are not the UTF-8 it says', {
    fields: 'Content-Type: text/html; charset=utf-8\r\n',
    body: latin('<title>a\xffb\xc0\xafc\xed\xa0\x80d</title>'),
  }),
  charset('unknown', 'says a charset that nobody knows', {
    fields: 'Content-Type: text/html; charset=klingon\r\n',
    body: Buffer.from('<title>Zwölf</title>'),
    title: 'Zwölf',
  }),
  charset('nuls', 'sends NULs between all letters', { body: latin('<\0title\0>\0N\0U\0L\0</\0title\0>') }),
  charset('replacement', 'says that it is hz-gb-2312', {
    fields: 'Content-Type: text/html; charset=hz-gb-2312\r\n',
    body: Buffer.from('<title>x</title>'),
  }),
  charset('late-meta', 'says its charset behind 100 KB of comment', {
    body: latin(`<!--${'x'.repeat(100_000)}--><meta charset=shift_jis><title>x</title>`),
  }),
  {
    name: 'base-tricks',
    does: 'has a base of data:, one of another host, and a third',
    play: {
      answer: serves(({ path, world }) =>
        path === '/'
          ? `<base href="data:x"><base href="${world.origin}/b/"><base href="http://elsewhere.hostile.test/"><title>Base</title><a href="x">x</a>`
          : html('Linked'),
      ),
    },
    expected: { pages: ['/', '/b/x'], mostRequests: 6 },
  },
  links(
    'schemes',
    'links to other schemes',
    [
      'javascript:alert(1)',
      'java\nscript:alert(1)',
      'data:text/html,x',
      'file:///etc/passwd',
      'ftp://x/',
      'mailto:a@b',
      'blob:x',
      'about:blank',
      'view-source:http://x/',
      'tel:1',
    ],
    {
      mostPages: 2,
    },
  ),
  links('spaces', 'links with white space around and within', ['  /a ', '/b\n\t', '/c d', '\t/e\t'], {
    pages: ['/', '/a', '/b', '/c%20d', '/e'],
  }),
  links(
    'hosts',
    'links to no host at all',
    ['http:///x', '//', 'http://', '\\\\x.hostile.test\\y', 'http:x', 'http:/y', '///z'],
    {},
  ),
  links('long', 'has a link of 100 KB', [`/${'x'.repeat(100_000)}`, '/short'], { pages: ['/', '/short'], mostPages: 2 }),
  links(
    'escapes',
    'links with NUL, encoded slashes and dots',
    ['/%00', '/a%2f..%2fb', '/..%2f..%2fetc', '/%2e%2e/%2e%2e/etc/passwd', '/%', '/%zz', '/\uFFFD'],
    {},
  ),
  links(
    'userinfo',
    'links with names and passwords',
    ['http://user:pw@no-such.hostile.test/href-userinfo', '//user@no-such.hostile.test/href-userinfo'],
    {},
  ),
  links('empty', 'links to nothing', ['', '?', '#', '?#', '.', './', '..', '/'], { mostPages: 4 }),
  links(
    'controls',
    'links with every control character',
    Array.from({ length: 32 }, (_, n) => `/c${String.fromCharCode(n)}x`),
    {},
  ),
  links('surrogates', 'links with half of a pair', ['/\ud800', '/a\udfffb'], {}),
]
