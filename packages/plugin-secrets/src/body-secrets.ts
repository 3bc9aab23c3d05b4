// A body without the secrets of its crawl: what the crawl knows to be one, and what the body itself names as one.
//
// A body is searched for values with the name of a secret parameter, and then for these and all known values (known-values.ts). Names are words, and a site
// may use them for its own: outside of queries and fields of forms, what looks like words stays. Each place is replaced by a reference, so that a handler
// makes the same links as before, for links hold references, too.
//
// Patterns read the text as it is, one octet a character: there is no parser, and no level of escapes is decoded. So time is linear in the text, and what is
// escaped otherwise than in a URL or in JSON is found by its surroundings at most.
import { HIDDEN_VALUE } from '@avocet/core/store'
import { beginsAsReference, KnownValue, MIN_CHARACTERS_IN_TEXT, type SecretsCodec } from './known-values.ts'
import { anyOf, BEFORE_NAME, inQuery, withReferences } from './query-values.ts'
import { isSecretName } from './names.ts'
import { looksLikeWords } from './secret-value.ts'
import type { Secrets } from './sending.ts'

/** Of one body, beside those that are known. */
const MAX_FOUND = 20
/** Octets of a body times values to look for: 32 in 4 MiB, for a search stops all else. */
const MAX_SEARCHED = 2 ** 27
/** Characters; a longer string is data. */
const MAX_STRING = 4_096
/** Octets; markup comes first. */
const UTF_16_LOOKED_AT = 1_024
/** The body of a form begins with a quote; in a list of cookies there is a space; JSON may escape an ampersand. */
const BEFORE = String.raw`${BEFORE_NAME}|["'\`]|;\s|\\{1,3}u0026`
const IN_QUERY = '[^&"\'`<>\\s#;\\\\]+'
/** Between a name and its string. No comparison. */
const SEPARATOR = String.raw`\]?\s{0,20}(?::\s{0,20}\[?|=>?(?!=)|%3A(?:%20)?)\s{0,20}`
const QUOTE_OF_HTML = '&(?:quot|#34);'
/** A quote, and what is in the string behind it: as it is, in JSON in JSON, in an attribute, percent-encoded. */
const STRING = [
  String.raw`(["'\`])((?:\\.|(?!\1)[^\\]){1,${MAX_STRING}})(?=\1)`,
  String.raw`\\"((?:\\{4}|\\{3}"|\\{1,2}[^"\\]|[^"\\]){1,${MAX_STRING}})(?=\\")`,
  `${QUOTE_OF_HTML}((?:(?!${QUOTE_OF_HTML})[^<>"]){1,${MAX_STRING}})(?=${QUOTE_OF_HTML})`,
  `%22((?:(?!%22)[^\\s"'<>&]){1,${MAX_STRING}})(?=%22)`,
].join('|')
/** A field of a form, with what is in it; what a page says of itself. */
const FIELD = /<(input|textarea|button|meta)\s[^<>]{1,8000}>[^<]{0,4096}/gi
const IN_FIELD = /\s(?:value|content)\s{0,9}=\s{0,9}(?:"([^"]+)|'([^']+)|([^\s"'<>]+))|^<textarea[^>]+>\s*([^<]*[^<\s])/gi

const WORD = String.raw`[\w\x80-\xff-]`

/** What is looked for. */
export interface BodySecrets {
  /** Decoded; values of parameters with these names. */
  readonly names: readonly string[]
  /** Values that are known, as they were sent. */
  readonly values: readonly string[]
}

/**
 * `body` with references; undefined where it cannot be searched: UTF-16, too many values for its length, or no stack left for it. The same bytes where
 * nothing is hidden.
 */
export function withoutBodySecrets(body: Uint8Array, { names, values }: BodySecrets): Uint8Array | undefined {
  if (names.length === 0 && values.length === 0) return body
  if (isUtf16(body)) return undefined
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1')
  const named = names.length === 0 ? { text, values: [] } : namedIn(text, names)
  if (named === undefined) return undefined
  // A value may begin with another.
  const known = [...new Set([...values, ...named.values])].filter(isSearched).toSorted((a, b) => b.length - a.length)
  if (known.length * text.length > MAX_SEARCHED) return undefined
  const hidden = known.reduce(withoutKnown, named.text)
  return hidden === text ? body : Buffer.from(hidden, 'latin1')
}

/** Undefined where V8 says that its stack is exhausted, as it did for one of hundreds of bodies of megabytes on a busy machine, and not when asked again. */
function namedIn(text: string, names: readonly string[]): ReturnType<NamedInBody['in']> | undefined {
  try {
    return new NamedInBody(names).in(text)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** The values in `text`, such as the body of a request, that have one of `names`. */
function namedValuesIn(text: string, names: readonly string[]): readonly string[] {
  return names.length === 0 || text === '' ? [] : new NamedInBody(names).in(Buffer.from(text).toString('latin1')).values
}

/** By its mark, or by a zero in every other pair of octets: no name would be found. */
function isUtf16(body: Uint8Array): boolean {
  if ((body[0] === 0xff && body[1] === 0xfe) || (body[0] === 0xfe && body[1] === 0xff)) return true
  const zeros = [0, 0]
  const most = Math.min(body.length, UTF_16_LOOKED_AT)
  for (let at = 0; at < most; at++) if (body[at] === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1
  return zeros.some((count) => count > 0 && count >= most / 4)
}

function isSearched(value: string): boolean {
  return value.length >= MIN_CHARACTERS_IN_TEXT && !beginsAsReference(value)
}

/** A number in a longer number, or a word in a longer word, such as the name of a class, is another one. A number of JSON becomes `0`. */
function withoutKnown(text: string, value: string): string {
  const beside = /^\d+$/.test(value) ? [String.raw`\d|\d[.,]`, String.raw`\d|[.,]\d`] : looksLikeWords(value) ? [WORD, WORD] : []
  const whole = (source: string): string => (beside.length === 0 ? source : `(?<!${beside[0]})${source}(?!${beside[1]})`)
  return new KnownValue(value).hiddenIn(text, whole, (found) => (isNumber(found) ? '0' : HIDDEN_VALUE))
}

/** Whether it is a number of JSON, which must stay one, or a handler fails to read the whole. */
function isNumber({ text, start, end }: { readonly text: string; readonly start: number; readonly end: number }): boolean {
  if (!/^-?\d{1,400}$/.test(text.slice(start, end))) return false
  const around = [text.slice(Math.max(0, start - 20), start), text.slice(end, end + 20)] as const
  return /[:[,]\s*-?$/.test(around[0]) && /^\s*(?:[,}\]]|$)/.test(around[1])
}

/** Looks for values with certain names. */
class NamedInBody {
  readonly #inQuery: RegExp
  readonly #others: readonly RegExp[]
  readonly #number: RegExp
  readonly #called: RegExp

  /** `names`: decoded, at least one. */
  constructor(names: readonly string[]) {
    const any = names
      .map((name) =>
        Buffer.from(name)
          .toString('latin1')
          .replaceAll(/[^\w]/g, String.raw`\$&`),
      )
      .join('|')
    this.#inQuery = inQuery(anyOf(names), { before: BEFORE, equals: String.raw`(?:=|\\{1,3}u003d)`, value: IN_QUERY })
    const whole = String.raw`(?:(?<![\w$-])|(?<=%22|\bdata-))(?:${any})`
    this.#others = [
      new RegExp(String.raw`${whole}(?:\\?["'\`]|${QUOTE_OF_HTML}|%22)?${SEPARATOR}(?:${STRING})`, 'gi'),
      new RegExp(String.raw`<(?:${any})(?:\s[^<>]{0,999})?>(?:<!\[CDATA\[)?\s{0,99}([^<>\s\]]{1,${MAX_STRING}})`, 'gi'),
    ]
    this.#number = new RegExp(String.raw`["'](?:${any})\\?["']\s{0,20}:\s{0,20}-?(\d{6,})(?![\w.])`, 'gi')
    this.#called = new RegExp(String.raw`\s(?:name|id|property)\s{0,9}=\s{0,9}(["']?)(?:${any})\1(?=[\s/"'>])`, 'i')
  }

  /** `text` with references, and the values that are hidden wherever else they are. */
  in(text: string): { readonly text: string; readonly values: readonly string[] } {
    const values = new Set<string>()
    const isCredential = (value: string): boolean => {
      const plain = Buffer.from(unescaped(value), 'latin1').toString()
      if (beginsAsReference(value) || looksLikeWords(plain)) return false
      if (values.size < MAX_FOUND) values.add(plain)
      return true
    }
    const isAny = (value: string): boolean => isCredential(value) || !beginsAsReference(value)
    let hidden = withReferences(text, this.#inQuery, { isHidden: isAny })
    hidden = hidden.replace(FIELD, (field, element: string) => {
      const isHidden = element.toLowerCase() === 'meta' ? isCredential : isAny
      return this.#called.test(field) ? withReferences(field, IN_FIELD, { isHidden }) : field
    })
    for (const pattern of this.#others) hidden = withReferences(hidden, pattern, { isHidden: isCredential })
    hidden = withReferences(hidden, this.#number, { isHidden: isCredential, instead: '0' })
    return { text: hidden, values: [...values] }
  }
}

/** A value in JSON as it is meant. */
function unescaped(value: string): string {
  if (!value.includes('\\')) return value
  try {
    return JSON.parse(`"${value}"`) as string
  } catch {
    return value
  }
}

// What of an answer may be kept in a file: no header field that hands out a secret, and no secret in the body.

/** Of the crawl, that are looked for in a body. */
const MAX_VALUES = 100

type Answer = Parameters<SecretsCodec['kept']>[0]

/**
 * What of the answer to `request` may be kept. `sent`: header fields that were sent besides its own. Undefined where the body cannot be searched for
 * secrets, and nothing may be.
 */
export function keptAnswer({ request, response, sent }: Answer, secrets: Secrets): ReturnType<SecretsCodec['kept']> {
  const { parameters, headers } = secrets
  const { names } = parameters
  const values = [
    ...parameters.values(MAX_VALUES),
    ...[...headers.values(MAX_VALUES), ...secretsOf(sent), ...secretsOf(request.headers)].flatMap(credentialsIn),
    ...namedValuesIn(request.body ?? '', names),
  ].filter((value) => value.length >= MIN_CHARACTERS_IN_TEXT && !beginsAsReference(value))
  const body = withoutBodySecrets(response.body, { names, values })
  if (body === undefined) return undefined
  const kept = Object.entries(response.headers).filter(([name]) => !isSecretName(name))
  const hidden = kept.map(([name, value]): [string, string | readonly string[]] => [
    name,
    typeof value === 'string' ? secrets.text(value) : value.map(secrets.text),
  ])
  return { headers: Object.fromEntries(hidden), body }
}

function secretsOf(fields: Answer['sent']): readonly string[] {
  return Object.entries(fields).flatMap(([name, value]) => (isSecretName(name) ? [value] : []))
}

/** `Bearer x`, `a=x; b=y`, `Basic …`: the whole, and what is secret in it. A cookie may hold a word, a language or a price as well. */
function credentialsIn(value: string): readonly string[] {
  const pairs = value
    .split(/;\s*/)
    .map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)] as const)
    .filter(([name, of]) => isSecretName(name) || isCredential(of))
    .map(([, of]) => of)
  const [, basic] = /^Basic ([\w+/=-]+)$/i.exec(value) ?? []
  const decoded = basic === undefined ? [] : [Buffer.from(basic, 'base64').toString()]
  const [, bare] = /^[\w-]+ (\S+)$/.exec(value) ?? []
  return [
    value,
    ...(bare === undefined ? [] : [bare]),
    ...(value.includes('=') ? pairs : []),
    ...decoded,
    ...decoded.map(passwordOf).filter(isCredential),
  ]
}

/** What a page has as well, as a word or a number, says nothing of who asks. */
function isCredential(value: string): boolean {
  return !/^\d{1,9}$/.test(value) && !looksLikeWords(value)
}

function passwordOf(credentials: string): string {
  return credentials.slice(credentials.indexOf(':') + 1)
}
