// What the fields of links and seeds must be. Said where the user wrote them: what got through would be refused by the store, long after anybody knew whose
// it was, or sent as something else. A field that is `undefined` counts as left out.
import { HEADERS_RULE, isToken } from '../values/header-names.ts'
import { isSessionName } from './identity.ts'
import { anyText, satisfying, type OptionRule, type OptionRules } from '../values/options.ts'
import type { NewRequest } from './request.ts'
import type { LinkOptions, Seed } from './seed.ts'
import { isPlain, unlikeJson } from '../values/unlike-json.ts'

/** A site may be in another time zone; what it says of a later future is wrong. */
const FUTURE_MS = 86_400_000

const isName = (value: unknown): boolean => typeof value === 'string' && value !== ''
const isText = (value: unknown): boolean => typeof value === 'string'
/** A fraction is cut off, so that a priority may be worked out. */
const isWhole = (value: unknown): boolean => typeof value === 'number' && Number.isSafeInteger(Math.trunc(value))

const DATA: OptionRule = {
  expected: 'plain data',
  problem(value) {
    const flaw = unlikeJson(value, 'data')
    return flaw && `expected data to be plain data, got what is not JSON: ${flaw}; hand over what can be written as JSON`
  },
}

const HEADERS: OptionRule = {
  expected: 'an object of texts',
  problem(value, path) {
    const hint = "write it like headers: { 'accept-language': 'de' }"
    if (!isPlain(value)) return satisfying(HEADERS.expected, isPlain, hint).problem(value, path)
    const fields = Object.entries(value as object).filter(([, field]) => field !== undefined)
    const wrong = HEADERS_RULE.problem(Object.fromEntries(fields), path)
    return wrong && `${wrong}; ${hint}`
  },
}

/** What options of a link must be. */
export const LINK_RULES: OptionRules<LinkOptions> = {
  handler: satisfying('the name of a handler', isName, "write it like handler: 'list'"),
  priority: satisfying('a whole number', isWhole, 'write it like priority: 1, or leave it out'),
  anchorText: satisfying('a text', isText, 'write String(…), or leave it out'),
  method: satisfying('a method', isToken, "write it like method: 'POST'"),
  body: satisfying('a text', isText, 'write JSON.stringify(…), or a form as String(new URLSearchParams(…))'),
  again: satisfying('true or false', (value) => typeof value === 'boolean', 'write again: true, or leave it out'),
  session: satisfying(
    'a name of at most 64 letters, digits, -, _ and .',
    (value) => value === false || isSessionName(value),
    "write it like session: 'alice'",
  ),
  modifiedAt: satisfying('epoch ms', Number.isFinite, 'write it like modifiedAt: Date.UTC(2026, 10, 1), or leave it out'),
  render: satisfying("'browser'", (value) => value === 'browser', "write render: 'browser', or leave it out"),
  data: DATA,
  headers: HEADERS,
  identity: satisfying('a key', isName, "write it like identity: 'de', or leave it out"),
}

const { anchorText: _anchorText, ...SHARED_RULES } = LINK_RULES
/** What fields of a seed must be; its URL is checked where it is read. */
export const SEED_RULES: OptionRules<Seed> = { ...SHARED_RULES, url: anyText }

const FIELDS = Object.entries(LINK_RULES) as [keyof LinkOptions, OptionRule][]

/** Why `wanted` is no request, in one line; undefined when it is. */
export function wantedProblem(wanted: { readonly [Name in keyof LinkOptions]?: LinkOptions[Name] | undefined }):
  | string
  | undefined {
  for (const [name, rule] of FIELDS) {
    const problem = wanted[name] === undefined ? undefined : rule.problem(wanted[name], name)
    if (problem !== undefined) return problem
  }
  const { render, method = 'GET', body } = wanted
  if (render !== undefined && (body !== undefined || method.toUpperCase() !== 'GET'))
    return `expected render to be a GET without a body, got ${body === undefined ? method : 'a body'}; leave out render: a browser opens pages`
  return undefined
}

/** What is wanted at `at` (epoch ms); nothing of a page that is not to be visited again. */
export function wantedVisit(
  { again, modifiedAt = 0 }: Pick<LinkOptions, 'again' | 'modifiedAt'>,
  at: number,
): Pick<NewRequest, 'again' | 'modifiedAt'> {
  const now = Math.floor(at)
  if (again === true) return { again: now }
  return modifiedAt > 0 && modifiedAt <= now + FUTURE_MS ? { again: now, modifiedAt } : {}
}
