// Objects of schema.org, wherever they come from: properties as texts or objects, references followed, vocabularies left out.
import type { Json } from '@avocet/core'
import type { JsonLdNode, MicrodataItem, MicrodataValue } from '@avocet/page'

/** Of references that lead to references. */
const MAX_REFERENCES = 8
const VOCABULARY = /^.*[/#:]/

/** What finds the object of an `@id`. */
export type ById = (id: string) => JsonLdNode | undefined

/** The first text of a property, of several names the first that is there; of an object its name, or what it is a value of. */
export function thingText(node: JsonLdNode, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    for (const value of valuesIn(node[name])) {
      const text = isThing(value)
        ? thingText(value, 'name', '@value', 'value', 'url', '@id')
        : typeof value === 'number'
          ? String(value)
          : value
      if (typeof text === 'string' && text.trim() !== '') return text.trim()
    }
  }
  return undefined
}

/** The objects of a property; of what only refers to another object, that one. */
export function thingsOf(node: JsonLdNode, name: string, byId: ById): readonly JsonLdNode[] {
  return valuesIn(node[name]).flatMap((value) => {
    if (isThing(value)) return [followed(value, byId)]
    const referred = typeof value === 'string' ? byId(value) : undefined
    return referred === undefined ? [] : [referred]
  })
}

/** The object that `node` refers to, if it does no more than that. */
export function followed(node: JsonLdNode, byId: ById): JsonLdNode {
  let at = node
  for (let left = MAX_REFERENCES; left > 0; left--) {
    const id = at['@id']
    const isReference = Object.keys(at).every((name) => name === '@id' || name === '@type')
    const referred = isReference && typeof id === 'string' ? byId(id) : undefined
    if (referred === undefined || referred === at) break
    at = referred
  }
  return at
}

/** The value of a property as it is: a number or text; of an object its value; of several different ones all of them as a text. */
export function rawOf(node: JsonLdNode, name: string): Json | undefined {
  const values = valuesIn(node[name]).flatMap((value) => (isThing(value) ? (value['@value'] ?? value['value'] ?? []) : value))
  return oneOrAll(values)
}

/** The one value that all are; of several different ones all of them as a text. */
export function oneOrAll(values: readonly Json[]): Json | undefined {
  const distinct = [...new Set(values)]
  return distinct.length > 1
    ? distinct.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join(' | ')
    : distinct[0]
}

/** A value as a list: one is a list of one, and nothing a list of none. */
export function valuesIn(value: Json | undefined): readonly Json[] {
  if (value === undefined || value === null) return []
  return isList(value) ? value : [value]
}

/** Whether `value` is an object. */
export function isThing(value: Json): value is JsonLdNode {
  return value !== null && typeof value === 'object' && !isList(value)
}

/** A microdata item as the same object in JSON-LD. */
export function thingOf({ type, id, properties }: MicrodataItem): JsonLdNode {
  const named = Object.entries(properties).map(([name, values]) => [name.replace(VOCABULARY, ''), values.map(jsonOf)] as const)
  return { ...Object.fromEntries(named), '@type': type, ...(id !== undefined && { '@id': id }) }
}

function jsonOf(value: MicrodataValue): Json {
  return typeof value === 'string' ? value : thingOf(value)
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}
