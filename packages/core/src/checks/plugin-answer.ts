// Checks what plugins and taps give to the collectors of their hooks. What is none is thrown back at once, where the guard around the tap knows its name:
// a NaN that got through would hold a host for ever, or be refused by the store long after anybody knew whose it was.
import type { BodySaver } from '../ports/fetcher.ts'
import { AvocetError } from '../values/errors.ts'
import { proxyServerOf, type ProxyServer } from '../values/proxy-server.ts'
import type { Response } from '../ports/response.ts'
import { shown } from '../values/shown.ts'

/** A field name (RFC 9110 §5.6.2), and a value without line breaks (§5.5). */
const FIELD_NAME = /^[!#$%&'*+.^_`|~\w-]+$/
const NOT_IN_VALUE = /[\r\n\0]/

/** The error of a `call` that was given `got`. */
export function notAnswer(call: string, expected: string, got: unknown): AvocetError {
  return new AvocetError('AVO_PLUGIN_INVALID', `expected ${call} to be given ${expected}, got ${shown(got)}`)
}

/** A moment that a request is put off to: epoch ms, finite. */
export function checkMoment(call: string, at: unknown): void {
  if (typeof at !== 'number' || !Number.isFinite(at)) throw notAnswer(call, 'a moment (epoch ms)', at)
}

/** The moments that a vote in `admit` may name: epoch ms, or never. */
export function checkNotBefore(at: unknown): void {
  if (typeof at !== 'number' || Number.isNaN(at)) throw notAnswer('notBefore(at, why)', 'a moment (epoch ms)', at)
}

/** How many may be in flight; none, or no limit, included. */
export function checkAtMost(n: unknown): void {
  if (typeof n !== 'number' || !(n >= 0)) throw notAnswer('atMost(n, why)', 'a number of at least 0', n)
}

/** A rate that a policy has found. */
export function checkPaces(rps: unknown): void {
  if (typeof rps !== 'number' || !(rps >= 0)) throw notAnswer('paces(rps)', 'requests a second', rps)
}

/** A reason: any text but an empty one. */
export function checkWord(call: string, reason: unknown): void {
  if (typeof reason !== 'string' || reason === '') throw notAnswer(call, 'a word', reason)
}

/** A header field that may be sent. */
export function checkField(name: unknown, value: unknown): void {
  if (typeof name !== 'string' || !FIELD_NAME.test(name)) throw notAnswer('setHeader()', 'the name of a field', name)
  if (typeof value !== 'string' || NOT_IN_VALUE.test(value))
    throw notAnswer('setHeader()', `a text without line breaks for ${name}`, value)
}

/** The proxy of a URL; the error quotes no credentials. */
export function checkProxy(url: unknown): ProxyServer {
  const server = proxyServerOf(url)
  if (typeof server !== 'string') return server
  throw new AvocetError('AVO_PLUGIN_INVALID', `setProxy(): ${server}`)
}

/** What takes the body of a response; `maySave`: whether somebody other than the spider's handlers gets that response. */
export function checkSaver(saver: unknown, maySave: boolean): void {
  if (!maySave) throw notAnswer('save()', 'a request of a document handler of a plugin', saver)
  const { headers, maxBytes, ...calls } = (typeof saver === 'object' ? (saver ?? {}) : {}) as Partial<BodySaver>
  if (typeof headers !== 'object' || headers === null) throw notAnswer('save()', 'a saver (headers: an object)', saver)
  for (const [name, value] of Object.entries(headers)) checkField(name, value)
  if (typeof maxBytes !== 'number' || !(maxBytes > 0)) throw notAnswer('save()', 'a saver (maxBytes: a number above 0)', maxBytes)
  for (const name of ['accepts', 'write', 'drained', 'end', 'abort'] as const)
    if (typeof (saver as BodySaver)[name] !== 'function') throw notAnswer('save()', `a saver (${name}: a function)`, calls[name])
}

/** A response as a host might have given it. */
export function checkResponse(response: unknown): void {
  const wrong = flawOf(response as Partial<Response> | null)
  if (wrong !== undefined) throw notAnswer('serve()', `a response (${wrong})`, response)
}

function flawOf(response: Partial<Response> | null): string | undefined {
  if (typeof response !== 'object' || response === null) return 'an object'
  const { url, status, headers, body, wireBytes, timings, fetchedAt } = response
  if (typeof url !== 'string') return 'url: text'
  if (!Number.isInteger(status) || Number(status) < 100 || Number(status) > 999) return 'status: 100 to 999'
  if (typeof headers !== 'object' || headers === null) return 'headers: an object'
  if (!(body instanceof Uint8Array)) return 'body: a Uint8Array'
  if (!Number.isFinite(wireBytes)) return 'wireBytes: a number'
  if (fetchedAt !== undefined && !Number.isFinite(fetchedAt)) return 'fetchedAt: epoch ms'
  return typeof timings === 'object' && timings !== null ? undefined : 'timings: an object'
}
