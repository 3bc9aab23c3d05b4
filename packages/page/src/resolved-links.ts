// The anchors of a page with their URLs, resolved all at once or some at a time. Short hrefs can make long URLs, with a long base: what is kept of all of
// them together has a cap of its own.
import { parseUrl } from '@avocet/core/plugin'
import { withLegacyQuery } from './markup/charset.ts'
import { MAX_LINK_CHARACTERS, type FoundAnchor } from './markup/scanner.ts'
import type { Anchor } from './page-content.ts'

/** Resolves in document order. */
export class ResolvedAnchors {
  readonly anchors: Anchor[] = []
  /** Whether some were left out for their length. */
  truncated = false
  readonly #found: readonly FoundAnchor[]
  readonly #resolve: (href: string) => string | undefined
  #next = 0
  /** Of all URLs. */
  #characters = 0

  constructor(found: readonly FoundAnchor[], resolve: (href: string) => string | undefined) {
    this.#found = found
    this.#resolve = resolve
  }

  /** Resolves `count` more; whether there are any left. */
  more(count: number): boolean {
    const end = Math.min(this.#found.length, this.#next + count)
    for (; this.#next < end; this.#next++) this.#add(this.#found[this.#next])
    return this.#next < this.#found.length
  }

  #add(found: FoundAnchor | undefined): void {
    const url = found && this.#resolve(found.href)
    if (found === undefined || url === undefined) return
    this.#characters += url.length
    if (this.#characters > MAX_LINK_CHARACTERS) {
      this.truncated = true
      this.#next = this.#found.length
    } else this.anchors.push({ url, text: found.text, nofollow: found.nofollow, element: found.element })
  }
}

/** Where a link leads, resolved. */
export function linkTarget(href: string, charset: string, baseUrl: string): string | undefined {
  return parseUrl(withLegacyQuery(href, charset), baseUrl)
}
