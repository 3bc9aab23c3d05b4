// What the headers of an answer mean for a file of which a part may be there. Pure.
//
// A part is continued only by a 206 that begins where it ends, of a file of the same size with the same validator. With If-Range a server that has another
// version by now sends all of it (200), which starts over; a 200 of the same version and another size has the rest only, and is refused. Only what certainly
// names one version of the bytes is a validator: a strong ETag, or a Last-Modified of at least a minute before Date, for a file may change twice in a second.
// Source: RFC 9110 §8.8.2.2, §13.1.5, §14.2.
import { headerOf, type Failure, type ResponseHead } from '@avocet/core/plugin'
import { failure } from '@avocet/core/store'
import { isWanted, saidType } from './file-types.ts'

/** What a part is of. */
interface Version {
  /** As the server sent it, with its quotes; never a weak one. */
  readonly etag?: string
  /** As the server sent it. */
  readonly lastModified?: string
  /** Size of the whole; absent: not known. */
  readonly total?: number
}

/** What is there of a file. */
export interface Held extends Version {
  /** Bytes from the start that are safely on the disk; at least 1. */
  readonly bytes: number
}

/** What is wanted of a file. */
export interface WantedFile {
  readonly maxBytes: number
  readonly types?: readonly string[] | undefined
}

/** What an answer means. `version` is absent where it cannot be resumed. */
export type Meaning =
  | { readonly kind: 'save'; readonly from: number; readonly total?: number; readonly version?: Version; readonly said: string }
  | { readonly kind: 'read' }
  | { readonly kind: 'refuse'; readonly failure: Failure }

const MINUTE_MS = 60_000
const CONTENT_RANGE = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)$/

/** The fields of a request for what is missing. */
export function fieldsFor(held: Held | undefined): Readonly<Record<string, string>> {
  const condition = held?.etag ?? held?.lastModified
  const whole = { 'accept-encoding': 'identity' }
  if (held === undefined || condition === undefined) return whole
  return { ...whole, range: `bytes=${String(held.bytes)}-`, 'if-range': condition }
}

/** What `head` means where `held` was there and asked for. */
export function meaningOf(head: ResponseHead, wanted: WantedFile, held: Held | undefined): Meaning {
  const { status, headers } = head
  if (status !== 200 && status !== 206) return { kind: 'read' }
  const coding = headerOf(headers, 'content-encoding')?.trim().toLowerCase()
  if (coding !== undefined && coding !== '' && coding !== 'identity')
    return refuse('AVO_DECODE_FAILED', `expected the file without a content coding, as was asked for, got ${coding.slice(0, 40)}`)
  const said = saidType(headerOf(headers, 'content-type'))
  if (said !== '' && !isWanted(said, wanted.types)) return refuse('AVO_FILE_TYPE', wrongType(wanted.types, said))
  const range = status === 206 ? rangeOf(headerOf(headers, 'content-range')) : undefined
  if (status === 206 && (held === undefined || range === undefined || !continues(range, held, headers)))
    return refuse(
      'AVO_FILE_RANGE',
      `${expectedRange(held)}, got ${headerOf(headers, 'content-range')?.slice(0, 80) ?? 'a 206 without Content-Range'}`,
    )
  const from = status === 206 ? (held?.bytes ?? 0) : 0
  const known = status === 206 || isSame(held, headers) ? held?.total : undefined
  const length = status === 200 ? lengthOf(headerOf(headers, 'content-length')) : undefined
  const total = range?.total ?? length ?? known
  if (known !== undefined && total !== known)
    return refuse(
      'AVO_FILE_RANGE',
      `expected all ${String(known)} bytes of the file, or a 206, got a 200 with ${String(total)} of them`,
    )
  if (total !== undefined && total > wanted.maxBytes) return refuse('AVO_BODY_TOO_LARGE', tooLarge(wanted.maxBytes, `${total}`))
  const version = status === 206 ? versionAgain(held, total) : versionOf(head, total)
  return { kind: 'save', from, said, ...(total !== undefined && { total }), ...(version && { version }) }
}

/** What is said of a file of more bytes than are wanted. */
export function tooLarge(maxBytes: number, got: string): string {
  return `expected a file of at most ${String(maxBytes)} bytes, got ${got}; raise maxBytes of its file(), or of files()`
}

/** What is said of a file of another type. */
export function wrongType(types: readonly string[] | undefined, got: string): string {
  return `expected ${types?.join(' or ') ?? 'any type'}, got ${got === '' ? 'a file of unknown type' : got.slice(0, 80)}`
}

interface Range {
  readonly first: number
  readonly total?: number
}

function rangeOf(field: string | undefined): Range | undefined {
  const [, first, last, total] = CONTENT_RANGE.exec(field?.trim() ?? '') ?? []
  if (first === undefined || last === undefined || Number(last) < Number(first)) return undefined
  if (total === '*') return { first: Number(first) }
  // A part that does not reach the end would be taken for the whole.
  return Number(last) === Number(total) - 1 ? { first: Number(first), total: Number(total) } : undefined
}

/** Whether the range is the rest of what is there, and of the same version. */
function continues({ first, total }: Range, held: Held, headers: ResponseHead['headers']): boolean {
  const etag = headerOf(headers, 'etag')
  const lastModified = headerOf(headers, 'last-modified')?.trim()
  // Some servers send ranges and know no If-Range.
  if (etag !== undefined && held.etag !== undefined && etag !== held.etag) return false
  if (lastModified !== undefined && held.lastModified !== undefined && lastModified !== held.lastModified) return false
  if (total === undefined && held.total === undefined) return false
  return first === held.bytes && (held.total === undefined || total === undefined || total === held.total)
}

/** Whether an answer says that it is of the version that is there. */
function isSame(held: Held | undefined, headers: ResponseHead['headers']): boolean {
  const validator = held?.etag ?? held?.lastModified
  return validator !== undefined && headerOf(headers, held?.etag === undefined ? 'last-modified' : 'etag')?.trim() === validator
}

function expectedRange(held: Held | undefined): string {
  return held === undefined
    ? 'expected the whole file'
    : `expected bytes ${String(held.bytes)}-${held.total === undefined ? '' : `${held.total - 1}/${held.total}`}`
}

/** What was held goes on being what it was. */
function versionAgain(held: Held | undefined, total: number | undefined): Version | undefined {
  if (held === undefined) return undefined
  const { bytes: _bytes, ...version } = held
  return { ...version, ...(total !== undefined && { total }) }
}

function versionOf({ headers }: ResponseHead, total: number | undefined): Version | undefined {
  const size = total === undefined ? {} : { total }
  const etag = headerOf(headers, 'etag')?.trim()
  if (etag !== undefined && /^"[^"\r\n]{1,200}"$/.test(etag)) return { etag, ...size }
  const lastModified = headerOf(headers, 'last-modified')?.trim()
  const modifiedAt = Date.parse(lastModified ?? '')
  const sentAt = Date.parse(headerOf(headers, 'date') ?? '')
  if (lastModified === undefined || lastModified.length > 100 || !(sentAt - modifiedAt >= MINUTE_MS)) return undefined
  return { lastModified, ...size }
}

function lengthOf(field: string | undefined): number | undefined {
  return field !== undefined && /^\d{1,15}$/.test(field) ? Number(field) : undefined
}

function refuse(code: Failure['code'], message: string): Meaning {
  return { kind: 'refuse', failure: failure(code, message, { phase: 'body', sent: true }) }
}
