// How the entries of a form are written: as a query, as parts, or as lines.
//
// Source: HTML standard §4.10.21.6 to §4.10.21.8; URL standard §5.2 (application/x-www-form-urlencoded); RFC 7578 (multipart/form-data).
import { createRequire } from 'node:module'
import type * as Whatwg from '@exodus/bytes/whatwg.js'

/** What is sent: name and value, or an empty file. */
export interface FormEntry {
  readonly name: string
  readonly value: string
  readonly isFile?: boolean
}

/** How a body is encoded. */
export type FormEncoding = 'application/x-www-form-urlencoded' | 'multipart/form-data' | 'text/plain'

const require = createRequire(import.meta.url)
/** Escaped, of what ASCII shows: all but letters, digits and `*-._`, which the set of the URL standard leaves. A space becomes a plus. */
const ESCAPED = '!"#$%&\'()+,/:;<=>?@[\\]^`{|}~'

/** `entries` as a query in `charset`, a WHATWG name. */
export function urlencoded(entries: readonly FormEntry[], charset: string): string {
  const escaped = (text: string): string => escapedIn(crlf(text), charset)
  return entries.map(({ name, value }) => `${escaped(name)}=${escaped(value)}`).join('&')
}

/** A body and its content type. Bodies are sent in UTF-8, whatever charset parts were to have. */
export function bodyOf(
  entries: readonly FormEntry[],
  encoding: FormEncoding,
  charset: string,
): { readonly type: string; readonly body: string } {
  if (encoding === 'application/x-www-form-urlencoded') return { type: encoding, body: urlencoded(entries, charset) }
  if (encoding === 'text/plain')
    return { type: encoding, body: entries.map(({ name, value }) => `${crlf(name)}=${crlf(value)}\r\n`).join('') }
  const boundary = boundaryFor(entries)
  const parts = entries.map((entry) => `--${boundary}\r\n${partOf(entry)}\r\n`)
  return { type: `${encoding}; boundary=${boundary}`, body: `${parts.join('')}--${boundary}--\r\n` }
}

function partOf({ name, value, isFile }: FormEntry): string {
  const quoted = crlf(name).replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22')
  const file = isFile === true ? '; filename=""\r\nContent-Type: application/octet-stream' : ''
  return `Content-Disposition: form-data; name="${quoted}"${file}\r\n\r\n${crlf(value)}`
}

/** In none of the values. The same for the same form, for a body is part of what a request is. */
function boundaryFor(entries: readonly FormEntry[]): string {
  const text = entries.map(({ name, value }) => `${name}\n${value}`).join('\n')
  let number = 0
  while (text.includes(`----avocet-form-${number}`)) number++
  return `----avocet-form-${number}`
}

function crlf(text: string): string {
  return text.replaceAll(/\r\n|\r|\n/g, '\r\n')
}

function escapedIn(text: string, charset: string): string {
  // A lone surrogate is no text, and URLSearchParams makes U+FFFD of it, as browsers do.
  if (charset === 'UTF-8' || !/[^\0-\u007F]/.test(text)) return new URLSearchParams([['', text]]).toString().slice(1)
  void require('@exodus/bytes/encoding.js')
  const { percentEncodeAfterEncoding } = require('@exodus/bytes/whatwg.js') as typeof Whatwg
  return percentEncodeAfterEncoding(charset, text, ESCAPED, true)
}
