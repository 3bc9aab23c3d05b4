// What a handler yields to have another URL visited. A class, so that a link can never be taken for an item.
import { AvocetError } from './errors.ts'
import { identityProblem } from './identity.ts'
import type { Json } from './json.ts'
import { keysOf, unknownKey } from './unknown-key.ts'

/** How a link is to be followed. */
export interface LinkOptions {
  /** Handler of the page behind it; default `start`. */
  readonly handler?: string
  /** Higher goes first; default 0. Integer. */
  readonly priority?: number
  /** Handed to the handler as `page.request.data`. */
  readonly data?: Json
  readonly anchorText?: string
  readonly method?: string
  /** Header fields of its own. They replace the crawl's fields of the same name. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /**
   * What else tells this request from others of the same method, URL, body and handler: names of fields in `headers`, whose values count, or a key of
   * its own. The target of a redirect keeps it.
   */
  readonly identity?: readonly string[] | string
}

const OPTION_KEYS = keysOf<LinkOptions>({
  handler: true,
  priority: true,
  data: true,
  anchorText: true,
  method: true,
  headers: true,
  body: true,
  identity: true,
})

/** A request to be. */
export class Link {
  /** Absolute URL, or one relative to the page that yields it. */
  readonly url: string
  readonly options: LinkOptions

  /** Throws AVO_HANDLER_YIELD_INVALID for an `identity` that means nothing: here, where the line of the handler is known. */
  constructor(url: string, options: LinkOptions = {}) {
    if (options.identity !== undefined) {
      const problem = identityProblem(options)
      if (problem !== undefined) throw new AvocetError('AVO_HANDLER_YIELD_INVALID', `link(${JSON.stringify(url)}): ${problem}`)
    }
    this.url = url
    this.options = options
  }
}

/**
 * A link to `url`, absolute or relative to the page.
 *
 * @throws AVO_HANDLER_YIELD_INVALID for an option that links do not have, and when `identity` names a header that the link does not set.
 *
 * @example
 * ```ts
 * yield link('/page/2', { handler: 'list', priority: 1 })
 * ```
 * @example One page in two languages:
 * ```ts
 * for (const language of ['de', 'fr'])
 *   yield link('/prices', { headers: { 'accept-language': language }, identity: ['accept-language'] })
 * ```
 */
export function link(url: string | URL, options: LinkOptions = {}): Link {
  checkLinkOptions(options, `link(${JSON.stringify(String(url))})`)
  return new Link(String(url), options)
}

/** Throws AVO_HANDLER_YIELD_INVALID for an option that no link has; `whose` begins the message. */
export function checkLinkOptions(options: LinkOptions, whose: string): void {
  const misspelled = unknownKey(options, OPTION_KEYS)
  if (misspelled !== undefined) throw new AvocetError('AVO_HANDLER_YIELD_INVALID', `${whose} ${misspelled}`)
}
