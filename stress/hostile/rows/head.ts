// Rows about the status line and the header fields.
import { after, drips, floods, HEAD, html, says, serves, status, whole } from '../answers.ts'
import type { HostileAnswer, HostileRow } from '../hostile-row.ts'

const OK = 'Content-Length: 2\r\n\r\nok'

/** What is no HTTP. */
function noHttp(name: string, does: string, bytes: string): HostileRow {
  return { name, does, play: { answer: says(bytes) }, expected: { ends: ['AVO_PROTOCOL'] } }
}

/** A head that the parser refuses, and a browser reads: it costs the host's first answer, which is asked for again. */
function oddHead(name: string, does: string, bytes: string): HostileRow {
  return { name, does, play: { answer: says(bytes) }, expected: { pages: ['/'], titles: { '/': 'Odd' } } }
}

/** Odd fields around a good page. */
function oddFields(name: string, does: string, fields: string): HostileRow {
  return {
    name,
    does,
    play: { answer: serves(() => html('Odd'), fields) },
    expected: { pages: ['/'], titles: { '/': 'Odd' } },
  }
}

/** A refusal with this Retry-After: nobody may be asked again and again, nor asleep for ever. */
function retryAfter(name: string, fields: string, mostRequests = 30): HostileRow {
  return {
    name: `retry-after-${name}`,
    does: `refuses with ${fields.trim().replaceAll('\r\n', ', ')}`,
    play: { answer: status('429 Too Many Requests', fields) },
    expected: { ends: ['http-429'], mostRequests },
  }
}

/** A good page behind interim answers. */
function interim(first: string, then: HostileAnswer): HostileAnswer {
  return (asked, line) => {
    line.write(first)
    then(asked, line)
  }
}

const good = serves(() => html('Good'))
const GOOD = { pages: ['/'], titles: { '/': 'Good' } } as const
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n'
const HINTS = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'

/** The rows. */
export const HEAD_ROWS: readonly HostileRow[] = [
  {
    name: 'header-drip',
    does: 'drips one header field for ever',
    play: { answer: drips(`${HEAD}X: `, 'a', 100) },
    expected: { ends: ['AVO_FIRST_BYTE_TIMEOUT'] },
  },
  {
    name: 'header-endless',
    does: 'sends one header field without an end',
    play: { answer: floods(`${HEAD}X: `, 'a'.repeat(10_000)) },
    expected: { ends: ['AVO_HEADERS_TOO_LARGE'] },
  },
  oddFields('header-17k', 'sends a header field of 17,000 bytes', `X: ${'a'.repeat(17_000)}\r\n`),
  {
    name: 'header-count',
    does: 'sends 5,000 header fields',
    play: { answer: serves(() => 'ok', Array.from({ length: 5_000 }, (_, n) => `X${String(n)}: 1\r\n`).join('')) },
    expected: { ends: ['AVO_HEADERS_TOO_LARGE'] },
  },
  oddFields(
    'set-cookie-flood',
    'sets a thousand cookies',
    Array.from({ length: 1_000 }, (_, n) => `Set-Cookie: c${String(n)}=v; Path=/\r\n`).join(''),
  ),
  oddFields(
    'cookie-bomb',
    'sets cookies of 8 KB, for all of .com, and for another host',
    `Set-Cookie: a=${'b'.repeat(8_192)}\r\nSet-Cookie: a=b; Domain=.com\r\nSet-Cookie: a=b; Domain=other.hostile.test\r\n`,
  ),
  oddFields('cookie-crlf', 'sets a cookie with an escaped line break', 'Set-Cookie: a=%0d%0aX-Forged:1\r\n'),
  {
    name: 'interim-flood',
    does: 'sends early hints without an end',
    play: { answer: floods('', HINTS.repeat(100)) },
    expected: { ends: ['AVO_INTERIM_FLOOD'] },
  },
  {
    name: 'interim-drip',
    does: 'sends early hints every second for ever',
    play: { answer: drips('', HINTS, 1_000) },
    expected: { ends: ['AVO_FIRST_BYTE_TIMEOUT', 'AVO_INTERIM_FLOOD'] },
  },
  {
    name: 'interim-few',
    does: 'sends three early hints, then a page',
    play: { answer: interim(HINTS.repeat(3), good) },
    expected: GOOD,
  },
  {
    name: 'continue-unsolicited',
    does: 'sends 100 Continue unasked, then a page, in one segment',
    play: { answer: (_asked, line) => void line.write(Buffer.concat([Buffer.from(CONTINUE), whole(html('Good'))])) },
    expected: GOOD,
  },
  {
    name: 'continue-apart',
    does: 'sends 100 Continue unasked, and the page 30 ms later',
    play: { answer: interim(CONTINUE, after(30, good)) },
    expected: GOOD,
  },
  {
    name: 'continue-split',
    does: 'splits 100 Continue over two segments, 30 ms apart',
    play: {
      answer(asked, line) {
        line.write(CONTINUE.slice(0, 12))
        line.after(30, () => {
          line.write(CONTINUE.slice(12))
          good(asked, line)
        })
      },
    },
    expected: GOOD,
  },
  {
    name: 'continue-flood',
    does: 'sends 100 Continue without an end',
    play: { answer: floods('', CONTINUE.repeat(100)) },
    expected: { ends: ['AVO_PROTOCOL', 'AVO_INTERIM_FLOOD'] },
  },
  noHttp(
    'switching-unsolicited',
    'switches protocols unasked',
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nhello',
  ),
  noHttp('http09', 'answers as HTTP/0.9 did', '<html>hello</html>'),
  noHttp('icy', 'answers as a radio station', 'ICY 200 OK\r\n\r\nhi'),
  noHttp('version-3-7', 'answers in HTTP/3.7', `HTTP/3.7 200 OK\r\n${OK}`),
  noHttp('status-0', 'answers with status 0', `HTTP/1.1 0 x\r\n${OK}`),
  noHttp('status-20000', 'answers with status 20000', `HTTP/1.1 20000 x\r\n${OK}`),
  {
    name: 'status-999',
    does: 'answers with status 999',
    play: { answer: status('999 Request denied') },
    expected: { ends: ['http-999'] },
  },
  oddHead('lf-only', 'ends lines with LF alone', `HTTP/1.1 200 OK\nContent-Type: text/html\n\n${html('Odd')}`),
  oddHead('obs-fold', 'folds a header field over two lines', `${HEAD}X: a\r\n b\r\n\r\n${html('Odd')}`),
  noHttp('header-no-colon', 'sends a field without a colon', `${HEAD}Broken\r\n${OK}`),
  oddHead('header-space-before-colon', 'sends a space before the colon', `${HEAD}X : 1\r\n\r\n${html('Odd')}`),
  noHttp('header-empty-name', 'sends a field without a name', `${HEAD}: 1\r\n${OK}`),
  noHttp('header-nul', 'sends NUL in a field', `${HEAD}X: a\0b\r\n${OK}`),
  noHttp('header-bare-cr', 'sends a bare CR in a field', `${HEAD}X: a\rb\r\n${OK}`),
  {
    name: 'header-utf8-location',
    does: 'redirects to a path in raw UTF-8',
    play: {
      answer: (asked, line) =>
        asked.path === '/'
          ? void line.write(whole('', 'Location: /caf\xc3\xa9\r\n', '302 Found'))
          : void line.write(whole(html('Café'))),
    },
    expected: { titles: { '/caf%C3%A9': 'Café' }, pages: ['/caf%C3%A9'] },
  },
  {
    name: 'header-latin1-location',
    does: 'redirects to a path in raw Latin-1',
    play: {
      answer: (asked, line) =>
        asked.path === '/'
          ? void line.write(whole('', 'Location: /caf\xe9\r\n', '302 Found'))
          : void line.write(whole(html('Found'))),
    },
    expected: { pages: ['/caf%E9'] },
  },
  {
    name: 'reason-escape',
    does: 'sends escape sequences in the reason, a field and the title',
    play: {
      answer: (_asked, line) =>
        void line.write(whole(html('\x1b[2J\x1b]0;pwn\x07title'), 'Server: \x1b[2J\r\n', '500 \x1b[2J\x1b]0;pwn\x07')),
    },
    expected: { ends: ['http-500', 'AVO_PROTOCOL'] },
  },
  oddFields('header-proto', 'sends fields called __proto__ and constructor', '__proto__: x\r\nconstructor: y\r\n'),
  {
    name: 'dup-content-type',
    does: 'sends two content types with different charsets',
    play: {
      answer: says(
        Buffer.concat([
          Buffer.from(
            'HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=shift_jis\r\nContent-Type: text/html; charset=utf-8\r\n',
          ),
          Buffer.from(`Content-Length: ${String(Buffer.byteLength(html('Zwölf')))}\r\n\r\n${html('Zwölf')}`),
        ]),
        'keep',
      ),
    },
    expected: { pages: ['/'], titles: { '/': 'Zwölf' } },
  },
  {
    name: 'content-type-spaces',
    does: 'sends a content type with 60,000 spaces in it',
    play: { answer: serves(() => html('Spaces'), `Content-Type: text/html${' '.repeat(60_000)};x\r\n`) },
    expected: { pages: ['/'] },
  },
  {
    name: 'content-type-parameters',
    does: 'sends a content type with 15,000 parameters',
    play: { answer: serves(() => html('Parameters'), `Content-Type: text/html${';a=b'.repeat(15_000)}\r\n`) },
    expected: { pages: ['/'] },
  },
  {
    name: 'content-type-quotes',
    does: 'sends a content type with a quoted string that never ends',
    play: { answer: serves(() => html('Quotes'), `Content-Type: text/html;charset="${'\\"'.repeat(30_000)}\r\n`) },
    expected: { pages: ['/'] },
  },
  oddFields('x-robots-flood', 'sends 60 KB of X-Robots-Tag', `X-Robots-Tag: ${'all, '.repeat(12_000)}\r\n`),
  oddFields('link-header-flood', 'sends 60 KB of Link', `Link: ${'</a>; rel=x, '.repeat(4_500)}\r\n`),
  oddFields('date-garbage', 'sends a Date that is none', 'Date: Mon, 99 Foo 99999 99:99:99 GMT\r\nAge: -1\r\n'),
  retryAfter('zero', 'Retry-After: 0\r\n'),
  retryAfter('negative', 'Retry-After: -1\r\n'),
  retryAfter('huge', 'Retry-After: 1000000000\r\n', 3),
  retryAfter('overflow', 'Retry-After: 99999999999999999999\r\n'),
  retryAfter('plus', 'Retry-After: +5\r\n'),
  retryAfter('past', 'Retry-After: Fri, 31 Dec 1999 23:59:59 GMT\r\n'),
  retryAfter('garbage', 'Retry-After: soon\r\n'),
  retryAfter('two', 'Retry-After: 1\r\nRetry-After: 100000\r\n'),
  retryAfter('none', ''),
]
