// Rows about HTTP/2: floods, resets, and servers that end, refuse or contradict themselves. Most speak HTTP/1.1 as well, and their page must be had over that.
import { html, serves } from '../answers.ts'
import type { Expected, HostileRow } from '../hostile-row.ts'
import * as h2 from '../http2-line.ts'
import type { Http2Play } from '../http2-line.ts'
import type { Line } from '../line.ts'

const PAGE = html('By HTTP/2')
/** `:status: 200` and `:status: 404` of the static table. */
const OK = '\x88'
const NOT_FOUND = '\x8d'
const PROTOCOL_ERROR = 1
const REFUSED_STREAM = 7

type Stream = NonNullable<Http2Play['stream']>

/** Head and page. The first stream of a connection may be robots.txt, for which a page is as good as none. */
const page: Stream = ({ id }, line) => {
  line.write(h2.frame(h2.HEADERS, h2.END_HEADERS, id, OK + h2.field('content-type', 'text/html')))
  line.write(h2.frame(h2.DATA, h2.END_STREAM, id, PAGE))
}
const empty: Stream = ({ id }, line) => void line.write(h2.frame(h2.HEADERS, h2.END_HEADERS | h2.END_STREAM, id, NOT_FOUND))
/** With the settings that a connection begins with. */
const begins =
  (...frames: readonly Uint8Array[]): NonNullable<Http2Play['accept']> =>
  (line) =>
    void line.write(Buffer.concat([h2.frame(h2.SETTINGS, 0, 0), ...frames]))
const resets =
  (code: number): Stream =>
  ({ id }, line) =>
    void line.write(h2.frame(h2.RESET, 0, id, h2.uint32(code)))
const goaway = (last: number, code: number): Buffer => h2.frame(h2.GOAWAY, 0, 0, h2.uint32(last) + h2.uint32(code))
/** Robots.txt is not there, everything after it as `stream` says. */
const after =
  (stream: Stream): Stream =>
  (asked, line) =>
    (asked.nth === 1 ? empty : stream)(asked, line)
const head = ({ id }: { readonly id: number }, line: Line, fields = ''): void =>
  void line.write(h2.frame(h2.HEADERS, h2.END_HEADERS, id, OK + fields))

/** Breaks over HTTP/2, and has its page over HTTP/1.1. */
function falls(name: string, does: string, http2: Omit<Http2Play, 'speaks'>, expected: Expected = {}): HostileRow {
  const play = { answer: serves(() => html('By HTTP/1.1')) }
  return { name, does, tls: 'good', http2: { speaks: 'both', ...http2 }, play, expected: { pages: ['/'], ...expected } }
}

/** Speaks HTTP/2 only. */
function only(name: string, does: string, http2: Omit<Http2Play, 'speaks'>, expected: Expected): HostileRow {
  return { name, does, tls: 'good', http2: { speaks: 'only', ...http2 }, play: {}, expected }
}

/** A table of header fields that grows with each reference (RFC 7541 §6.2.1, §6.1). */
const HPACK_BOMB = `${OK}\x40\x01x\x7f\xa1\x1e${'b'.repeat(4_000)}${'\xbe'.repeat(12_000)}`

/** The rows. */
export const HTTP2_ROWS: readonly HostileRow[] = [
  only('h2-only', 'is well, over HTTP/2 alone', { stream: page }, { pages: ['/'] }),
  only('h2-no-ack', 'acknowledges no settings', { acknowledges: false, stream: page }, { pages: ['/'] }),
  only(
    'h2-window-0',
    'gives no room for bodies of requests',
    {
      accept: (line) => void line.write(h2.frame(h2.SETTINGS, 0, 0, h2.setting(4, 0))),
      stream: page,
    },
    { pages: ['/'] },
  ),
  only(
    'h2-one-stream',
    'allows one stream',
    {
      accept: (line) => void line.write(h2.frame(h2.SETTINGS, 0, 0, h2.setting(3, 1))),
      stream: page,
    },
    { pages: ['/'] },
  ),
  only(
    'h2-trailers',
    'sends trailers',
    {
      stream(asked, line) {
        head(asked, line)
        line.write(h2.frame(h2.DATA, 0, asked.id, PAGE))
        line.write(h2.frame(h2.HEADERS, h2.END_HEADERS | h2.END_STREAM, asked.id, h2.field('x-sum', '1')))
      },
    },
    { pages: ['/'] },
  ),
  only(
    'h2-goaway-each',
    'ends the connection after each answer',
    {
      stream(asked, line) {
        page(asked, line)
        line.end(goaway(asked.id, 0))
      },
    },
    { pages: ['/'] },
  ),
  only(
    'h2-data-after-end',
    'goes on with a body that has ended',
    {
      stream(asked, line) {
        page(asked, line)
        line.write(h2.frame(h2.DATA, 0, asked.id, 'more'))
      },
    },
    { pages: ['/'] },
  ),
  only(
    'h2-no-streams',
    'allows no streams',
    {
      accept: (line) => void line.write(h2.frame(h2.SETTINGS, 0, 0, h2.setting(3, 0))),
    },
    { ends: ['AVO_FIRST_BYTE_TIMEOUT'] },
  ),
  only(
    'h2-only-resets',
    'resets every stream, and speaks nothing else',
    { stream: resets(PROTOCOL_ERROR) },
    {
      ends: ['AVO_PROTOCOL'],
    },
  ),
  only(
    'h2-only-refuses',
    'refuses every stream, and speaks nothing else',
    { stream: resets(REFUSED_STREAM) },
    {
      ends: ['AVO_CLOSED_EARLY'],
    },
  ),
  only(
    'h2-only-goaway',
    'ends every connection instead of an answer, and speaks nothing else',
    { stream: ({ id }, line) => line.end(goaway(id, 0)) },
    { ends: ['AVO_CLOSED_EARLY'] },
  ),
  only(
    'h2-endless-headers',
    'sends header fields without an end',
    {
      stream({ id }, line) {
        line.write(h2.frame(h2.HEADERS, 0, id, OK))
        line.flood(h2.frame(h2.CONTINUATION, 0, id, h2.field('x', 'y'.repeat(500))))
      },
    },
    { ends: ['AVO_PROTOCOL'] },
  ),
  only(
    'h2-interim-flood',
    'sends interim answers without an end',
    {
      stream: ({ id }, line) => line.flood(h2.frame(h2.HEADERS, h2.END_HEADERS, id, `\x08\x03103`)),
    },
    { ends: ['AVO_INTERIM_FLOOD', 'AVO_PROTOCOL'] },
  ),
  only(
    'h2-empty-data',
    'sends empty pieces of a body without an end',
    {
      stream: after((asked, line) => {
        head(asked, line)
        line.every(20, () => void line.write(h2.frame(h2.DATA, 0, asked.id)))
      }),
    },
    { ends: ['AVO_IDLE_TIMEOUT', 'AVO_TOO_SLOW', 'AVO_PROTOCOL', 'AVO_TRUNCATED'] },
  ),
  only(
    'h2-endless-body',
    'sends a body without an end',
    {
      stream: after((asked, line) => {
        head(asked, line)
        line.flood(h2.frame(h2.DATA, 0, asked.id, 'x'.repeat(8_192)), 32)
      }),
    },
    { ends: ['AVO_IDLE_TIMEOUT', 'AVO_TOO_SLOW', 'AVO_BODY_TOO_LARGE', 'AVO_PROTOCOL', 'AVO_TRUNCATED'] },
  ),
  falls('h2-goaway-at-once', 'ends every connection before it is asked', { accept: begins(goaway(0, 0)) }),
  falls('h2-goaway-error', 'ends every connection with an error', { accept: begins(goaway(0, PROTOCOL_ERROR)) }),
  falls('h2-goaway-in-body', 'ends the connection within each body', {
    stream(asked, line) {
      head(asked, line)
      line.write(h2.frame(h2.DATA, 0, asked.id, PAGE.slice(0, 40)))
      line.end(goaway(asked.id, 2))
    },
  }),
  falls('h2-refuses', 'refuses every stream', { stream: resets(REFUSED_STREAM) }),
  falls('h2-resets', 'resets every stream', { stream: resets(PROTOCOL_ERROR) }),
  falls('h2-reset-flood', 'resets every stream without an end', {
    stream: ({ id }, line) => line.flood(h2.frame(h2.RESET, 0, id, h2.uint32(PROTOCOL_ERROR))),
  }),
  only(
    'h2-headers-64k',
    'sends more header fields than are read',
    {
      stream({ id }, line) {
        const fields = Array.from({ length: 10 }, () => h2.field('x', 'y'.repeat(7_900)))
        line.write(h2.frame(h2.HEADERS, 0, id, OK))
        for (const [at, some] of fields.slice(0, 7).entries())
          line.write(h2.frame(h2.CONTINUATION, at === 6 ? h2.END_HEADERS : 0, id, some + h2.field('x', 'y'.repeat(7_900))))
      },
    },
    { ends: ['AVO_HEADERS_TOO_LARGE'] },
  ),
  only(
    'h2-hpack-bomb',
    'sends 16 KiB of header fields that unfold to 48 MB',
    {
      stream: ({ id }, line) => void line.write(h2.frame(h2.HEADERS, h2.END_HEADERS, id, HPACK_BOMB)),
    },
    { ends: ['AVO_HEADERS_TOO_LARGE', 'AVO_PROTOCOL'] },
  ),
  falls('h2-hpack-garbage', 'sends header fields that cannot be read', {
    stream: ({ id }, line) => void line.write(h2.frame(h2.HEADERS, h2.END_HEADERS, id, '\xff\xff\xff\xff\xff\xff\xff')),
  }),
  falls('h2-settings-storm', 'changes its settings without an end', {
    accept: (line) => line.flood(h2.frame(h2.SETTINGS, 0, 0, h2.setting(3, 100))),
  }),
  falls('h2-ping-storm', 'pings without an end', {
    accept(line) {
      line.write(h2.frame(h2.SETTINGS, 0, 0))
      line.flood(h2.frame(h2.PING, 0, 0, '12345678'))
    },
  }),
  falls('h2-push', 'pushes what nobody asked for', {
    stream: ({ id }, line) => void line.write(h2.frame(h2.PUSH_PROMISE, h2.END_HEADERS, id, `\0\0\0\x02${OK}`)),
  }),
  falls('h2-window-overflow', 'opens its window beyond all bounds', {
    accept: begins(
      h2.frame(h2.WINDOW_UPDATE, 0, 0, h2.uint32(2 ** 31 - 1)),
      h2.frame(h2.WINDOW_UPDATE, 0, 0, h2.uint32(2 ** 31 - 1)),
    ),
  }),
  falls('h2-no-settings', 'begins without settings', { accept: () => {}, stream: page }),
  falls('h2-silent', 'chooses HTTP/2, and is silent', { accept: () => {} }),
  falls('h2-speaks-http1', 'chooses HTTP/2, and speaks HTTP/1.1', {
    accept: (line) => void line.write(`HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npage`),
  }),
  falls('h2-length-short', 'announces more of a body than it sends', {
    stream(asked, line) {
      head(asked, line, h2.field('content-length', '1000'))
      line.write(h2.frame(h2.DATA, h2.END_STREAM, asked.id, 'short'))
    },
  }),
  falls('h2-length-long', 'sends more of a body than it announced', {
    stream(asked, line) {
      head(asked, line, h2.field('content-length', '5'))
      line.write(h2.frame(h2.DATA, h2.END_STREAM, asked.id, 'more than five'))
    },
  }),
]
