// The parts of a base URL that relative links are joined to, cut once a page.

/** A base URL in parts. */
export interface CompiledBase {
  /** As it was given. */
  readonly given: string
  /** `https://shop.example:8080` */
  readonly origin: string
  /** Up to the last slash of the path, the slash included. */
  readonly directory: string
  /** Up to the end of the path. */
  readonly document: string
  /** With its question mark, or empty. */
  readonly query: string
}

/** Cuts `base`; undefined when it is not an http(s) URL. */
export function compileBase(base: string): CompiledBase | undefined {
  const url = URL.parse(base)
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return undefined
  const document = url.origin + url.pathname
  return {
    given: base,
    origin: url.origin,
    directory: document.slice(0, document.lastIndexOf('/') + 1),
    document,
    // `search` is empty for a lone question mark, which the href keeps.
    query: url.search === '' && url.href.split('#', 1)[0]?.endsWith('?') === true ? '?' : url.search,
  }
}
