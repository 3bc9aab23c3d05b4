// Reads the body of a sitemap or a feed: unpacked, decoded and parsed piece by piece, in turns of the event loop, within bounds.
//
// What is beyond 50 MB or 50,000 URLs is left out (sitemaps.org), and so is what comes after a fault of the file:
// what was read until then counts.
import { TextDecoder } from 'node:util'
import zlib from 'node:zlib'
import { parseUrl } from '@avocet/core/plugin'
import { nextTurn } from '@avocet/core/store'
import { gzipDataAt } from '@avocet/fetcher-http/gzip'
import type { ListedUrl, ListReader, ReadList, TakeUrl } from './list-reader.ts'
import { listDate } from './list-dates.ts'
import { XmlReader } from './xml-reader.ts'

/** Of a file, unpacked. */
export const MOST_LIST_BYTES: number = 50 * 2 ** 20
/** Of a file. */
const MOST_URLS = 50_000
/** Small, so that what was read of one is young garbage: larger ones took a third more memory. */
const PIECE_BYTES = 16 * 2 ** 10
/** In one turn of the event loop: about a millisecond. */
const PIECES_A_TURN = 4

/** How a document is read. */
export interface ReadListOptions {
  /** Of the document: relative URLs are resolved against it. */
  readonly url: string
  /** The Content-Type of the answer. Default: unknown. */
  readonly contentType?: string | undefined
  /** Leave out URLs outside of the folder of the document, and all of a sitemap with a foreign namespace. Default false. */
  readonly strict?: boolean
  /** Take `<xhtml:link rel="alternate">` for URLs as well. Default false. */
  readonly alternates?: boolean
}

/**
 * Reads a sitemap, a sitemap index, RSS, Atom or a list of URLs in text, packed with gzip or not. Never rejects: a file that is none gives no URLs
 * and a `problem`.
 *
 * @example
 * ```ts
 * const body = new TextEncoder().encode('<urlset><url><loc>https://shop.example/tea</loc><lastmod>2026-11-23</lastmod></url></urlset>')
 * const { kind, urls } = await readList(body, { url: 'https://shop.example/sitemap.xml' })
 * kind // 'sitemap'
 * urls // [{ url: 'https://shop.example/tea', modifiedAt: 1795478400000 }]
 * ```
 */
export async function readList(body: Uint8Array, options: ReadListOptions): Promise<ReadList> {
  const urls: ListedUrl[] = []
  let reader: ListReader | undefined
  const state = { isFull: false, isIndex: () => reader?.kind === 'index' }
  const take = taking(urls, options, state)
  let decoder: TextDecoder | undefined
  let bytes = 0
  let pieces = 0
  let fault: string | undefined
  try {
    for await (const piece of piecesOf(body)) {
      bytes += piece.byteLength
      const left = piece.byteLength - Math.max(0, bytes - MOST_LIST_BYTES)
      decoder ??= listDecoder(piece, options.contentType)
      const text = decoder.decode(piece.subarray(0, Math.max(0, left)), { stream: true })
      reader ??= readerOf(text, take, options)
      reader?.write(text)
      if (bytes > MOST_LIST_BYTES) fault = `is larger than ${MOST_LIST_BYTES} bytes: what is beyond is left out`
      if (state.isFull || fault !== undefined || reader?.problem !== undefined) break
      if (++pieces % PIECES_A_TURN === 0) await nextTurn()
    }
  } catch (error) {
    fault = `is damaged (${error instanceof Error ? error.message : String(error)}): what is behind that is left out`
  }
  reader?.end(fault === undefined && !state.isFull)
  if (state.isFull) fault = `lists more than ${MOST_URLS} URLs: what is beyond is left out`
  const problem = fault ?? reader?.problem
  return { kind: reader?.kind ?? 'other', urls, ...(problem !== undefined && { problem }) }
}

/** Nothing of it is read. */
const JSON_TEXT: ListReader = { kind: 'other', problem: 'is JSON, which is not read', write() {}, end() {} }

/** The reader for a document that begins with `text`; undefined while there is nothing but space. */
function readerOf(
  text: string,
  take: TakeUrl,
  { url, strict = false, alternates = false }: ReadListOptions,
): ListReader | undefined {
  const start = text.trimStart()[0]
  if (start === undefined) return undefined
  if (start === '<') return new XmlReader(take, { url, strict, alternates })
  return start === '{' ? JSON_TEXT : textReader(take)
}

interface Taking {
  isFull: boolean
  isIndex(): boolean
}

/** Takes URLs as they are found. */
function taking(urls: ListedUrl[], { url: document, strict = false }: ReadListOptions, state: Taking): TakeUrl {
  const folder = strict ? parseUrl('./', document) : undefined
  return ({ text, base = document, date, priority: written }) => {
    // Other tools write hosts without a scheme, and mean this.
    const href = isHostname(text) ? `http://${text}` : text
    const url = parseUrl(href, base)
    // Sitemaps may be anywhere; what they list may not.
    const isInside = folder === undefined || state.isIndex() || url?.startsWith(folder)
    if (url === undefined || !isInside) return true
    if (urls.length >= MOST_URLS) {
      state.isFull = true
      return false
    }
    const modifiedAt = date === undefined ? undefined : listDate(date)
    const priority = written === undefined || written === '' ? Number.NaN : Number(written)
    urls.push({ url, ...(modifiedAt !== undefined && { modifiedAt }), ...(priority >= 0 && priority <= 1 && { priority }) })
    return true
  }
}

/** Whether it begins with a host name, as far as one can see that. */
function isHostname(text: string): boolean {
  return (text[0] === 'w' || text[0] === 'W') && /^www\./i.test(text)
}

/** The body, unpacked where it is packed, in pieces. */
function piecesOf(body: Uint8Array): Iterable<Uint8Array> | AsyncIterable<Uint8Array> {
  return body[0] === 0x1f && body[1] === 0x8b ? gunzipped(body, PIECE_BYTES) : slices(body)
}

function* slices(body: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < body.byteLength; at += PIECE_BYTES) yield body.subarray(at, at + PIECE_BYTES)
}

/** Bytes that are looked at for a declaration. */
const HEAD_BYTES = 1_024
const DECLARED = /^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{1,40})["']/
const IN_FIELD = /charset\s*=\s*["']?([\w.:-]{1,40})/i

/** A decoder for a list that begins with `head`; `contentType`: of its answer. */
function listDecoder(head: Uint8Array, contentType = ''): TextDecoder {
  const [first = 0, second = 0, third = 0] = head
  if (first === 0xef && second === 0xbb && third === 0xbf) return new TextDecoder('utf-8')
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le')
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be')
  // `<` in two bytes, without a mark.
  if (first === 0x3c && second === 0) return new TextDecoder('utf-16le')
  if (first === 0 && second === 0x3c) return new TextDecoder('utf-16be')
  const text = Buffer.from(head.buffer, head.byteOffset, Math.min(head.byteLength, HEAD_BYTES)).toString('latin1')
  return decoderOf(DECLARED.exec(text)?.[1]) ?? decoderOf(IN_FIELD.exec(contentType)?.[1]) ?? new TextDecoder('utf-8')
}

/** None for a charset that is unknown. A declaration that could be read was not written in UTF-16. */
function decoderOf(name: string | undefined): TextDecoder | undefined {
  if (name === undefined || /^utf-?16/i.test(name)) return undefined
  try {
    return new TextDecoder(name)
  } catch {
    return undefined
  }
}

/** Longer lines are no URLs that a server takes. */
const MOST_CHARACTERS = 8_192
const URL_LINE = /^(?:https?:\/\/|www\.)\S+$/i

/** A reader of text. */
export function textReader(take: TakeUrl): ListReader {
  let rest = ''
  let isTooLong = false
  const line = (text: string): void => {
    const url = text.trim()
    if (!isTooLong && url.length <= MOST_CHARACTERS && URL_LINE.test(url)) take({ text: url })
    isTooLong = false
  }
  return {
    kind: 'text',
    write(text) {
      const lines = (rest + text).split(/\r\n|\r|\n/)
      rest = lines.pop() ?? ''
      for (const each of lines) line(each)
      if (rest.length <= MOST_CHARACTERS) return
      rest = ''
      isTooLong = true
    },
    end(isWhole) {
      // The last line of a file that was cut off may lack its end.
      if (isWhole) line(rest)
      rest = ''
    },
  }
}

// Unpacks gzip data member by member, up to what is no member: servers send garbage behind a file, and node:zlib drops what it has then.
//
// Each member is deflate data between a header and a trailer with a checksum; a file may have several (RFC 1952 §2.2). A stream for each costs 50 µs, so that
// of the many that only an attack has, the rest is unpacked by node:zlib in one go.
const MOST_MEMBERS = 1_000
/** Checksum and size. */
const TRAILER_BYTES = 8

/** The content of `body`, in pieces of at most `chunkSize` bytes. Throws after the last of them where a member is cut off or damaged. */
async function* gunzipped(body: Uint8Array, chunkSize: number): AsyncGenerator<Uint8Array> {
  const options = { chunkSize, finishFlush: zlib.constants.Z_SYNC_FLUSH }
  let start = 0
  for (let members = 0; members < MOST_MEMBERS; members++) {
    const from = gzipDataAt(body, start)
    if (from === undefined) {
      if (members === 0) throw new Error('no whole header')
      return
    }
    const inflate = zlib.createInflateRaw(options)
    inflate.end(body.subarray(from))
    let checksum = 0
    for await (const piece of inflate) {
      checksum = zlib.crc32(piece as Uint8Array, checksum)
      yield piece as Uint8Array
    }
    const trailer = from + inflate.bytesWritten
    if (trailer + TRAILER_BYTES > body.length) throw new Error('unexpected end of file')
    if (new DataView(body.buffer, body.byteOffset + trailer).getUint32(0, true) !== checksum)
      throw new Error('incorrect data check')
    start = trailer + TRAILER_BYTES
  }
  const rest = zlib.createGunzip(options)
  rest.end(body.subarray(start))
  for await (const piece of rest) yield piece as Uint8Array
}
