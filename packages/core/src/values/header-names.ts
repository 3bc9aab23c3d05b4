// Header fields under lower-case names, as everything in a crawl has them: a field has one name in any case (RFC 9110 §5.1); and the
// rule for those that users give.
import { recordOf, satisfying, type OptionRule } from './options.ts'
import { shown } from './shown.ts'

/** Whether it is a method, or the name of a field (RFC 9110 §5.6.2). */
export const isToken = (value: unknown): boolean => typeof value === 'string' && /^[\w!#$%&'*+.^`|~-]+$/.test(value)

/** Whether a field can carry it: visible characters, spaces and tabs (RFC 9110 §5.5). */
export const isFieldValue = (value: unknown): boolean => typeof value === 'string' && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)

/** Never quoted: it may be a secret. */
const fieldValue: OptionRule = {
  expected: 'a text without line breaks and characters above U+00FF',
  problem(value, path) {
    if (isFieldValue(value)) return undefined
    return `expected ${path} to be ${fieldValue.expected}, got ${typeof value === 'string' ? 'one with them' : shown(value)}`
  },
}

/** Header fields of a configuration, a session, a link or a seed: none of those that the connection sets (RFC 9110 §7.6.1, §10.1.1). */
export const HEADERS_RULE: OptionRule = recordOf(
  fieldValue,
  satisfying(
    'the name of a header field, such as accept-language, and of none that the connection sets',
    (name) => isToken(name) && !/^(?:expect|keep-alive|transfer-encoding|upgrade)$/i.test(String(name)),
  ),
)

/** `headers` by lower-case names; of two that differ in case only, the last. */
export function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

/**
 * Fields by which a client says who it is (RFC 9110 §11, RFC 6265), whose values a store never has. In lower case. No others: a request fails where its value
 * is lost, which no guess by a name may decide.
 */
export const CREDENTIAL_FIELDS: readonly string[] = ['authorization', 'cookie', 'proxy-authorization']
