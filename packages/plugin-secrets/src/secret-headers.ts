// Credentials among the header fields of links and seeds: the request holds references, and only what is sent has the values.
//
// A value is found again by origin, name of the field and `identity` of its request, so that two accounts at one origin that `identity` tells apart are never
// mixed up. What the first seed gave for them is `__secret__`, which the seeds of any later run, and of any other process, stand for. Any other value has a
// number in this process (`__secret.<process>.<number>__`), for there may be several; behind a restart, and in another process, what a seed gives replaces
// it, and where there is none the request fails: another account's session would fetch other pages. Nothing is kept that depends on a value.
import { randomBytes } from 'node:crypto'
import { originOf, parseUrl, type ResponseHeaders } from '@avocet/core/plugin'
import { HIDDEN_VALUE } from '@avocet/core/store'
import { BoundedTexts, type SecretParameters } from './secret-parameters.ts'
import { numberedReference, REFERENCE_SOURCE, type SecretsCodec } from './known-values.ts'

/** Values that links gave in this process, and their keys: thousands of sessions. The oldest are forgotten. */
const MAX_CHARACTERS = 8 * 2 ** 20
/** Either kind. */
const REFERENCE = new RegExp(`^${REFERENCE_SOURCE}`)
/** Each holds one URL, whose values are remembered: it is followed, or a handler makes a link of it. */
const URL_FIELDS = new Set(['location', 'content-location'])
/** What it sets must come back as it is. */
const KEPT = 'set-cookie'
/** Field values come a byte a character; servers write paths in any encoding, and are sent the same bytes. */
const RAW_BYTE = /[\u0080-\u00ff]/g

type Fields = Readonly<Record<string, string>>

/** Whose fields they are. */
type FieldsOf = Parameters<SecretsCodec['fields']>[1]

/** The secret header fields of a crawl. */
export class SecretHeaders {
  readonly #process = randomBytes(6).toString('hex')
  readonly #given = new Map<string, string>()
  readonly #parts = new Set<string>()
  /** Value by reference, behind the key that it is for. */
  readonly #values = new BoundedTexts(MAX_CHARACTERS)
  readonly #references = new BoundedTexts(MAX_CHARACTERS)
  readonly #names: readonly string[]
  #last = 0

  /** `names`: of fields whose values are secret, in lower case. */
  constructor(names: readonly string[]) {
    this.#names = names
  }

  /** `headers`, whose names are in lower case, with references. Remembers the values. */
  hidden(headers: Fields, of: FieldsOf): Fields {
    let hidden: Record<string, string> | undefined
    for (const name of this.#names) {
      const value = headers[name]
      // A handler took it from its own request.
      if (value === undefined || REFERENCE.test(value)) continue
      hidden ??= { ...headers }
      hidden[name] = this.#referenceOf(value, { key: keyOf(name, of), identity: of.identity ?? '', isSeed: of.isSeed === true })
    }
    return hidden ?? headers
  }

  /** `headers` with their values, for `url`; the name of a field whose value is not known. */
  revealed(headers: Fields, url: string): { readonly headers: Fields } | { readonly unknown: string } {
    let revealed: Record<string, string> | undefined
    for (const name of this.#names) {
      const reference = headers[name]
      const whole = reference === undefined ? undefined : REFERENCE.exec(reference)?.[0]
      if (reference === undefined || whole === undefined) continue
      const key = keyOf(name, { url, identity: reference.slice(whole.length) })
      const value = this.#numbered(reference, key) ?? this.#given.get(key)
      if (value === undefined) return { unknown: name }
      revealed ??= { ...headers }
      revealed[name] = value
    }
    return { headers: revealed ?? headers }
  }

  /** `part` of a value that a seed gave is looked for in texts as well: a token, a password. */
  alsoHide(part: string): void {
    this.#parts.add(part)
  }

  /** Values that references replace, to take them out of texts: those of seeds, and some of the others. */
  *values(most: number): Generator<string> {
    let left = most
    for (const value of [...this.#parts, ...this.#given.values()]) if (left-- > 0) yield value
    for (const text of this.#values.values()) if (left-- > 0) yield text.slice(text.indexOf('\n') + 1)
  }

  #referenceOf(
    value: string,
    { key, identity, isSeed }: { readonly key: string; readonly identity: string; readonly isSeed: boolean },
  ): string {
    if (isSeed && !this.#given.has(key)) this.#given.set(key, value)
    if (this.#given.get(key) === value) return HIDDEN_VALUE + identity
    const known = this.#references.get(`${key}\n${value}`)
    if (known !== undefined && this.#values.has(known)) return known
    const reference = numberedReference(this.#process, ++this.#last) + identity
    this.#references.set(`${key}\n${value}`, reference)
    this.#values.set(reference, `${key}\n${value}`)
    return reference
  }

  /** What a link of this process gave, unless it was for another origin. */
  #numbered(reference: string, key: string): string | undefined {
    const text = this.#values.get(reference)
    return text?.startsWith(`${key}\n`) ? text.slice(key.length + 1) : undefined
  }
}

/** In an identity, which is JSON, a line never ends. */
function keyOf(name: string, { url, identity = '' }: FieldsOf): string {
  return `${originOf(url)} ${name} ${identity}`
}

/** `headers`, which answer the request of `url`, with references to the values of secret parameters. */
export function hiddenFields(headers: ResponseHeaders, url: string, parameters: SecretParameters): ResponseHeaders {
  if (!parameters.isOn) return headers
  const fields = Object.entries(headers).map(([name, value]): [string, string | readonly string[]] => {
    if (name === KEPT) return [name, value]
    const hidden = (text: string): string => (URL_FIELDS.has(name) ? hiddenUrl(text, url, parameters) : parameters.inText(text))
    return [name, typeof value === 'string' ? hidden(value) : value.map(hidden)]
  })
  return Object.fromEntries(fields)
}

/** As it is where it has no secret: relative, and with its fragment. */
function hiddenUrl(given: string, from: string, parameters: SecretParameters): string {
  const reference = given.replace(RAW_BYTE, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`)
  const url = parseUrl(reference, from)
  if (url === undefined) return parameters.inText(given)
  const hidden = parameters.hidden(url, from)
  return hidden === url ? given.replace(/#.*$/s, parameters.inText) : hidden
}
