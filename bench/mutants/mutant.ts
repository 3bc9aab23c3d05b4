// Ways to break a file, read from its syntax tree: a condition turned round, a bound moved, an early return, a call or a result left out.
import { parseSync } from 'rolldown/experimental'

/** One way to break one file. */
export interface Mutant {
  /** From the root of the repository. */
  readonly file: string
  readonly line: number
  /** What was there, and what is there instead, on one line. */
  readonly what: string
  /** The whole broken file. */
  readonly text: string
}

/** Of ESTree, as far as it is looked at. */
interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly test?: Node
  readonly left?: Node
  readonly right?: Node
  readonly operator?: string
  readonly value?: unknown
  readonly consequent?: Node
  readonly alternate?: Node | null
  readonly argument?: Node | null
  readonly expression?: Node
  readonly body?: readonly Node[]
  readonly elements?: readonly unknown[]
}

interface Edit {
  readonly start: number
  readonly end: number
  readonly instead: string
}

const OTHER_OPERATORS: Readonly<Record<string, string>> = {
  ...{
    '<': '<=',
    '<=': '<',
    '>': '>=',
    '>=': '>',
    '===': '!==',
    '!==': '===',
    '&&': '||',
    '||': '&&',
    '-': '+',
    '*': '/',
    '/': '*',
  },
}
/** One more of 900,000 ms is nothing that a test should notice. */
const LARGE = 100
const WIDEST = 80

/** Every way to break `file`, in the order of its text. */
export function mutantsOf(file: string, text: string): readonly Mutant[] {
  const { program, errors } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`expected ${file} to be code, got ${String(errors[0]?.message)}`)
  const edits: Edit[] = []
  visit(program, (node) => edits.push(...editsOf(node, text)))
  return edits
    .sort((one, other) => one.start - other.start || one.end - other.end)
    .map(({ start, end, instead }) => ({
      file,
      line: text.slice(0, start).split('\n').length,
      what: `${onOneLine(text.slice(start, end))} -> ${onOneLine(instead) || 'nothing'}`,
      text: text.slice(0, start) + instead + text.slice(end),
    }))
}

function visit(value: unknown, seen: (node: Node) => void): void {
  if (Array.isArray(value)) for (const each of value) visit(each, seen)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return
  const { type } = value as { readonly type?: unknown }
  // Types are gone when the code runs, but for what stands below `as` and `satisfies`.
  if (typeof type === 'string' && type.startsWith('TS')) return visit((value as Node).expression, seen)
  if (typeof type === 'string' && type.startsWith('Import')) return
  if (typeof type === 'string') seen(value as Node)
  for (const each of Object.values(value)) visit(each, seen)
}

function editsOf(node: Node, text: string): readonly Edit[] {
  const source = ({ start, end }: Node): string => text.slice(start, end)
  const by = (one: { readonly start: number; readonly end: number }, instead: string): Edit => ({
    start: one.start,
    end: one.end,
    instead,
  })
  switch (node.type) {
    case 'IfStatement': {
      const turned = negated(node, source, by)
      return node.alternate === null && isReturn(node.consequent) ? [...turned, by(node, ';')] : turned
    }
    case 'ConditionalExpression':
    case 'WhileStatement':
      return negated(node, source, by)
    case 'BinaryExpression':
    case 'LogicalExpression':
      return otherOperator(node, text)
    case 'Literal':
      if (typeof node.value === 'number') return [by(node, String(node.value < LARGE ? node.value + 1 : node.value * 10))]
      return typeof node.value === 'boolean' ? [by(node, String(!node.value))] : []
    case 'ExpressionStatement':
      return isCall(node.expression) ? [by(node, ';')] : []
    case 'ReturnStatement':
      return emptied(node.argument, by)
    default:
      return []
  }
}

type By = (one: Node, instead: string) => Edit

function negated({ test }: Node, source: (node: Node) => string, by: By): readonly Edit[] {
  return test === undefined ? [] : [by(test, `!(${source(test)})`)]
}

function otherOperator({ left, right, operator = '' }: Node, text: string): readonly Edit[] {
  const other = OTHER_OPERATORS[operator]
  if (other === undefined || left === undefined || right === undefined) return []
  const start = text.indexOf(operator, left.end)
  return start < 0 || start >= right.start ? [] : [{ start, end: start + operator.length, instead: other }]
}

function emptied(result: Node | null | undefined, by: By): readonly Edit[] {
  if (result?.type === 'ArrayExpression' && (result.elements?.length ?? 0) > 0) return [by(result, '[]')]
  if (result?.type === 'TemplateLiteral' || (typeof result?.value === 'string' && result.value !== '')) return [by(result, "''")]
  return []
}

function isReturn(node: Node | undefined): boolean {
  const [only, ...others] = node?.type === 'BlockStatement' ? (node.body ?? []) : [node]
  return only?.type === 'ReturnStatement' && others.length === 0
}

function isCall(node: Node | undefined): boolean {
  return node?.type === 'CallExpression' || (node?.type === 'AwaitExpression' && isCall(node.argument ?? undefined))
}

function onOneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ')
  return line.length > WIDEST ? `${line.slice(0, WIDEST)}…` : line
}
