// parse5's tree in htmlparser2's shape, built within a budget.
import { createRequire } from 'node:module'
import type * as Parse5 from 'parse5'
import type * as TreeAdapter from 'parse5-htmlparser2-tree-adapter'
import type { TreeBudget } from './tree-budget.ts'

const require = createRequire(import.meta.url)

/** Parses a whole document, with scripting as cheerio has it: the content of `<noscript>` is text. */
export function parseWithParse5(text: string, budget: TreeBudget): ReturnType<typeof TreeAdapter.adapter.createDocument> {
  const { parse } = require('parse5') as typeof Parse5
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
  return parse(text, { treeAdapter })
}
