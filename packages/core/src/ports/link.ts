// What a handler yields to follow a URL. A class, so that a link can never be taken for an item.
import { AvocetError } from '../values/errors.ts'
import { shown } from '../values/shown.ts'
import { hasMembers, strangerIn } from '../values/options.ts'
import type { LinkOptions } from './seed.ts'
import { LINK_RULES, wantedProblem } from './wanted-problem.ts'

/** A request to be, whose options `link()` has checked. Make one with that, and yield it. */
export class Link<Name extends string = string, Data = unknown> {
  /** Absolute URL, or one relative to the page that yields it. */
  readonly url: string
  /** How to follow it. */
  readonly options: LinkOptions<Name, Data>
  /** Whether it takes the place of the page that yields it, as the target of a redirect does: with its handler, `data` and depth. */
  declare readonly isRedirect?: true

  constructor(url: string, options: LinkOptions<Name, Data> = {}, isRedirect: boolean = false) {
    this.url = url
    this.options = options
    if (isRedirect) this.isRedirect = true
  }
}

/**
 * A link to `url`, absolute or relative to the page.
 *
 * @throws AVO_HANDLER_LINK_INVALID for a URL that is none, and for an option that links do not have or of another kind.
 *
 * @example
 * ```ts
 * // links.ts
 * import { link, spider } from 'avocet'
 * import { readPage } from '@avocet/simulator'
 *
 * const search = spider({
 *   name: 'search',
 *   seeds: ['https://shop.example/'],
 *   handlers: {
 *     *start() {
 *       yield link('/page/2', { handler: 'list', priority: 1 })
 *       const body = JSON.stringify({ after: 0 })
 *       yield link('/api/teas', { handler: 'list', method: 'POST', headers: { 'content-type': 'application/json' }, body })
 *     },
 *     *list(page) {
 *       yield { url: page.url.href }
 *     },
 *   },
 * })
 * const { links } = await readPage(search, { url: 'https://shop.example/', body: '' })
 * links.map(({ url }) => url) // ['/page/2', '/api/teas']
 * links.map(({ options }) => options.method) // [undefined, 'POST']
 * ```
 * @example One page in two languages:
 * ```ts
 * // languages.ts
 * import { link, spider } from 'avocet'
 *
 * export const prices = spider({
 *   name: 'prices',
 *   seeds: ['https://shop.example/'],
 *   handlers: {
 *     *start() {
 *       for (const language of ['de', 'fr'])
 *         yield link('/prices', { handler: 'prices', headers: { 'accept-language': language }, identity: language })
 *     },
 *     *prices(page) {
 *       yield { language: page.request.headers['accept-language'], title: page.title }
 *     },
 *   },
 * })
 * ```
 */
export function link<const Name extends string = 'start', const Data = undefined>(
  url: string | URL,
  options: LinkOptions<Name, Data> = {},
): Link<NoInfer<Name>, NoInfer<Data>> {
  if (typeof url !== 'string' && !(url instanceof URL))
    throw invalid(`expected link() to be given a URL as text, got ${shown(url)}; leave out an element that has none`)
  const text = String(url)
  const problem = hasMembers(options) ? wantedProblem(options) : `expected options to be an object, got ${shown(options)}`
  if (problem !== undefined) throw invalid(`link(${JSON.stringify(text)}): ${problem}`)
  const misspelled = strangerIn(options, LINK_RULES)
  if (misspelled !== undefined) throw invalid(`link(${JSON.stringify(text)}) has ${misspelled}`)
  return new Link(text, options)
}

function invalid(message: string): AvocetError {
  return new AvocetError('AVO_HANDLER_LINK_INVALID', message)
}
