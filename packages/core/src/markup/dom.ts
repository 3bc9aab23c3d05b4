// Builds the DOM behind `page.$`: cheerio on parse5 as browsers parse, or on htmlparser2, which is twice as fast.
//
// cheerio/slim, because all of cheerio would load an HTTP client of its own; fed with parse5's tree it gives the same. It is loaded by the first
// page whose `$` is touched: crawls that only follow links never pay for it (17 MB).
// Parsers are quadratic in depth and in attributes of a tag (100,000 nested `<div>`: more than a minute), so both are limited, and so is the
// number of elements. Depth and elements are counted by the parser's own stack, so no markup can talk its way around them.
import { createRequire } from 'node:module'
import type * as Cheerio from 'cheerio/slim'
import { AvocetError } from '../errors.ts'
import { parseWithHtmlparser2 } from './fast-tree.ts'
import { parseWithParse5 } from './browser-tree.ts'
import { TreeBudget } from './tree-budget.ts'

/** How a document becomes a tree. */
export type DomParser = 'parse5' | 'fast' | 'xml'

const MAX_ATTRIBUTES = 1_000
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
  if (parser === 'xml') return cheerio(yield* parseWithHtmlparser2(markup, budget, { xmlMode: true }), { xml: true })
  return cheerio(yield* parser === 'fast' ? parseWithHtmlparser2(markup, budget, {}) : parseWithParse5(markup, budget))
}

/** What is no code point is U+FFFD (HTML standard §13.2.5.80). */
function shortened(reference: string): string {
  const [, radix = '', digits = ''] = /^&#(x?)0*([0-9a-f]*)/i.exec(reference) ?? []
  return digits.length > (radix === '' ? 7 : 6) ? '\uFFFD' : `&#${radix}${digits === '' ? '0' : digits};`
}
