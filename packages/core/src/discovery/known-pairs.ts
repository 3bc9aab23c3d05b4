// Pairs of handler and URL that are surely in the store, because a commit said so: nine links in ten need to be looked up nowhere else.
//
// The recent ones are kept as they are, in two generations: what is used moves on into the young one. All of them are kept as tags, for a crawl of many URLs
// meets most of its links after longer than that, and the store takes 3.5 µs a link.
import type { Link } from '../ports/link.ts'
import type { Request } from '../ports/request.ts'
import { PairTags } from './pair-tags.ts'

/** Pairs in one generation: about 2 MB. */
const GENERATION = 16_384
/** Longer ones are looked up, or those of a hostile site were 260 MB. */
const MAX_CHARACTERS = 512

/** Those that this process committed. */
export class KnownPairs {
  #young = new Set<string>()
  #old = new Set<string>()
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
    for (const pair of pairs) {
      if (pair.length > MAX_CHARACTERS) continue
      this.#tags.add(pair)
      this.#keep(pair)
    }
  }

  has(pair: string): boolean {
    if (this.#term !== this.#termNow()) this.#forget()
    if (this.#young.has(pair)) return true
    if (!this.#old.has(pair) && (pair.length > MAX_CHARACTERS || !this.#tags.has(pair))) return false
    this.#keep(pair)
    return true
  }

  #keep(pair: string): void {
    if (this.#young.size >= GENERATION) {
      this.#old = this.#young
      this.#young = new Set()
    }
    this.#young.add(pair)
  }

  #forget(): void {
    this.#term = this.#termNow()
    this.#young = new Set()
    this.#old = new Set()
    this.#tags = new PairTags({ seed: this.#seed })
  }
}

/**
 * What a link of the page of `request` to `url` is remembered by; undefined where handler and URL do not say which request it is. One to the default handler
 * needs no name beside the URL: no URL begins with a space. A text that begins with an h and equals such a pair is the URL itself.
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
