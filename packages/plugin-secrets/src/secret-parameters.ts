// Values of query parameters that the user named as secret: a reference replaces them in every URL of the crawl, and only what is sent has them.
//
// A secret says who requests, not what is requested: two URLs that differ in it alone are one page, and `__secret__` is all that is left of it. So nothing is
// kept that depends on the value (a digest of a short one is soon guessed), a URL is the same text in every run, and a token that was renewed in the seeds goes
// with all pages that wait from earlier runs. Which value a URL gets, in this order: the one that it was last found with, if that is another than its origin's;
// the one of its origin, which the first seed that has it gave, or else the first page of that origin. All are in RAM. What another origin says never replaces
// a value that stands.
//
// A value also stands where it is not that of a parameter of this URL: in a URL within it (`?next=%2F%3Ftoken%3D…`), or in a path. There it is replaced too,
// and sent as it was found, but never filled in from what the origin has: a page could have it sent on to another server by a redirect.
import { originOf } from '@avocet/core/plugin'
import { HIDDEN_VALUE } from '@avocet/core/store'
import { KnownValues } from './known-values.ts'
import { comparedName, NamedValues, withQueryValues } from './query-values.ts'
import { looksLikeWords } from './secret-value.ts'

/** Of URLs with values of their own: some 100,000 of them. The oldest go by the value of their origin from then on. */
const MAX_OWN_CHARACTERS = 16 * 2 ** 20
const MAX_MET_CHARACTERS = 2 ** 20
/** In place of the name of a parameter: what is not known is in the path. No parameter can be called so. */
export const IN_PATH = 'in its path'

/** The secret parameters of a crawl. */
export class SecretParameters {
  readonly #names = new Set<string>()
  /** By origin and name. Those of seeds are never forgotten. */
  readonly #given = new Map<string, string>()
  readonly #met = new BoundedTexts(MAX_MET_CHARACTERS)
  /** The URL with its values, by the one with references. */
  readonly #own = new BoundedTexts(MAX_OWN_CHARACTERS)
  readonly #known = new KnownValues()
  #named: NamedValues | undefined

  constructor(names: readonly string[] = []) {
    this.add(names)
  }

  /** Whether there are any. */
  get isOn(): boolean {
    return this.#names.size > 0
  }

  /** In lower case, sorted. */
  get names(): readonly string[] {
    return [...this.#names].toSorted()
  }

  /** Further names, such as those of earlier runs. */
  add(names: readonly string[]): void {
    for (const name of names) this.#names.add(comparedName(name))
    if (!this.isOn) return
    this.#named = new NamedValues(this.names)
  }

  /** `url` with references. Remembers its values; `from`: the URL whose server supplied it, absent for a seed. */
  hidden(url: string, from?: string): string {
    if (this.#named === undefined) return url
    let isNew = false
    const named = withQueryValues(url, (name, value) => {
      if (!this.#names.has(name)) return value
      if (value !== HIDDEN_VALUE) isNew = true
      return HIDDEN_VALUE
    })
    const origin = originOf(url)
    const fromOrigin = from === undefined ? origin : originOf(from)
    const isNear = fromOrigin === origin
    const hidden = this.#withoutKnown(this.#named.hiddenInUrl(named), isNear ? [origin] : [origin, fromOrigin])
    isNew ||= hidden !== named
    if (isNew) this.#learn(hidden, from === undefined || !isNear ? url : this.#inherited(url, from), { from, isNear })
    // A handler made it of the URL of its page.
    else if (from !== undefined && isNear && hidden.includes(HIDDEN_VALUE) && !this.#own.has(hidden)) {
      const inherited = this.#inherited(url, from)
      if (!inherited.includes(HIDDEN_VALUE) && inherited !== this.#filled(hidden)) this.#own.set(hidden, inherited)
    }
    return hidden
  }

  /** `url` with its values; the name of a parameter whose value is not known. */
  revealed(url: string): { readonly url: string } | { readonly unknown: string } {
    if (!this.isOn || !url.includes(HIDDEN_VALUE)) return { url }
    const whole = this.#own.get(url) ?? this.#filled(url)
    // In a URL within it a reference says nothing of what is requested.
    if (whole !== undefined && !pathOf(whole).includes(HIDDEN_VALUE)) return { url: whole }
    const origin = originOf(url)
    let unknown = IN_PATH
    withQueryValues(url, (name, value) => {
      if (value === HIDDEN_VALUE && this.#ofOrigin(origin, name) === undefined) unknown = name
      return value
    })
    return { unknown }
  }

  /** Values that references replace, to take them out of bodies: those of seeds, and those of pages that are no words. */
  *values(most: number): Generator<string> {
    let left = most
    for (const value of this.#given.values()) if (left-- > 0) yield value
    for (const value of this.#met.values()) if (left-- > 0 && !looksLikeWords(value)) yield value
  }

  /** A text that somebody will read, with references in the URLs in it. */
  readonly inText = (text: string): string =>
    this.#named === undefined ? text : this.#known.hiddenIn(this.#named.hiddenInText(text), this.#met.values())

  /** `url` without the values that seeds gave, and those of `origins`. Its own origin stays: there is where it is sent. */
  #withoutKnown(url: string, origins: readonly string[]): string {
    const path = url.indexOf('/', url.indexOf('//') + 2)
    const values = origins.flatMap((origin) => [...this.#names].map((name) => this.#ofOrigin(origin, name) ?? ''))
    return url.slice(0, path) + this.#known.hiddenIn(url.slice(path), values)
  }

  #learn(hidden: string, url: string, { from, isNear }: { readonly from: string | undefined; readonly isNear: boolean }): void {
    const origin = originOf(url)
    if (isNear) {
      withQueryValues(url, (name, value) => {
        if (!this.#names.has(name) || value === HIDDEN_VALUE) return value
        const key = `${origin} ${name}`
        if (from === undefined) this.#known.add(value)
        if (from === undefined && !this.#given.has(key)) this.#given.set(key, value)
        else if (this.#ofOrigin(origin, name) === undefined) this.#met.set(key, value)
        return value
      })
    }
    const filled = this.#filled(hidden)
    const isWhole = filled?.includes(HIDDEN_VALUE) === false
    if (!isNear && (isWhole || this.#own.has(hidden))) return
    const whole = this.#filled(url)
    if (whole === undefined || whole === filled) this.#own.delete(hidden)
    else this.#own.set(hidden, whole)
  }

  /** `url` with the values of `from`, where those are its own, in place of references. */
  #inherited(url: string, from: string): string {
    const own = url.includes(HIDDEN_VALUE) ? this.#own.get(from) : undefined
    if (own === undefined) return url
    const values = new Map<string, string>()
    withQueryValues(own, (name, value) => {
      values.set(name, value)
      return value
    })
    return withQueryValues(url, (name, value) => (value === HIDDEN_VALUE ? (values.get(name) ?? value) : value))
  }

  /** `url` with the values of its origin in place of references; undefined while one is not known. */
  #filled(url: string): string | undefined {
    const origin = originOf(url)
    let isWhole = true
    const filled = withQueryValues(url, (name, value) => {
      if (value !== HIDDEN_VALUE) return value
      const known = this.#ofOrigin(origin, name)
      if (known === undefined) isWhole = false
      return known ?? value
    })
    return isWhole ? filled : undefined
  }

  #ofOrigin(origin: string, name: string): string | undefined {
    const key = `${origin} ${name}`
    return this.#given.get(key) ?? this.#met.get(key)
  }
}

function pathOf(url: string): string {
  const question = url.indexOf('?')
  return question === -1 ? url : url.slice(0, question)
}

// A map of texts that forgets the oldest when it holds too many characters: what pages supply may be anything, and as much as they like.

/** Texts by key. */
export class BoundedTexts {
  readonly #texts = new Map<string, string>()
  readonly #maxCharacters: number
  #characters = 0

  constructor(maxCharacters: number) {
    this.#maxCharacters = maxCharacters
  }

  get(key: string): string | undefined {
    return this.#texts.get(key)
  }

  has(key: string): boolean {
    return this.#texts.has(key)
  }

  set(key: string, text: string): void {
    this.delete(key)
    this.#texts.set(key, text)
    this.#characters += key.length + text.length
    for (const oldest of this.#texts.keys()) {
      if (this.#characters <= this.#maxCharacters) break
      this.delete(oldest)
    }
  }

  delete(key: string): void {
    const text = this.#texts.get(key)
    if (text === undefined) return
    this.#texts.delete(key)
    this.#characters -= key.length + text.length
  }

  values(): Iterable<string> {
    return this.#texts.values()
  }
}
