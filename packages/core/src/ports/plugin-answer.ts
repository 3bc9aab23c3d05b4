// Checks what plugins and taps give to the collectors of their hooks. What is none is thrown back at once, where the guard around the tap knows its name:
// a NaN that got through would hold a host for ever, or be refused by the store long after anybody knew whose it was.
import { AvocetError } from '../values/errors.ts'
import { isFieldValue, isToken } from '../values/header-names.ts'
import { hasMembers } from '../values/options.ts'
import type { Response } from './response.ts'
import { shown } from '../values/shown.ts'

/** The error of a `call` that was given `got`. */
export function notAnswer(call: string, expected: string, got: unknown): AvocetError {
  return new AvocetError('AVO_PLUGIN_INVALID', `expected ${call} to be given ${expected}, got ${shown(got)}`)
}

/** A moment that a request is put off to: epoch ms, finite. */
export function checkMoment(call: string, at: unknown): void {
  if (typeof at !== 'number' || !Number.isFinite(at)) throw notAnswer(call, 'a moment (epoch ms)', at)
}

/** A reason: any text but an empty one. */
export function checkWord(call: string, reason: unknown): void {
  if (typeof reason !== 'string' || reason === '') throw notAnswer(call, 'a word', reason)
}

/** A header field that may be sent. */
export function checkField(name: unknown, value: unknown): void {
  if (!isToken(name)) throw notAnswer('setHeader()', 'the name of a field', name)
  if (!isFieldValue(value)) throw notAnswer('setHeader()', `a text without line breaks for ${String(name)}`, value)
}

/** A response as a host might have given it. */
export function checkResponse(response: unknown): void {
  const { url, status, headers, body, wireBytes, timings } = (response ?? {}) as Partial<Response>
  const isWhole = Number.isInteger(status) && Number.isFinite(wireBytes) && hasMembers(headers) && hasMembers(timings)
  if (typeof url !== 'string' || !(body instanceof Uint8Array) || !isWhole)
    throw notAnswer('serve()', 'a response ({ url, status, headers, body: Uint8Array, wireBytes, timings })', response)
}
