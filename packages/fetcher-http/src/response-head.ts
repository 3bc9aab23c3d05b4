// Refuses answers whose framing can be read in two ways, or that answer something that was not asked: what the parser lets through.

import { type FailureCode, headerOf, type ResponseHead, type ResponseHeaders } from '@avocet/core/plugin'

/** Header fields that are read, and as many Set-Cookie fields beside them. */
const MAX_FIELDS = 500
/** Content codings that are taken off. */
const MAX_CODINGS = 2

/** The head with no more than 500 Set-Cookie fields: a site that resets a cookie over and over is odd, but its page is as good as any. */
export function withFewerCookies(head: ResponseHead): ResponseHead {
  const cookies = head.headers['set-cookie']
  if (typeof cookies !== 'object' || cookies.length <= MAX_FIELDS) return head
  return { ...head, headers: { ...head.headers, 'set-cookie': cookies.slice(0, MAX_FIELDS) } }
}

/** What is wrong with a head, if anything. */
export interface HeadFault {
  readonly code: FailureCode
  readonly message: string
}

/**
 * Looks for what makes the end of the body a matter of opinion (RFC 9112 §6.3: a recipient must not guess) and for unasked ranges.
 *
 * @param fields how many header fields came, duplicates counted; those of Set-Cookie do not count against the limit.
 * @param rangeAsked whether the request had a Range field.
 */
export function faultOfHead(
  { status, headers }: ResponseHead,
  asked: { readonly fields: number; readonly rangeAsked: boolean },
): HeadFault | undefined {
  const cookies = headers['set-cookie']
  const fields = asked.fields - (typeof cookies === 'object' ? cookies.length : 0)
  if (fields > MAX_FIELDS) {
    return {
      code: 'AVO_HEADERS_TOO_LARGE',
      message: `${fields} header fields, at most ${MAX_FIELDS} are read`,
    }
  }
  const coding = headers['transfer-encoding']
  const length = headers['content-length']
  if (coding !== undefined) {
    if (length !== undefined) return protocol('both Content-Length and Transfer-Encoding')
    if (typeof coding !== 'string' || coding.trim().toLowerCase() !== 'chunked')
      return protocol(`Transfer-Encoding: ${String(coding)}`)
  }
  if (length !== undefined && (typeof length !== 'string' || !/^\d{1,15}$/.test(length))) {
    return protocol(`Content-Length: ${String(length)}`)
  }
  if (status === 206 && !asked.rangeAsked) return protocol('status 206, though no range was requested')
  return undefined
}

/** A 206 that nobody asked for, with all there is, is a 200. */
export function statusOfAll(status: number, headers: ResponseHeaders): number {
  if (status !== 206) return status
  const [, last, size] = /^bytes 0-(\d{1,15})\/(\d{1,15})$/.exec(headerOf(headers, 'content-range')?.trim() ?? '') ?? []
  return size !== undefined && Number(last) + 1 === Number(size) ? 200 : status
}

/** Whether no body follows, even if header fields say otherwise. Source: RFC 9112 §6.3. */
export function isBodiless(method: string, status: number): boolean {
  return method === 'HEAD' || status === 204 || status === 304
}

/** Why a body is not even begun: more of it is announced than may come, or more codings than are taken off. */
export function faultOfBody(body: {
  /** NaN: nothing is announced. */
  readonly announced: number
  readonly most: number
  readonly codings: readonly string[]
}): HeadFault | undefined {
  const { announced, most, codings } = body
  if (announced > most) return { code: 'AVO_BODY_TOO_LARGE', message: `${announced} bytes of body announced, at most ${most}` }
  if (codings.length <= MAX_CODINGS) return undefined
  return { code: 'AVO_ENCODING_CHAIN', message: `${codings.length} content codings are stacked, at most ${MAX_CODINGS}` }
}

function protocol(what: string): HeadFault {
  return { code: 'AVO_PROTOCOL', message: `the answer has ${what}` }
}
