// Reads the body of a sitemap or a feed: unpacked, decoded and parsed piece by piece, in turns of the event loop, within bounds.
//
// What is beyond 50 MB or 50,000 URLs is left out (sitemaps.org), and so is what comes after a fault of the file:
// what was read until then counts.
import { parseUrl } from '@avocet/core/plugin'
import { nextTurn } from '@avocet/core/store'
import type { TextDecoder } from 'node:util'
import type { ListedUrl, ReadList } from './entry.ts'
import { gunzipped } from './gzip-members.ts'
import { jsonFeedReader } from './json-feed-reader.ts'
import { listDecoder } from './list-charset.ts'
import { listDate } from './list-dates.ts'
import type { ListReader, TakeUrl } from './list-reader.ts'
import { textReader } from './text-reader.ts'
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
 * Reads a sitemap, a sitemap index, RSS, Atom, a JSON Feed or a list of URLs in text, packed with gzip or not. Never rejects: a file that is none gives no URLs
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

/** The reader for a document that begins with `text`; undefined while there is nothing but space. */
function readerOf(text: string, take: TakeUrl, { strict = false, alternates = false }: ReadListOptions): ListReader | undefined {
  const start = text.trimStart()[0]
  if (start === undefined) return undefined
  if (start === '<') return new XmlReader(take, { strict, alternates })
  return start === '{' ? jsonFeedReader(take) : textReader(take)
}

interface Taking {
  isFull: boolean
  isIndex(): boolean
}

/** Takes URLs as they are found. */
function taking(urls: ListedUrl[], { url: base, strict = false }: ReadListOptions, state: Taking): TakeUrl {
  const folder = strict ? parseUrl('./', base) : undefined
  return ({ text, date, priority: written }) => {
    // Other tools write hosts without a scheme, and mean this.
    const url = parseUrl(isHostname(text) ? `http://${text}` : text, base)
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
