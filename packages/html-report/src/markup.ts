// HTML by template, in which everything is escaped that is not markup itself: what a server chose to call itself cannot become markup.
import { UNPRINTABLE, writtenOut } from '@avocet/core/tools'

/** Markup that is safe to stand in a page. */
export class Markup {
  readonly #text: string

  private constructor(text: string) {
    this.#text = text
  }

  /** A template; texts and numbers in it are escaped, lists are joined. */
  static of(parts: TemplateStringsArray, values: readonly Filling[]): Markup {
    return new Markup(parts.map((part, n) => (n === 0 ? part : shown(values[n - 1]) + part)).join(''))
  }

  /** A text of ours that is markup as it stands, such as a style sheet. */
  static ours(text: string): Markup {
    return new Markup(text)
  }

  /** The name of a host, or a URL: a narrow column breaks it before a separator, and within a word only where it must. */
  static name(text: string): Markup {
    return new Markup(shown(text).replace(/(?<=\w)(?=[./:?=])/g, '<wbr>'))
  }

  toString(): string {
    return this.#text
  }
}

/** What may stand in a template. `undefined` and `null` are nothing. */
export type Filling = string | number | Markup | null | undefined | readonly Filling[]

/** Tag of templates. Attribute values need their quotes. */
export function markup(parts: TemplateStringsArray, ...values: readonly Filling[]): Markup {
  return Markup.of(parts, values)
}

/** Longest text shown: a URL of 2,083 characters is the longest that a crawl accepts. */
const MAX_CHARACTERS = 2_048

const UNSEEN = new RegExp(`[${UNPRINTABLE}]`, 'gu')

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function shown(value: Filling): string {
  if (value === undefined || value === null) return ''
  if (value instanceof Markup) return value.toString()
  if (Array.isArray(value)) return value.map(shown).join('')
  if (typeof value === 'number') return String(Math.round(value * 100) / 100)
  const text = String(value)
  const cut = text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text
  return cut.replace(UNSEEN, writtenOut).replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '')
}
