// What `page.links` may be given where it takes options.
import { AvocetError } from '../errors.ts'
import { shown } from '../shown.ts'
import { isPlain } from '../unlike-json.ts'

/** Throws AVO_HANDLER_LINK_INVALID for an element, or a selection: it is no selector, and would be taken for options. */
export function checkFollowOptions(given: unknown): void {
  if (given === undefined || given === null || isPlain(given)) return
  const isSelection = typeof given === 'object' && 'cheerio' in given
  const got = isSelection ? 'a selection of page.$' : shown(given)
  throw new AvocetError(
    'AVO_HANDLER_LINK_INVALID',
    `expected page.links() to be given a selector as text, got ${got}; write page.links('nav a'), or for an element link(page.$(element).attr('href'))`,
  )
}
