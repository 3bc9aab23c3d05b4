// What the fields that links and seeds share must be. Said where the user wrote them: what got through would be refused by the store, long after anybody
// knew whose it was, or sent as something else. A field that is `undefined` counts as left out.
import { HEADERS_RULE, isToken } from '../values/header-names.ts'
import { isSessionName, type Identified } from './identity.ts'
import type { NewRequest } from './request.ts'
import { shown } from '../values/shown.ts'
import { isPlain, unlikeJson } from '../values/unlike-json.ts'

/** A site may be in another time zone; what it says of a later future is wrong. */
const FUTURE_MS = 86_400_000

/** A request as a link or a seed wants it. */
interface Wanted extends Identified {
  readonly handler?: string
  readonly priority?: number
  readonly data?: unknown
  readonly anchorText?: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly again?: boolean
  readonly modifiedAt?: number
}

/** Why `wanted` is no request, in one line; undefined when it is. */
export function wantedProblem(wanted: Wanted): string | undefined {
  const { handler, priority, data, anchorText, method, headers, body, identity, session, render, again, modifiedAt } = wanted
  if (handler !== undefined && !isName(handler))
    return problem('handler', 'the name of a handler', handler, "write it like handler: 'list'")
  if (priority !== undefined && !isWhole(priority))
    return problem('priority', 'a whole number', priority, 'write it like priority: 1, or leave it out')
  if (anchorText !== undefined && typeof anchorText !== 'string')
    return problem('anchorText', 'a text', anchorText, 'write String(…), or leave it out')
  if (method !== undefined && !isToken(method)) return problem('method', 'a method', method, "write it like method: 'POST'")
  if (body !== undefined && typeof body !== 'string')
    return problem('body', 'a text', body, 'write JSON.stringify(…), or a form as String(new URLSearchParams(…))')
  if (again !== undefined && typeof again !== 'boolean')
    return problem('again', 'true or false', again, 'write again: true, or leave it out')
  if (session !== undefined && session !== false && !isSessionName(session))
    return problem('session', 'a name of at most 64 letters, digits, -, _ and .', session, "write it like session: 'alice'")
  if (identity !== undefined && (typeof identity !== 'string' || identity === ''))
    return problem('identity', 'a key', identity, "write it like identity: 'de', or leave it out")
  if (modifiedAt !== undefined && !Number.isFinite(modifiedAt))
    return problem('modifiedAt', 'epoch ms', modifiedAt, 'write it like modifiedAt: Date.UTC(2026, 10, 1), or leave it out')
  if (render !== undefined && render !== 'browser')
    return problem('render', "'browser'", render, "write render: 'browser', or leave it out")
  if (render !== undefined && (body !== undefined || (method !== undefined && method.toUpperCase() !== 'GET')))
    return problem('render', 'a GET without a body', method ?? 'a body', 'leave out render: a browser opens pages')
  const flaw = data === undefined ? undefined : unlikeJson(data, 'data')
  if (flaw !== undefined)
    return `expected data to be plain data, got what is not JSON: ${flaw}; hand over what can be written as JSON`
  return headers === undefined ? undefined : headersProblem(headers)
}

/** What is wanted at `at` (epoch ms); nothing of a page that is not to be visited again. */
export function wantedVisit(
  { again, modifiedAt = 0 }: Pick<Wanted, 'again' | 'modifiedAt'>,
  at: number,
): Pick<NewRequest, 'again' | 'modifiedAt'> {
  const now = Math.floor(at)
  if (again === true) return { again: now }
  return modifiedAt > 0 && modifiedAt <= now + FUTURE_MS ? { again: now, modifiedAt } : {}
}

function problem(field: string, expected: string, got: unknown, hint: string): string {
  return `expected ${field} to be ${expected}, got ${shown(got)}; ${hint}`
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

/** A fraction is cut off, so that a priority may be worked out. */
function isWhole(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(Math.trunc(value))
}

function headersProblem(headers: unknown): string | undefined {
  const hint = "write it like headers: { 'accept-language': 'de' }"
  if (!isPlain(headers)) return problem('headers', 'an object of texts', headers, hint)
  const fields = Object.entries(headers as object).filter(([, value]) => value !== undefined)
  const wrong = HEADERS_RULE.problem(Object.fromEntries(fields), 'headers')
  return wrong && `${wrong}; ${hint}`
}
