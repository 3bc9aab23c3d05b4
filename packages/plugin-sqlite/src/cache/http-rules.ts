// Which kept response answers a request without its server, by the rules of HTTP caching (RFC 9111) for a private cache. Pure.
//
// More careful than the rules: what was requested with a cookie or credentials answers only a request with the same ones; partial content, trouble of a server,
// and what a browser rendered answer none; heuristic freshness does not exist.
import type { Request } from '@avocet/core'
import { headerOf, type ResponseHead, type ResponseHeaders, httpDate, serverNow } from '@avocet/core/plugin'

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

// How long a response may be used without asking its server. Pure. Source: RFC 9111 §4.2.
//
// It is fresh for max-age, or from Date to Expires; without either it is stale at once: nothing is guessed (§4.2.2). s-maxage is for shared caches. Expires and
// Date are both of the server's clock; how long ago the response was requested is of ours. So a clock that is wrong, here or there, makes a response neither
// fresh nor stale. What lies ahead of our clock, which went back, has an unknown age, and is stale.

/** Longer by the server's clock than this, and shorter by ours: that clock was never set. */
const NONSENSE_MS = 31 * 86_400_000

/** Of a response with `headers`, asked for at `at` (epoch ms of ours): until when it is fresh, epoch ms of ours; undefined where nothing says so. */
export function freshUntil(headers: ResponseHeaders, at: number): number | undefined {
  const directives = directivesOf(headers)
  const lifetimeMs = msOf(directives, 'max-age') ?? untilExpires(headers, at)
  return lifetimeMs === undefined ? undefined : at + lifetimeMs - ageOf(headers)
}

/** What caches on the way had it for, ms. One that is no number is unknown: then it is as old as can be. */
function ageOf(headers: ResponseHeaders): number {
  const age = headerOf(headers, 'age')?.trim()
  if (age === undefined) return 0
  return /^\d+$/.test(age) ? Number(age) * 1_000 : Infinity
}

/** 0 for one that is no date, such as `0` (RFC 9111 §5.3). */
function untilExpires(headers: ResponseHeaders, at: number): number | undefined {
  const expires = headerOf(headers, 'expires')
  if (expires === undefined) return undefined
  const until = httpDate(expires.trim(), at)
  if (until === undefined) return 0
  const { age: _age, ...others } = headers
  const [theirsMs, oursMs] = [until - serverNow(others, at), until - at]
  return Math.max(0, theirsMs > NONSENSE_MS && oursMs >= 0 && oursMs < theirsMs ? oursMs : theirsMs)
}

// The directives of Cache-Control. What cannot be right counts as the careful reading: a server that is misread is requested once more.

/** Longer is no list of directives: it is read as `no-store`. */
const MAX_CHARACTERS = 4_096
/** RFC 9111 §1.2.2: what is larger counts as this. Seconds. */
const MOST_SECONDS = 2 ** 31

/** A name, and what may follow it: a quoted text or a token. */
const DIRECTIVE = /([\w!#$%&'*+.^`|~-]+)(?:=(?:"([^"]*)"|([^\s,;"]*)))?/g

/** Those of a request or a response, by lower-case name; '' for one without a value. Of one that came twice with other values, the value is not a number. */
export function directivesOf(headers: ResponseHeaders): ReadonlyMap<string, string> {
  const text = [headers['cache-control'] ?? []].flat().join(',')
  if (text.length > MAX_CHARACTERS) return new Map([['no-store', '']])
  const found = new Map<string, string>()
  for (const [, name = '', quoted, token] of text.matchAll(DIRECTIVE)) {
    const [key, value] = [name.toLowerCase(), quoted ?? token ?? '']
    found.set(key, (found.get(key) ?? value) === value ? value : 'several')
  }
  return found
}

/** Whole seconds that a directive gives, as ms; undefined where there is no such directive, 0 for one that is no number (RFC 9111 §4.2.1). */
export function msOf(directives: ReadonlyMap<string, string>, name: string): number | undefined {
  const value = directives.get(name)
  if (value === undefined) return undefined
  return /^\d+$/.test(value) ? Math.min(Number(value), MOST_SECONDS) * 1_000 : 0
}
