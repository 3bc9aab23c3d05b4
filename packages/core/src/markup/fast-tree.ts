// htmlparser2's tree, built within a budget.
import { createRequire } from 'node:module'
import type * as Htmlparser2 from 'htmlparser2'
import { piecesOf, type TreeBudget } from './tree-budget.ts'

const require = createRequire(import.meta.url)

/** Parses a whole document a piece at a time. */
export function* parseWithHtmlparser2(
  text: string,
  budget: TreeBudget,
  options: Htmlparser2.ParserOptions,
): Generator<void, ReturnType<typeof Htmlparser2.parseDocument>, undefined> {
  const { DomHandler, Parser } = require('htmlparser2') as typeof Htmlparser2
  const handler = new DomHandler(undefined, options)
  const open = handler.onopentag.bind(handler)
  const close = handler.onclosetag.bind(handler)
  let depth = 0
  handler.onopentag = (name, attributes) => {
    budget.open(++depth)
    open(name, attributes)
  }
  handler.onclosetag = () => {
    depth--
    close()
  }
  const parser = new Parser(handler, options)
  for (const { piece, isLast } of piecesOf(text)) {
    parser.write(piece)
    if (!isLast) yield
  }
  parser.end()
  return handler.root
}
