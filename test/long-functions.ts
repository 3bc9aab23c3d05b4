// Which functions of a file are too long to be read on one screen: those with more than 40 lines of their own.
//
// The lines of a function inside another are its own, and none of the other's: what returns an object with ten methods is as long as what it does itself.
import { parseAst } from 'vitest/node'

/** Lines on a screen. */
const MOST_LINES = 40

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly id?: { readonly name?: string } | null
  readonly key?: { readonly name?: string }
}

/** Each as `line: name, so many lines`. */
export function longFunctions(text: string): string[] {
  const program = parseAst(text, { lang: 'ts' }) as unknown as Node
  const found: string[] = []
  visit(program, { text, name: '', found })
  return found
}

interface Visit {
  readonly text: string
  /** Of the function, by what it is assigned to where it has none. */
  readonly name: string
  readonly found: string[]
}

/** The lines that functions in `node` take, those that begin or end on a line of another thing not counted. */
function visit(node: Node, { text, name, found }: Visit): number {
  const called = node.id?.name ?? node.key?.name ?? name
  const inner = childrenOf(node).reduce((sum, child) => sum + visit(child, { text, name: called, found }), 0)
  if (!/Function/.test(node.type) || node.type.startsWith('TS')) return inner
  const lines = text.slice(node.start, node.end).split('\n').length
  if (lines - inner > MOST_LINES) found.push(`${lineOf(text, node.start)}: ${called} has ${lines - inner} lines`)
  return Math.max(0, lines - 1)
}

function childrenOf(node: Node): Node[] {
  return Object.values(node).flat().filter(isNode)
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}

function lineOf(text: string, at: number): number {
  return text.slice(0, at).split('\n').length
}
