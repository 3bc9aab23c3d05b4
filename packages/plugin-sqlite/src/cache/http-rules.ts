// Which kept response answers a request without its server, by the rules of HTTP caching (RFC 9111) for a private cache. Pure.
//
// More careful than the rules: what was requested with a cookie or credentials answers only a request with the same ones; partial content, trouble of a server,
// and what a browser rendered answer none; heuristic freshness does not exist.
import type { Request } from '@avocet/core'
import { headerOf, type ResponseHead, type ResponseHeaders } from '@avocet/core/plugin'
import { directivesOf } from './cache-control.ts'
import { freshUntil } from './freshness.ts'

/** What decides whether a kept response answers, as JSON in the file. */
export interface Reusable {
  /** Epoch ms: when it was asked for, or confirmed by a 304. */
  readonly at: number
  /** The header fields of the response that say how long. */
  readonly fields: ResponseHeaders
  /** Digests of the request's header fields on which it depends; '' for one that was not sent. */
  readonly asked: Readonly<Record<string, string>>
}

/** A request as it is sent. */
export interface AsSent {
  readonly request: Pick<Request, 'method' | 'url' | 'body' | 'again' | 'render'>
  /** By lower-case name. */
  readonly sent: Readonly<Record<string, string>>
}

/** Digest of a value; undefined where values cannot be compared. */
export type DigestOf = (field: string, value: string) => string | undefined

/** They say how long. */
const FIELDS = ['cache-control', 'expires', 'date', 'age', 'vary'] as const
/** Who asks decides on many answers that do not say so. */
const WHO_ASKS = ['authorization', 'cookie'] as const
/** More names no server means. */
const MAX_VARY = 32
/** Of fields, as JSON: what says more is not kept for reuse. */
const MAX_JSON = 2_048

/** Of a response that was `asked` for at `at`; undefined where it answers no other request. */
export function reusableOf(
  asking: AsSent,
  response: ResponseHead,
  { at, digest }: { at: number; digest: DigestOf },
): Reusable | undefined {
  const { sent } = asking
  const { status, headers } = response
  if (!isCacheable(asking) || directivesOf(headers).has('no-store') || directivesOf(sent).has('no-store')) return undefined
  if (status === 206 || status === 304 || status >= 500) return undefined
  const vary = varyOf(headers)
  if (vary === undefined) return undefined
  const isOfUse = freshUntil(headers, at) !== undefined || headers['etag'] !== undefined || headers['last-modified'] !== undefined
  const digests = [...new Set([...WHO_ASKS, ...vary])].map((field) => [field, digestOf(sent[field], field, digest)] as const)
  if (!isOfUse || digests.some(([, of]) => of === undefined)) return undefined
  const fields = Object.fromEntries(FIELDS.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])))
  const reusable = { at, fields, asked: Object.fromEntries(digests) } as Reusable
  return JSON.stringify(reusable).length > MAX_JSON ? undefined : reusable
}

/** The same after a 304 that came at `at`. Undefined where it may not be used any more. */
export function confirmedBy({ fields, asked }: Reusable, { headers }: ResponseHead, at: number): Reusable | undefined {
  if (directivesOf(headers).has('no-store')) return undefined
  const { age: _age, date: _date, ...older } = fields
  const newer = Object.fromEntries(FIELDS.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])))
  const merged = { at, fields: { ...older, ...newer }, asked } as Reusable
  // A 304 that names other fields speaks of what was not noted.
  const vary = varyOf(merged.fields)
  return vary === undefined || vary.some((name) => asked[name] === undefined) ? undefined : merged
}

/** Whether it answers: `fresh` without a request, `stale` after a 304, `other` not at all. */
export function reuseFor(
  reusable: Reusable,
  asking: AsSent,
  { now, digest }: { now: number; digest: DigestOf },
): 'fresh' | 'stale' | 'other' {
  const { at, fields, asked } = reusable
  const { request, sent } = asking
  const wish = directivesOf(sent)
  if (!isCacheable(asking) || wish.has('no-store')) return 'other'
  if (Object.entries(asked).some(([field, of]) => digestOf(sent[field], field, digest) !== of)) return 'other'
  const until = freshUntil(fields, at)
  const isAskedAgain = request.again !== undefined && request.again > at
  // Of what a request may say, only that it wants no kept response is obeyed: any age is too old then.
  const isUnwanted = wish.has('no-cache') || wish.has('max-age') || sent['pragma'] !== undefined
  if (until === undefined || isAskedAgain || isUnwanted || directivesOf(fields).has('no-cache')) return 'stale'
  return at <= now && now < until ? 'fresh' : 'stale'
}

/** Whether `sent` asks for exactly the response with `headers`: then a cache that has it fresh answers 304 (RFC 9111 §4.3.2). */
export function isConditionMet(headers: ResponseHeaders, sent: AsSent['sent']): boolean {
  const [tag, date] = [sent['if-none-match'], sent['if-modified-since']]
  if (tag !== undefined) return weak(tag) === weak(headerOf(headers, 'etag'))
  return date !== undefined && date === headerOf(headers, 'last-modified')
}

function weak(tag: string | undefined): string | undefined {
  return tag?.replace(/^W\//, '')
}

function isCacheable({ request: { method, url, body, render }, sent }: AsSent): boolean {
  return (
    method === 'GET' && body === undefined && render === undefined && sent['range'] === undefined && !url.includes('__secret')
  )
}

/** Lower-case names; undefined where no request can be said to be the same. */
function varyOf(headers: ResponseHeaders): readonly string[] | undefined {
  const names = [headers['vary'] ?? []]
    .flat()
    .join(',')
    .toLowerCase()
    .split(',', MAX_VARY + 1)
  const own = names.map((name) => name.trim()).filter((name) => name !== '')
  return own.includes('*') || own.length > MAX_VARY ? undefined : own
}

function digestOf(value: string | undefined, field: string, digest: DigestOf): string | undefined {
  return value === undefined ? '' : digest(field, value)
}
