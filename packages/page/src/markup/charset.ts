// What a body is, and from bytes to text: BOM, then the field, then what the document declares, then UTF-8 if it is valid, else windows-1252.
//
// Nine pages in ten are UTF-8 and say so, and most of those are ASCII, which needs no decoding at all. The tables for all other charsets
// (@exodus/bytes, for the platform's windows-1252 is wrong in Node 22) and the prescan are loaded by the first page that needs them.
import { isAscii, isUtf8 } from 'node:buffer'
import { createRequire } from 'node:module'
import type * as Encodings from '@exodus/bytes/encoding.js'
import type * as Whatwg from '@exodus/bytes/whatwg.js'

/** What is known of a body before its bytes are looked at. */
export interface CharsetHints {
  /** The charset parameter of Content-Type. */
  readonly label?: string | undefined
  /** Whether the document may declare its charset: `<meta>` in HTML, the declaration in XML. */
  readonly markup: 'html' | 'xml' | 'none'
}

type SniffEncoding = (bytes: Uint8Array, options: { xml?: boolean; defaultEncoding: string; maxPrescanBytes?: number }) => string

/** Browsers prescan 1,024 bytes, and start over when a declaration comes later: reading on at once comes to the same. */
const MAX_PRESCAN_BYTES = 65_536

/** Decoded in one step: of the slowest charset, ISO-2022-JP, some 10 ms; of bytes that are no UTF-8 three. */
const PIECE_BYTES = 512 * 2 ** 10

/** Of what is UTF-8, and of windows-1252, at most 10 ms. */
const FAST_PIECE_BYTES = 4 * 2 ** 20

/** Source: URL standard, special-query percent-encode set. */
const ESCAPED = ' "#\'<>'

const require = createRequire(import.meta.url)
const utf8 = new TextDecoder()
let encodings: typeof Encodings | undefined

/** The WHATWG name of the charset of `body` (`UTF-8`, `windows-1252`). Source: HTML standard §13.2.3.2, with UTF-8 before the locale's default. */
export function charsetOf(body: Uint8Array, { label, markup }: CharsetHints): string {
  const bom = charsetOfBom(body)
  if (bom !== undefined) return bom
  const declared = label === undefined ? undefined : charsetOfLabel(label)
  if (declared !== undefined) return declared
  const beginning = body.subarray(0, MAX_PRESCAN_BYTES)
  if (markup !== 'none' && mayDeclare(beginning)) {
    const sniff = require('html-encoding-sniffer') as SniffEncoding
    const how = markup === 'xml' ? { xml: true } : { maxPrescanBytes: MAX_PRESCAN_BYTES }
    const sniffed = sniff(beginning, { ...how, defaultEncoding: '' })
    if (sniffed !== '') return sniffed
  }
  return isUtf8(body) ? 'UTF-8' : 'windows-1252'
}

/** The text of `body` in `charset`, a WHATWG name. What is not of that charset becomes U+FFFD; a BOM is left out. Never throws. */
export function decodeText(body: Uint8Array, charset: string): string {
  if ((charset === 'UTF-8' || charset === 'windows-1252') && isAscii(body)) return latin1(body)
  if (charset === 'UTF-8') return utf8.decode(body)
  return loadedEncodings().legacyHookDecode(body, charset.toLowerCase())
}

/** The charset in which a form of a page in `charset` is sent, a WHATWG name. Source: HTML standard §4.10.21.5 (picking an encoding for the form). */
export function submissionCharset(accepted: string | undefined, charset: string): string {
  const labels = accepted?.split(/[\t\n\f\r ]+/).filter((label) => label !== '') ?? []
  const wanted = labels.length === 0 ? charset : labels.map(charsetOfLabel).find((name) => name !== undefined)
  return wanted === undefined || wanted === 'replacement' || /^UTF-/i.test(wanted) ? 'UTF-8' : wanted
}

/** Whether the prescan could find anything: a `<meta>` has to say `charset`, XML begins with its declaration, and UTF-16 has zeros at its beginning. */
function mayDeclare(beginning: Uint8Array): boolean {
  const text = latin1(beginning)
  return /charset/i.test(text) || /^(?:<\?xml|<\0|\0)/.test(text)
}

function charsetOfBom(body: Uint8Array): string | undefined {
  const [first, second, third] = body
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'UTF-8'
  if (first === 0xfe && second === 0xff) return 'UTF-16BE'
  if (first === 0xff && second === 0xfe) return 'UTF-16LE'
  return undefined
}

function charsetOfLabel(label: string): string | undefined {
  if (/^utf-?8$/i.test(label)) return 'UTF-8'
  return loadedEncodings().labelToName(label) ?? undefined
}

function loadedEncodings(): typeof Encodings {
  encodings ??= require('@exodus/bytes/encoding.js') as typeof Encodings
  return encodings
}

function latin1(body: Uint8Array): string {
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1')
}

/** What `decodeText` gives, a piece at a time, so that 32 MB of a slow charset do not stop the event loop for a second. */
export function* decodedInSteps(body: Uint8Array, charset: string): Generator<void, string, undefined> {
  const isFast = charset === 'UTF-8' ? isUtf8(body) : charset === 'windows-1252'
  const pieceBytes = isFast ? FAST_PIECE_BYTES : PIECE_BYTES
  if (body.byteLength <= pieceBytes || charset === 'replacement') return decodeText(body, charset)
  const decoder = streamingDecoder(charset)
  const pieces: string[] = []
  for (let at = 0; at < body.byteLength; at += pieceBytes) {
    pieces.push(decoder.decode(body.subarray(at, at + pieceBytes), { stream: true }))
    yield
  }
  pieces.push(decoder.decode())
  return pieces.join('')
}

function streamingDecoder(charset: string): InstanceType<typeof TextDecoder> {
  return charset === 'UTF-8' ? new TextDecoder() : new (loadedEncodings().TextDecoder)(charset)
}

/**
 * `href` with the query escaped as in `charset`, where the URL parser would write UTF-8: what is not ASCII is written in the charset of the page, and
 * servers of old pages expect it there. Source: URL standard, query state.
 */
export function withLegacyQuery(href: string, charset: string): string {
  if (charset.startsWith('UTF-') || charset === 'replacement') return href
  const hash = href.indexOf('#')
  const end = hash === -1 ? href.length : hash
  const question = href.indexOf('?')
  if (question === -1 || question > end) return href
  const query = href.slice(question + 1, end)
  if (!/[^\0-\u007F]/.test(query)) return href
  // The URL parser takes tabs and line feeds out before it looks at anything.
  const escaped = percentEncoder()(charset, query.replaceAll(/[\t\n\r]/g, ''), ESCAPED)
  return href.slice(0, question + 1) + escaped + href.slice(end)
}

/** Escapes text as in a charset. Source: URL standard, percent-encode after encoding. */
export function percentEncoder(): typeof Whatwg.percentEncodeAfterEncoding {
  // Brings the tables of charsets of several bytes, which the other module asks for.
  loadedEncodings()
  return (require('@exodus/bytes/whatwg.js') as typeof Whatwg).percentEncodeAfterEncoding
}

// What a body is: by its Content-Type field, or by its first bytes where that says nothing.
//
// Nearly all fields are a plain type with at most a plain charset. The parser for the others (whatwg-mimetype) is loaded by the first that needs it.

/** A content type in parts. */
export interface ContentType {
  /** `text/html`, in lower case, without parameters. */
  readonly essence: string
  /** The charset parameter as it was given. */
  readonly charset?: string
}

/** What is used of whatwg-mimetype, which has no types. */
interface Mime {
  readonly MIMEType: {
    parse(field: string): { readonly essence: string; readonly parameters: ReadonlyMap<string, string> } | null
  }
  /** The answer of the MIME Sniffing Standard for the first bytes of a resource. */
  computedMIMEType(resource: Uint8Array): { readonly essence: string }
}

/** What fields meant that came before: a site says the same of all its pages. Cleared when full, for a server can make up new ones for ever. */
const READ = new Map<string, ContentType | null>()
const MOST_READ = 64

/** Longer fields are cut after a parameter: the parser is quadratic in white space (60,000 spaces: 6 s). Honest ones have some 100 characters. */
const MAX_FIELD_CHARACTERS = 512

/** What is looked at to guess. Source: MIME Sniffing Standard §5.2. */
const SNIFFED_BYTES = 1_445

/** A type, and a charset that is a token: part of what RFC 9110 allows, and read by everybody in the same way. */
const PLAIN = /^([a-z]+\/[a-z0-9.+-]+)(?:; ?charset=([a-z0-9._:-]+))?$/i

/** What a server writes that does not know. Source: MIME Sniffing Standard §7. */
const UNKNOWN: ReadonlySet<string> = new Set(['*/*', 'unknown/unknown', 'application/unknown'])

/** Reads `field`; where it says no type, guesses from `body` as browsers do. Source: MIME Sniffing Standard §7.1. */
export function contentTypeOf(field: string | undefined, body: Uint8Array): ContentType {
  const declared = field === undefined ? null : readField(cut(field))
  if (declared !== null && !UNKNOWN.has(declared.essence)) return declared
  const { computedMIMEType } = require('whatwg-mimetype') as Mime
  return { ...declared, essence: computedMIMEType(body.subarray(0, SNIFFED_BYTES)).essence }
}

/** The type, and the parameters that are whole. */
function cut(field: string): string {
  if (field.length <= MAX_FIELD_CHARACTERS) return field
  const head = field.slice(0, MAX_FIELD_CHARACTERS)
  const end = head.lastIndexOf(';')
  return end === -1 ? head : head.slice(0, end)
}

function readField(field: string): ContentType | null {
  const known = READ.get(field)
  if (known !== undefined) return known
  const [, essence, charset] = PLAIN.exec(field) ?? parsed(field)
  const parts = essence === undefined ? null : { essence: essence.toLowerCase(), ...(charset !== undefined && { charset }) }
  if (READ.size >= MOST_READ) READ.clear()
  READ.set(field, parts)
  return parts
}

/** The same parts as those of PLAIN; none of what is no type. */
function parsed(field: string): readonly (string | undefined)[] {
  const { MIMEType } = require('whatwg-mimetype') as Mime
  const type = MIMEType.parse(field)
  return [field, type?.essence, type?.parameters.get('charset')]
}

/** Whether links are read from it. */
export function isHtmlType(essence: string): boolean {
  return essence === 'text/html' || essence === 'application/xhtml+xml'
}

/** Whether it is XML, but not XHTML: feeds, sitemaps, data. */
export function isXmlType(essence: string): boolean {
  return !isHtmlType(essence) && (essence.endsWith('+xml') || essence === 'text/xml' || essence === 'application/xml')
}
