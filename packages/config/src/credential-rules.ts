// What `credentials` of a configuration may be: where values come from, never the values.
import { option, type OptionRule } from '@avocet/core/plugin'
import { shown } from '@avocet/core/store'

const { either, hasMembers, needed, nonEmptyText, recordOf, tableOf } = option

/** Never quotes a text: it may be the secret itself. */
function unquoted(expected: string, holds: (value: unknown) => boolean): OptionRule {
  const kindOf = (value: unknown): string => (typeof value === 'string' ? 'a text' : shown(value))
  return {
    expected,
    problem: (value, path) => (holds(value) ? undefined : `expected ${path} to be ${expected}, got ${kindOf(value)}`),
  }
}

const SOURCE = unquoted("{ env: 'NAME' } or { file: 'PATH' }", (value) => {
  if (!hasMembers(value) || Object.keys(value).length !== 1) return false
  const { env, file } = value as { readonly env?: unknown; readonly file?: unknown }
  return file instanceof URL || [env, file].some((name) => typeof name === 'string' && name !== '')
})

const KINDS = [
  tableOf<{ bearer: unknown }>({ bearer: needed(SOURCE) }),
  tableOf<{ user: unknown; password: unknown }>({ user: needed(either(nonEmptyText, SOURCE)), password: needed(SOURCE) }),
  tableOf<{ cert: unknown; key: unknown; passphrase: unknown }>({
    cert: needed(SOURCE),
    key: needed(SOURCE),
    passphrase: SOURCE,
  }),
]

const CREDENTIAL = unquoted(
  "{ bearer: { env: 'API_TOKEN' } }, { user: 'me', password: { file: './password' } } or { cert: { file }, key: { file } }",
  (value) => KINDS.some((kind) => kind.problem(value, '') === undefined),
)

/** Spelled as URLs spell it, so that no two are the same. A URL may have a star in its host name; no host does. */
const ORIGIN: OptionRule = {
  expected: "an origin without a path or a default port, such as 'https://api.example'",
  problem(value, path) {
    const text = String(value)
    if (/^https?:[^*]+$/.test(text) && URL.parse(text)?.origin === text) return undefined
    return `expected ${path} to be ${ORIGIN.expected}, got ${text.includes('@') ? 'one with an @' : shown(text)}`
  },
}

/** The rule of `credentials`. */
export const CREDENTIALS_RULE: OptionRule = {
  expected: 'an object',
  problem(value, path) {
    const problem = recordOf(CREDENTIAL, ORIGIN).problem(value, path)
    if (problem !== undefined) return problem
    const plain = Object.entries(value as object).find(([origin, of]) => 'cert' in of && origin.startsWith('http:'))
    return plain && `expected an https origin for the client certificate in ${path}, got ${plain[0]}`
  },
}
