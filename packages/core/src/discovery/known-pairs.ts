// Pairs of handler and URL that are surely in the store, because a commit said so: nine links in ten need to be looked up nowhere else, and the store takes
// 3.5 µs a link.
import type { Link } from '../ports/link.ts'
import type { Request } from '../ports/request.ts'
import { PairTags } from './pair-tags.ts'

/** Those that this process committed. */
export class KnownPairs {
  #tags: PairTags
  readonly #seed: number
  readonly #termNow: () => number
  #term: number

  /** `term`: that of the tenure. What is from an earlier one is forgotten: the store may be another one since, or an older one. */
  constructor({ term = () => 0, seed = 0 }: { readonly term?: () => number; readonly seed?: number } = {}) {
    this.#termNow = term
    this.#term = term()
    this.#seed = seed
    this.#tags = new PairTags({ seed })
  }

  /** Remembers pairs that are in the store now. */
  remember(pairs: readonly string[]): void {
    for (const pair of pairs) this.#tags.add(pair)
  }

  has(pair: string): boolean {
    if (this.#term !== this.#termNow()) {
      this.#term = this.#termNow()
      this.#tags = new PairTags({ seed: this.#seed })
    }
    return this.#tags.has(pair)
  }
}

/**
 * What a link of the page of `request` to `url` is remembered by; undefined where handler and URL do not say which request it is. The default handler is left
 * out: its pairs are the URL alone. Other pairs begin with a space or a control character, which no URL does.
 */
export function pairOf(link: Link, url: string, request: Request): string | undefined {
  const { handler = 'start', again = false, method, body, identity, modifiedAt, render } = link.options
  if (link.isRedirect || (method ?? body ?? identity ?? modifiedAt ?? render) !== undefined) return undefined
  const session = inSession(link, request)
  // No name of a session has a space.
  if (session !== undefined) return `\r${again ? 'again' : ''} ${session} ${handler} ${url}`
  // A page that was asked for needs no second question in this run, but one that is known may need the first.
  if (again) return `\n${handler} ${url}`
  return handler === 'start' ? url : ` ${handler} ${url}`
}

/** The session that a link of the page of `request` leads to; undefined for that of its host. */
function inSession({ options: { session } }: Link, request: Request): string | undefined {
  return session === undefined ? request.session : session || undefined
}

/** What a link wants, with the session of its page where it names none. */
export function inherited({ options }: Link, { session }: Request): Link['options'] {
  return session === undefined || options.session !== undefined ? options : { ...options, session }
}
