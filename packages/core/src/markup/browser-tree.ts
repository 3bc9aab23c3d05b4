// parse5's tree in htmlparser2's shape, built within a budget.
import { createRequire } from 'node:module'
import type * as Parse5 from 'parse5'
import type * as TreeAdapter from 'parse5-htmlparser2-tree-adapter'
import { noteFormOwner } from './form-owner.ts'
import { piecesOf, type TreeBudget } from './tree-budget.ts'

/** Elements that a form has, and is submitted with. */
const OWNED = new Set(['button', 'input', 'select', 'textarea'])

const require = createRequire(import.meta.url)

/** Parses a whole document a piece at a time, with scripting as cheerio has it: the content of `<noscript>` is text. */
export function* parseWithParse5(
  text: string,
  budget: TreeBudget,
): Generator<void, ReturnType<typeof TreeAdapter.adapter.createDocument>, undefined> {
  const { Parser } = require('parse5') as typeof Parse5
  const { adapter } = require('parse5-htmlparser2-tree-adapter') as typeof TreeAdapter
  let depth = 0
  const treeAdapter: typeof adapter = {
    ...adapter,
    onItemPush() {
      budget.open(++depth)
    },
    onItemPop() {
      depth--
    },
    createElement(tagName, namespaceURI, attributes) {
      const element = adapter.createElement(tagName, namespaceURI, attributes)
      const { formElement, openElements } = parser
      if (formElement !== null && OWNED.has(tagName) && openElements.tmplCount === 0) noteFormOwner(element, formElement)
      return element
    },
    // What is misplaced in a table goes before the table, which is the last child: the adapter would look for it from the first, each time.
    insertBefore(parent, node, reference) {
      const { prev } = reference
      if (prev !== null) prev.next = node
      node.prev = prev
      node.next = reference
      reference.prev = node
      node.parent = parent
      parent.children.splice(parent.children.lastIndexOf(reference), 0, node)
    },
    insertTextBefore(parent, added, reference) {
      const { prev } = reference
      if (prev !== null && adapter.isTextNode(prev)) prev.data += added
      else treeAdapter.insertBefore(parent, adapter.createTextNode(added), reference)
    },
  }
  const parser = new Parser({ treeAdapter })
  for (const { piece, isLast } of piecesOf(text)) {
    parser.tokenizer.write(piece, isLast)
    if (!isLast) yield
  }
  return parser.document
}
