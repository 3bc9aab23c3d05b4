// Builds the DOM behind `page.$`: cheerio on parse5, as browsers parse HTML, or on htmlparser2 for XML.
//
// cheerio/slim, because all of cheerio would load an HTTP client of its own; fed with parse5's tree it gives the same. It is loaded by the first
// page whose `$` is touched: crawls that only follow links never pay for it (17 MB).
// Parsers are quadratic in depth and in attributes of a tag (100,000 nested `<div>`: more than a minute), so both are limited, and so is the
// number of elements. Depth and elements are counted by the parser's own stack, so no markup can talk its way around them.
import { createRequire } from 'node:module'
import { AvocetError } from '@avocet/core'
import type * as Cheerio from 'cheerio/slim'
import type * as Htmlparser2 from 'htmlparser2'
import type * as Parse5 from 'parse5'
import type * as TreeAdapter from 'parse5-htmlparser2-tree-adapter'

/** How a document becomes a tree. */
export type DomParser = 'html' | 'xml'

const MAX_ATTRIBUTES = 1_000
const MAX_DEPTH = 512
const MAX_ELEMENTS = 1_000_000
/** Characters that become a tree in one step: of nothing but tags some 10 ms. */
const PIECE = 32 * 2 ** 10
/** Elements that a form has, and is submitted with. */
const OWNED = new Set(['button', 'input', 'select', 'textarea'])
/** Character references of more digits than a code point has: parse5 7.3 adds them up, and throws where they are some hundred, if only zeros. */
const LONG_REFERENCE = /&#(?:x[0-9a-f]{7,}|\d{8,});?/gi

const require = createRequire(import.meta.url)

/**
 * The document `text` as cheerio gives it. `maxAttributes` is what the scanner found: the most attributes of one tag.
 * Throws AVO_PAGE_TOO_DEEP when it is nested deeper than 512, has more than 1,000 attributes on a tag, or more than 1,000,000 elements.
 */
export function buildDom(text: string, parser: DomParser, maxAttributes: number): Cheerio.CheerioAPI {
  const steps = domInSteps(text, parser, maxAttributes)
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  return step.value
}

/** The same, some 10 ms a step: for documents that would stop the event loop. */
export function* domInSteps(
  text: string,
  parser: DomParser,
  maxAttributes: number,
): Generator<void, Cheerio.CheerioAPI, undefined> {
  if (maxAttributes > MAX_ATTRIBUTES) {
    throw new AvocetError(
      'AVO_PAGE_TOO_DEEP',
      `expected at most ${MAX_ATTRIBUTES} attributes on a tag, got ${maxAttributes}; use page.links() and page.body, which need no DOM`,
    )
  }
  const markup = text.replaceAll(LONG_REFERENCE, shortened)
  const { load: cheerio } = require('cheerio/slim') as typeof Cheerio
  const budget = new TreeBudget()
  if (parser === 'xml') return cheerio(yield* parseXml(markup, budget), { xml: true })
  return cheerio(yield* parseHtml(markup, budget))
}

/** What is no code point is U+FFFD (HTML standard §13.2.5.80). */
function shortened(reference: string): string {
  const [, radix = '', digits = ''] = /^&#(x?)0*([0-9a-f]*)/i.exec(reference) ?? []
  return digits.length > (radix === '' ? 7 : 6) ? '\uFFFD' : `&#${radix}${digits === '' ? '0' : digits};`
}

/** What a tree may cost while it is built: counts its elements. */
class TreeBudget {
  #elements = 0

  /** Counts an element that opens as the `depth`th on the parser's stack. Throws AVO_PAGE_TOO_DEEP above 512, or above 1,000,000 elements. */
  open(depth: number): void {
    if (depth > MAX_DEPTH) throw tooMuch(`expected elements nested at most ${MAX_DEPTH} deep, got more`)
    if (++this.#elements > MAX_ELEMENTS) throw tooMuch(`expected at most ${MAX_ELEMENTS} elements, got more`)
  }
}

/** The pieces of `text`, at least one. */
function* piecesOf(text: string): Generator<{ readonly piece: string; readonly isLast: boolean }, void, undefined> {
  let at = 0
  for (; at + PIECE < text.length; at += PIECE) yield { piece: text.slice(at, at + PIECE), isLast: false }
  yield { piece: text.slice(at), isLast: true }
}

function tooMuch(message: string): AvocetError {
  return new AvocetError('AVO_PAGE_TOO_DEEP', `${message}; use page.links() and page.body, which need no DOM`)
}

/** parse5's tree in htmlparser2's shape, a piece of the document at a time, with scripting as cheerio has it: the content of `<noscript>` is text. */
function* parseHtml(
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

/** htmlparser2's tree, a piece of the document at a time. */
function* parseXml(text: string, budget: TreeBudget): Generator<void, ReturnType<typeof Htmlparser2.parseDocument>, undefined> {
  const { DomHandler, Parser } = require('htmlparser2') as typeof Htmlparser2
  const handler = new DomHandler(undefined, { xmlMode: true })
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
  const parser = new Parser(handler, { xmlMode: true })
  for (const { piece, isLast } of piecesOf(text)) {
    parser.write(piece)
    if (!isLast) yield
  }
  parser.end()
  return handler.root
}

/**
 * Which form a field belongs to by the order of the text, where the tree does not show it: a form whose tag is in a table has no content in the tree.
 * Source: HTML standard §13.2.6.1 (create an element for a token: the form element pointer).
 */
const owners = new WeakMap<object, object>()

/** `field` was parsed while `form` was open. */
function noteFormOwner(field: object, form: object): void {
  owners.set(field, form)
}

/** The form that was open when `field` was parsed; undefined where none was, or the parser does not say. */
export function formOwnerOf(field: object): object | undefined {
  return owners.get(field)
}
