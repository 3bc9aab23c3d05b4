// Reads the JSON-LD of a page: its objects, taken out of lists and `@graph`, found by type and by `@id`.
import type { Json } from '@avocet/core'
import { decodeTextReferences } from '../markup/character-references.ts'
import type { JsonLd, JsonLdNode } from './page-data.ts'

/** Looked at, over all blocks of a page: a page of 8 MB of `{}` has more, and no page that describes something. */
const MAX_NODES = 10_000

/** Of objects and lists in each other. */
const MAX_DEPTH = 64

/** What stands before the name of a type. */
const VOCABULARY = /^.*[/#:]/

/** The JSON-LD of `blocks`. */
export function jsonLdOf(blocks: readonly string[]): JsonLd {
  return new ReadJsonLd(blocks)
}

/** Names of the types of a node, without their vocabulary: `http://schema.org/Product` is `Product`. */
export function typesOf(node: JsonLdNode): readonly string[] {
  const type = node['@type']
  const types: readonly Json[] = isList(type) ? type : [type ?? null]
  return types.flatMap((each) => (typeof each === 'string' ? [each.trim().replace(VOCABULARY, '')] : []))
}

class ReadJsonLd implements JsonLd {
  readonly nodes: readonly JsonLdNode[]
  readonly broken: number
  #all: readonly JsonLdNode[] | undefined
  #byId: ReadonlyMap<string, JsonLdNode> | undefined

  constructor(blocks: readonly string[]) {
    const values = blocks.map((block) => lenientJson(block))
    this.broken = values.filter((value) => value === undefined).length
    this.nodes = values.flatMap((value) => (value === undefined ? [] : topNodes(value, 0))).slice(0, MAX_NODES)
  }

  ofType(...types: readonly string[]): readonly JsonLdNode[] {
    return this.#everyNode.filter((node) => typesOf(node).some((type) => types.includes(type)))
  }

  byId(id: string): JsonLdNode | undefined {
    this.#byId ??= fullestById(this.#everyNode)
    return this.#byId.get(id)
  }

  get #everyNode(): readonly JsonLdNode[] {
    if (this.#all !== undefined) return this.#all
    const found: JsonLdNode[] = []
    for (const node of this.nodes) collect(node, 0, found)
    this.#all = found
    return found
  }
}

/** The objects of a block: those of its list, and of the graph of each. What has a graph may be an object itself. */
function topNodes(value: Json, depth: number): readonly JsonLdNode[] {
  if (depth > MAX_DEPTH) return []
  if (isList(value)) return value.flatMap((each) => topNodes(each, depth + 1))
  if (!isNode(value)) return []
  const graph = value['@graph']
  const inGraph = graph === undefined ? [] : topNodes(graph, depth + 1)
  const isEnvelope = graph !== undefined && value['@type'] === undefined
  return isEnvelope ? inGraph : [value, ...inGraph]
}

/** Adds `value`, if it is an object, and the objects in it, in document order. The graph of an object is beside it already. */
function collect(value: Json, depth: number, found: JsonLdNode[]): void {
  if (depth > MAX_DEPTH || found.length >= MAX_NODES || value === null || typeof value !== 'object') return
  if (isList(value)) {
    for (const each of value) collect(each, depth + 1, found)
    return
  }
  if (!isNode(value)) return
  found.push(value)
  for (const [name, each] of Object.entries(value)) if (name !== '@graph') collect(each, depth + 1, found)
}

function fullestById(nodes: readonly JsonLdNode[]): ReadonlyMap<string, JsonLdNode> {
  const fullest = new Map<string, { readonly node: JsonLdNode; readonly size: number }>()
  for (const node of nodes) {
    const id = node['@id']
    const size = Object.keys(node).filter((name) => !name.startsWith('@')).length + 1
    if (typeof id === 'string' && size > (fullest.get(id)?.size ?? 0)) fullest.set(id, { node, size })
  }
  return new Map([...fullest].map(([id, { node }]) => [id, node]))
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value)
}

function isNode(value: Json): value is JsonLdNode {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}

// Reads JSON as it is found in pages: with comments, CDATA marks, trailing commas, semicolons, line breaks in texts, or escaped for HTML.
//
// What is JSON is read as JSON, at once. Only what is not goes through a repair: one pass forward, which knows no more than where texts begin and end.

/** Broken text above this is not repaired: honest blocks have some KiB. */
const MAX_REPAIRED = 2 ** 20

/** Marks of comments and CDATA sections, which people put around a script; with the slashes that hide them from JavaScript. */
const MARKS = ['//<![CDATA[', '//]]>', '//<!--', '//-->', '/*<![CDATA[*/', '/*]]>*/', '<![CDATA[', ']]>', '<!--', '-->'] as const

/** A line break in a text, or an escape that is right or wrong. */
const BAD_IN_TEXT = /\p{Cc}|\\(?:u[\da-fA-F]{4}|["\\/bfnrt]|)/gu

/** Becomes a space: `12;99` and `12 99` are no 1299. */
const STANDS_ALONE = /[\s;]/

/** The value of `text`; undefined for what is no JSON after all. */
export function lenientJson(text: string): Json | undefined {
  const plain = parsed(text.startsWith('\u{FEFF}') ? text.slice(1) : text)
  if (plain !== undefined || text.length > MAX_REPAIRED) return plain
  const repaired = new Repair(text.includes('"') ? text : decodeTextReferences(text)).text()
  // Some write several objects one after another.
  return repaired.trim() === '' ? undefined : (parsed(repaired) ?? parsed(`[${repaired}]`))
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

class Repair {
  readonly #given: string
  readonly #parts: string[] = []
  #at = 0
  /** A comma was read, and not what follows it. */
  #hasComma = false
  #last = ''

  constructor(given: string) {
    this.#given = given
  }

  text(): string {
    while (this.#at < this.#given.length) this.#step()
    return this.#parts.join('')
  }

  #step(): void {
    const given = this.#given
    const character = given.charAt(this.#at)
    if (character === '"') return this.#text()
    if ('/<]-'.includes(character)) {
      const skipped = this.#skipped()
      if (skipped !== undefined) {
        this.#at = skipped
        this.#parts.push(' ')
        return
      }
    }
    this.#at++
    if (character === ',') this.#hasComma = true
    else if (STANDS_ALONE.test(character)) this.#parts.push(' ')
    else this.#add(character)
  }

  /** Where the mark or comment ends that begins here. */
  #skipped(): number | undefined {
    const given = this.#given
    const at = this.#at
    const mark = MARKS.find((each) => given.startsWith(each, at))
    if (mark !== undefined) return at + mark.length
    if (given.startsWith('//', at)) return after(given, '\n', at)
    return given.startsWith('/*', at) ? after(given, '*/', at + 2) : undefined
  }

  #text(): void {
    const given = this.#given
    let end = this.#at + 1
    while (end < given.length && given.charAt(end) !== '"') end += given.charAt(end) === '\\' ? 2 : 1
    this.#add(`"${given.slice(this.#at + 1, end).replaceAll(BAD_IN_TEXT, escaped)}"`)
    this.#at = end + 1
  }

  #add(part: string): void {
    const closes = part === '}' || part === ']'
    const opens = part === '{' || part === '['
    // A comma before an end is one too many; between an end and a beginning it may be missing.
    if ((this.#hasComma && !closes && this.#last !== '') || (opens && (this.#last === '}' || this.#last === ']')))
      this.#parts.push(',')
    this.#hasComma = false
    this.#parts.push(part)
    this.#last = part
  }
}

function escaped(bad: string): string {
  if (bad === '\\') return ''
  return bad.startsWith('\\') ? bad : `\\u${bad.charCodeAt(0).toString(16).padStart(4, '0')}`
}

function after(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from)
  return at === -1 ? text.length : at + mark.length
}
