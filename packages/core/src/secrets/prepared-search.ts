// What is looked for in bodies, prepared: most bodies of a crawl are searched for the same, and to prepare a hundred values takes longer than to search a page.
import { layersOf } from './decoded-layers.ts'
import { MIN_CHARACTERS_IN_TEXT } from './known-values.ts'
import { NamedPlaces } from './named-places.ts'
import { beginsAsReference } from './reference.ts'
import { ValueSearch } from './value-search.ts'

/** The last names and values that were looked for. */
export class PreparedSearch {
  #names: readonly string[] = []
  #places: NamedPlaces | undefined
  #values: readonly string[] = []
  #known = new ValueSearch([])

  /** `names`: decoded, at least one. */
  places(names: readonly string[]): NamedPlaces {
    if (this.#places !== undefined && isSame(names, this.#names)) return this.#places
    this.#names = names
    return (this.#places = new NamedPlaces(names))
  }

  /** `values`: as they were sent. */
  known(values: readonly string[]): ValueSearch {
    if (isSame(values, this.#values)) return this.#known
    this.#values = values
    return (this.#known = searchFor(values.map((value) => Buffer.from(value).toString('latin1'))))
  }
}

/** For `values`, one octet a character, in each of their spellings. */
export function searchFor(values: readonly string[]): ValueSearch {
  return new ValueSearch(values.flatMap(spellings))
}

/** A value as it may be in any layer of another text: with its own escapes, and without. */
function spellings(value: string): readonly string[] {
  const all = /[%&\\+]/.test(value) ? [value, value.replaceAll('+', ' ')].flatMap(decodedOften) : [value]
  return all.filter((each) => each.length >= MIN_CHARACTERS_IN_TEXT && !beginsAsReference(each))
}

function decodedOften(value: string): readonly string[] {
  return [...layersOf(Buffer.from(value, 'latin1'))].map(({ bytes }) => bytes.toString('latin1'))
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((each, index) => each === others[index])
}
