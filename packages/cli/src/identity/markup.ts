// HTML by template, in which everything is escaped that is not markup itself: what a server chose to call itself cannot become markup.
import { printable } from '../text/printable.ts'

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

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function shown(value: Filling): string {
  if (value === undefined || value === null) return ''
  if (value instanceof Markup) return value.toString()
  if (Array.isArray(value)) return value.map(shown).join('')
  if (typeof value === 'number') return String(Math.round(value * 100) / 100)
  return printable(String(value)).replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '')
}
