// Reads the JSON-LD of a page: its objects, taken out of lists and `@graph`, found by type and by `@id`.
import type { Json } from '@avocet/core'
import type { JsonLd, JsonLdNode } from './page-data.ts'
import { lenientJson } from './lenient-json.ts'

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
