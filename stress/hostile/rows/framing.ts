// Rows about where a body ends: lengths that lie, chunks that are none, bodies that drip, stop, or have no end.
import { CHUNKED, drips, floods, HEAD, html, sitePaths, says, serves, site, whole } from '../answers.ts'
import type { Expected, HostileRow } from '../hostile-row.ts'

type Ends = NonNullable<Expected['ends']>

/** A whole answer that is not to be believed. */
function refused(name: string, does: string, bytes: string, ends: Ends = ['AVO_PROTOCOL']): HostileRow {
  return { name, does, play: { answer: says(bytes) }, expected: { ends } }
}

function length(name: string, value: string): HostileRow {
  return refused(`cl-${name}`, `says Content-Length: ${value}`, `${HEAD}Content-Length: ${value}\r\n\r\nok`)
}

function chunk(name: string, size: string): HostileRow {
  return refused(`chunk-${name}`, `says ${size} as the size of a chunk`, `${CHUNKED}${size}\r\nok\r\n0\r\n\r\n`)
}

/** The rows. */
export const FRAMING_ROWS: readonly HostileRow[] = [
  {
    name: 'body-drip',
    does: 'drips a chunk of one byte each 200 ms for ever',
    play: { answer: drips(CHUNKED, '1\r\na\r\n', 200) },
    expected: { ends: ['AVO_TOO_SLOW', 'AVO_TOTAL_TIMEOUT'] },
  },
  {
    name: 'body-trickle',
    does: 'sends 300 bytes a second for ever',
    play: { answer: drips(CHUNKED, `3c\r\n${'a'.repeat(60)}\r\n`, 200) },
    expected: { ends: ['AVO_TOO_SLOW', 'AVO_TOTAL_TIMEOUT'] },
  },
  {
    name: 'body-endless-fast',
    does: 'sends a body without an end, as fast as it can',
    play: { answer: floods(`${HEAD}\r\n`, Buffer.alloc(65_536, 'a')) },
    expected: { ends: ['AVO_BODY_TOO_LARGE'], mostRequests: 3 },
  },
  {
    name: 'body-endless-chunks',
    does: 'sends chunks without an end, as fast as it can',
    play: { answer: floods(CHUNKED, `1000\r\n${'a'.repeat(4_096)}\r\n`.repeat(16)) },
    expected: { ends: ['AVO_BODY_TOO_LARGE'], mostRequests: 3 },
  },
  {
    name: 'body-announced-huge',
    does: 'announces 100 MB, and sends them',
    play: { answer: floods(`${HEAD}Content-Length: 100000000\r\n\r\n`, Buffer.alloc(65_536, 'a'), 1_525) },
    expected: { ends: ['AVO_BODY_TOO_LARGE'], mostRequests: 3 },
  },
  {
    name: 'body-stall',
    does: 'stops in the middle of a body',
    play: { answer: says(whole('a'.repeat(1_000)).subarray(0, -500), 'keep') },
    expected: { ends: ['AVO_IDLE_TIMEOUT', 'AVO_TOO_SLOW'] },
  },
  refused('cl-short', 'ends a body before its length', `${HEAD}Content-Length: 100\r\n\r\nabc`, ['AVO_TRUNCATED']),
  refused(
    'cl-short-close',
    'ends a body before its length, on a connection to be closed',
    `${HEAD}Connection: close\r\nContent-Length: 100\r\n\r\nabc`,
    ['AVO_TRUNCATED'],
  ),
  {
    name: 'body-reset',
    does: 'resets in the middle of a body',
    play: { answer: says(`${HEAD}Content-Length: 1000\r\n\r\nabc`, 'reset') },
    expected: { ends: ['AVO_RESET', 'AVO_TRUNCATED'] },
  },
  {
    name: 'cl-long',
    does: 'sends more than the length it said, and keeps the connection',
    play: { answer: (_asked, line) => void line.write(Buffer.concat([whole(html('Own')), Buffer.from('EXTRA')])) },
    expected: { pages: ['/'], titles: { '/': 'Own' } },
  },
  {
    name: 'forged-next',
    does: 'sends a second answer behind each, in one segment',
    play: {
      answer: ({ path }, line) =>
        void line.write(Buffer.concat([whole(html(`Own ${path}`, '/1', '/2', '/3')), whole(html('FORGED'))])),
    },
    expected: {
      pages: sitePaths(3),
      titles: { '/': 'Own /', '/1': 'Own /1', '/2': 'Own /2', '/3': 'Own /3' },
      mostRequests: 24,
    },
  },
  {
    name: 'forged-late',
    does: 'sends a second answer 20 ms after each, while the connection is idle',
    play: {
      answer({ path }, line) {
        line.write(whole(html(`Own ${path}`, '/1', '/2', '/3')))
        line.after(20, () => void line.write(whole(html('FORGED'))))
      },
    },
    expected: {
      pages: sitePaths(3),
      titles: { '/': 'Own /', '/1': 'Own /1', '/2': 'Own /2', '/3': 'Own /3' },
      mostRequests: 24,
    },
  },
  refused('cl-double', 'says two lengths', `${HEAD}Content-Length: 2\r\nContent-Length: 5\r\n\r\nok`),
  length('list', '2, 5'),
  {
    name: 'cl-equal',
    does: 'says the same length three times',
    play: { answer: serves(() => html('Equal'), `Content-Length: ${html('Equal').length}, ${html('Equal').length}\r\n`) },
    expected: { pages: ['/'], titles: { '/': 'Equal' } },
  },
  length('negative', '-1'),
  length('overflow', '18446744073709551616'),
  length('plus', '+2'),
  length('hex', '0x2'),
  refused(
    'cl-and-te',
    'says a length and chunks',
    `${HEAD}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`,
  ),
  refused('te-unknown', 'uses a transfer coding that nobody knows', `${HEAD}Transfer-Encoding: xchunked\r\n\r\nok`),
  refused(
    'te-twice',
    'says that chunks are chunked',
    `${HEAD}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n2\r\nok\r\n0\r\n\r\n`,
  ),
  chunk('bad', 'ZZ'),
  chunk('overflow', 'FFFFFFFFFFFFFFFFF'),
  chunk('negative', '-1'),
  refused('chunk-no-crlf', 'forgets the line end behind a chunk', `${CHUNKED}2\r\nok0\r\n\r\n`),
  {
    name: 'chunk-ext-10mb',
    does: 'sends a chunk extension of 10 MB',
    play: { answer: floods(`${CHUNKED}1;`, 'a'.repeat(10_000), 1_000) },
    expected: { ends: ['AVO_PROTOCOL', 'AVO_HEADERS_TOO_LARGE'] },
  },
  {
    name: 'chunk-ext-endless',
    does: 'sends a chunk extension without an end',
    play: { answer: floods(`${CHUNKED}1;`, 'a'.repeat(10_000)) },
    expected: { ends: ['AVO_PROTOCOL', 'AVO_HEADERS_TOO_LARGE'] },
  },
  refused('chunk-no-end', 'closes without the last chunk', `${CHUNKED}2\r\nab\r\n`, ['AVO_TRUNCATED']),
  {
    name: 'chunk-1-byte',
    does: 'sends 5 million chunks of one byte',
    play: { answer: floods(CHUNKED, '1\r\na\r\n'.repeat(10_000), 500) },
    expected: { mostRequests: 4 },
  },
  {
    name: 'trailer-flood',
    does: 'sends trailer fields without an end',
    play: { answer: floods(`${CHUNKED}2\r\nok\r\n0\r\n`, `X: ${'a'.repeat(1_000)}\r\n`) },
    expected: { ends: ['AVO_HEADERS_TOO_LARGE'] },
  },
  {
    name: '304-with-length-close',
    does: 'answers 304 with a length, then closes',
    play: { answer: says('HTTP/1.1 304 Not Modified\r\nContent-Length: 500\r\n\r\n') },
    expected: { ends: ['http-304'], mostRequests: 4 },
  },
  {
    name: '304-with-length-keep',
    does: 'answers 304 with a length, and keeps the connection',
    play: { answer: says('HTTP/1.1 304 Not Modified\r\nContent-Length: 500\r\n\r\n', 'keep') },
    expected: { ends: ['http-304'], mostRequests: 4 },
  },
  {
    name: '204-with-body',
    does: 'answers 204, and sends a body',
    play: { answer: says('HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello', 'keep') },
    expected: { pages: ['/'] },
  },
  {
    name: 'body-until-close',
    does: 'ends a body by closing, as HTTP/1.0 did',
    play: { answer: says(`HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n${html('Old')}`) },
    expected: { pages: ['/'], titles: { '/': 'Old' } },
  },
  {
    name: 'body-empty',
    does: 'answers with nothing',
    play: { answer: serves(() => '') },
    expected: { pages: ['/'] },
  },
  {
    name: 'range-of-all',
    does: 'answers with 206 and the whole body, unasked',
    play: { answer: says(whole('all', 'Content-Range: bytes 0-2/3\r\n', '206 Partial Content')) },
    expected: { pages: ['/'] },
  },
  {
    name: 'range-unasked',
    does: 'answers with a range that nobody asked for',
    play: { answer: says(whole('ok', 'Content-Range: bytes 0-1/9\r\n', '206 Partial Content')) },
    expected: { ends: ['AVO_PROTOCOL'] },
  },
  {
    name: 'error-endless',
    does: 'answers 404 with a body without an end',
    play: { answer: floods('HTTP/1.1 404 Not Found\r\n\r\n', Buffer.alloc(65_536, 'a')) },
    expected: { ends: ['http-404', 'AVO_BODY_TOO_LARGE'], mostRequests: 3 },
  },
  {
    name: 'refusal-endless',
    does: 'answers 503 with a body without an end',
    play: { answer: floods('HTTP/1.1 503 Busy\r\nRetry-After: 3600\r\n\r\n', Buffer.alloc(65_536, 'a')) },
    expected: { ends: ['http-503'], mostRequests: 3 },
  },
  {
    name: 'well-behaved',
    does: 'is well, to show that rows can hold',
    play: { answer: site(5) },
    expected: { pages: sitePaths(5) },
  },
]
