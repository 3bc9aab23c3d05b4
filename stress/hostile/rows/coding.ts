// Rows about content codings: bombs, labels that lie, streams that are cut.
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { coded, html, longText, servesBytes, whole } from '../answers.ts'
import type { HostileRow } from '../hostile-row.ts'

const BOMB_BYTES = 64 * 2 ** 20
const zeros = (): Buffer => Buffer.alloc(BOMB_BYTES)
const quick = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }

function bomb(name: string, coding: string, make: () => Uint8Array): HostileRow {
  return {
    name: `${name}-bomb`,
    does: `sends 64 MiB of zeros as ${coding}`,
    play: { answer: coded(coding, make) },
    expected: { ends: ['AVO_DECODE_RATIO', 'AVO_DECODED_TOO_LARGE', 'AVO_ENCODING_CHAIN'], mostRequests: 3 },
  }
}

/** Codings that are read all the same. */
function read(name: string, does: string, coding: string, make: () => Uint8Array): HostileRow {
  return {
    name,
    does,
    play: { answer: coded(coding, make) },
    expected: { pages: ['/'], titles: { '/': 'Coded' } },
  }
}

function broken(name: string, does: string, coding: string, make: () => Uint8Array): HostileRow {
  return {
    name,
    does,
    play: { answer: coded(coding, make) },
    expected: { ends: ['AVO_DECODE_FAILED', 'AVO_TRUNCATED'] },
  }
}

const PAGE = html('Coded')

/** Flags of a gzip header (RFC 1952 §2.3.1): a name follows. */
function withLongName(): Buffer {
  const plain = gzipSync(PAGE)
  const head = Buffer.from(plain.subarray(0, 10))
  head[3] = 8
  return Buffer.concat([head, Buffer.alloc(1_000_000, 'n'), Buffer.of(0), plain.subarray(10)])
}

/** The rows. */
export const CODING_ROWS: readonly HostileRow[] = [
  bomb('gzip', 'gzip', () => gzipSync(zeros())),
  bomb('gzip-gzip', 'gzip, gzip', () => gzipSync(gzipSync(zeros()))),
  bomb('br', 'br', () => brotliCompressSync(zeros(), quick)),
  bomb('zstd', 'zstd', () => zstdCompressSync(zeros())),
  bomb('deflate', 'deflate', () => deflateSync(zeros())),
  bomb('deflate-raw', 'deflate', () => deflateRawSync(zeros())),
  {
    name: 'gzip-text-31mib',
    does: 'sends 31 MiB of text in 234 KiB of gzip',
    play: { answer: coded('gzip', () => gzipSync(longText(31 * 2 ** 20))) },
    expected: { mostRequests: 3 },
  },
  {
    name: 'encodings-20',
    does: 'stacks twenty codings',
    play: {
      answer: coded(Array<string>(20).fill('gzip').join(', '), () =>
        Array(20)
          .fill(0)
          .reduce<Buffer>((body) => gzipSync(body), Buffer.from(PAGE)),
      ),
    },
    expected: { ends: ['AVO_ENCODING_CHAIN'], mostRequests: 3 },
  },
  {
    name: 'encodings-1000',
    does: 'says that a thousand codings are stacked',
    play: { answer: coded(Array<string>(1_000).fill('br').join(','), () => Buffer.from(PAGE)) },
    expected: { ends: ['AVO_ENCODING_CHAIN'], mostRequests: 3 },
  },
  broken('gzip-lie', 'says gzip of a body that is not', 'gzip', () => Buffer.from(PAGE)),
  broken('br-lie', 'says br of a body that is not', 'br', () => Buffer.from(PAGE)),
  broken('zstd-lie', 'says zstd of a body that is not', 'zstd', () => Buffer.from(PAGE)),
  read('gzip-no-checksum', 'leaves out the checksum of gzip', 'gzip', () => gzipSync(PAGE).subarray(0, -8)),
  broken('gzip-truncated', 'leaves out the end of gzip', 'gzip', () => gzipSync(PAGE).subarray(0, -12)),
  broken('br-truncated', 'leaves out the end of br', 'br', () => brotliCompressSync(PAGE.repeat(50)).subarray(0, -20)),
  broken('gzip-bad-checksum', 'sends gzip with a wrong checksum', 'gzip', () => {
    const bytes = gzipSync(PAGE)
    bytes.writeUInt32LE(0, bytes.length - 8)
    return bytes
  }),
  read('gzip-two-members', 'sends gzip in two members', 'gzip', () =>
    Buffer.concat([gzipSync(PAGE.slice(0, 100)), gzipSync(PAGE.slice(100))]),
  ),
  read('gzip-trailing-garbage', 'sends garbage behind gzip', 'gzip', () =>
    Buffer.concat([gzipSync(PAGE), Buffer.from('garbage')]),
  ),
  {
    name: 'gzip-long-name',
    does: 'sends gzip with a file name of 1 MB',
    play: { answer: coded('gzip', withLongName) },
    expected: { mostRequests: 4 },
  },
  {
    name: 'gzip-empty-members',
    does: 'sends 100,000 empty members of gzip before a page',
    play: { answer: coded('gzip', () => Buffer.concat([...Array<Buffer>(100_000).fill(gzipSync('')), gzipSync(PAGE)])) },
    expected: { mostRequests: 4 },
  },
  read('coding-aws-chunked', 'says Content-Encoding: aws-chunked', 'aws-chunked', () => Buffer.from(PAGE)),
  read('coding-utf-8', 'says Content-Encoding: utf-8', 'utf-8', () => Buffer.from(PAGE)),
  read('coding-none', 'says Content-Encoding: none', 'none', () => Buffer.from(PAGE)),
  read('coding-empty', 'says Content-Encoding without a value', '', () => Buffer.from(PAGE)),
  read('coding-x-gzip', 'says Content-Encoding: x-gzip', 'x-gzip', () => gzipSync(PAGE)),
  {
    name: 'gzip-and-chunks-lie',
    does: 'sends gzip in chunks with a Content-Length of the decoded page',
    play: {
      answer: servesBytes(() => {
        const body = gzipSync(PAGE)
        const head = `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\nContent-Length: ${String(PAGE.length)}\r\nTransfer-Encoding: chunked\r\n\r\n`
        return Buffer.concat([
          Buffer.from(head + body.length.toString(16)),
          Buffer.from('\r\n'),
          body,
          Buffer.from('\r\n0\r\n\r\n'),
        ])
      }),
    },
    expected: { ends: ['AVO_PROTOCOL'] },
  },
  {
    name: 'gzip-references',
    does: 'sends a gzipped attribute of 9 MB of character references',
    play: {
      answer: servesBytes(() =>
        whole(
          gzipSync(`${html('References')}<a href="/x" title="${'&amp;'.repeat(1_800_000)}">x</a>`),
          'Content-Encoding: gzip\r\n',
        ),
      ),
    },
    expected: { mostRequests: 6 },
  },
]
