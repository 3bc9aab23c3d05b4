// Values of secret parameters in URLs that were asked for: a session shows references, and takes them for the values in what it is asked for next.
import { originOf } from '@avocet/core/plugin'
import { SECRET_REFERENCE } from '@avocet/core/store'
import { parameterNameOf, withQueryValues } from '@avocet/core/tools'

/** `url` of a store, which has references, with the values of parameters of the same name that were typed. */
export function withTypedValues(url: string, typed: string): string {
  const values = new Map<string, string>()
  withQueryValues(typed, (name, value) => {
    values.set(name, value)
    return value
  })
  return withQueryValues(url, (name, value) => (value === SECRET_REFERENCE ? (values.get(name) ?? value) : value))
}

/** What was typed in one session. */
export class TypedSecrets {
  readonly #names: ReadonlySet<string>
  /** By origin and name. */
  readonly #values = new Map<string, string>()

  constructor(names: readonly string[] = []) {
    this.#names = new Set(names.map(parameterNameOf))
  }

  /** `url`, in WHATWG form, with the values that are known in place of references. Remembers those that it has. */
  revealed(url: string): string {
    if (this.#names.size === 0) return url
    const origin = originOf(url)
    return withQueryValues(url, (name, value) => {
      if (!this.#names.has(name)) return value
      const key = `${origin} ${name}`
      if (value === SECRET_REFERENCE) return this.#values.get(key) ?? value
      this.#values.set(key, value)
      return value
    })
  }

  /** `url`, which a page has, with references. Remembers its values where none of its origin is known. */
  hidden(url: string): string {
    if (this.#names.size === 0) return url
    const origin = originOf(url)
    return withQueryValues(url, (name, value) => {
      if (!this.#names.has(name)) return value
      const key = `${origin} ${name}`
      if (value !== SECRET_REFERENCE && !this.#values.has(key)) this.#values.set(key, value)
      return SECRET_REFERENCE
    })
  }
}
