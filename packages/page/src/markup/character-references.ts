// Decodes the character references of HTML. Source: HTML standard §13.2.5.72 to §13.2.5.80.
//
// The table of the 2,231 names is loaded when a page has one other than `&amp;`: building it takes 4 ms, and `&amp;` is all that most pages have, in the
// queries of their links.
import { createRequire } from 'node:module'
import type * as Entities from 'entities/decode'

/** Begins a reference other than `&amp;`, or none. */
const OTHER = /&(?!amp;)/
let entities: typeof Entities | undefined

/** Text of an element. */
export function decodeTextReferences(raw: string): string {
  return decoded(raw, ({ decodeHTML }) => decodeHTML(raw))
}

/** Value of an attribute, where a name without a semicolon before `=` or a letter is no reference. */
export function decodeAttributeReferences(raw: string): string {
  return decoded(raw, ({ decodeHTMLAttribute }) => decodeHTMLAttribute(raw))
}

function decoded(raw: string, byName: (entities: typeof Entities) => string): string {
  if (!raw.includes('&')) return raw
  if (!OTHER.test(raw)) return raw.replaceAll('&amp;', '&')
  return byName((entities ??= createRequire(import.meta.url)('entities/decode') as typeof Entities))
}
