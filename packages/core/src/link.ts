// What a handler yields to have another URL visited. A class, so that a link can never be taken for an item.
import type { Json } from './json.ts'

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
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** A request to be. */
export class Link {
  /** Absolute URL, or one relative to the page that yields it. */
  readonly url: string
  readonly options: LinkOptions

  constructor(url: string, options: LinkOptions = {}) {
    this.url = url
    this.options = options
  }
}

/**
 * A link to `url`, absolute or relative to the page.
 *
 * @example
 * ```ts
 * yield link('/page/2', { handler: 'list', priority: 1 })
 * ```
 */
export function link(url: string | URL, options: LinkOptions = {}): Link {
  return new Link(String(url), options)
}
