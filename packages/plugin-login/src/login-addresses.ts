// Where the form of a login is: what tells a redirect of a logged-out page from any other.
//
// The address in the configuration is often not the one to which the site sends visitors: it redirects to https, to a slash at the end, to /login.html. The
// login follows these redirects, so it learns the addresses. A query is compared where the path is also that of other pages, as on sites with one script.
// Digests of host and path are kept in the store, for a session that ended between two runs: either may hold a token.
import { createHash } from 'node:crypto'
import { parseUrl } from '@avocet/core/plugin'

/** Addresses that are remembered: those of one login and its redirects, and some more, for sites that move it. */
const MOST = 16

/** Knows them. */
export class LoginAddresses {
  /** Where the user says that it is. */
  readonly #told: { readonly place: string | undefined; readonly parameters: URLSearchParams }
  /** By place; the parameters are unknown where an earlier run found it. */
  readonly #found = new Map<string, URLSearchParams | undefined>()
  /** Places where pages of logged-in sessions are as well. */
  readonly #used = new Set<string>()

  constructor(url: string, kept: readonly string[] = []) {
    const place = placeOf(url)
    this.#told = { place, parameters: new URLSearchParams(place === undefined ? '' : new URL(url).search) }
    for (const place of kept) this.#found.set(place, undefined)
  }

  /** The places that were found, to be kept. */
  get kept(): readonly string[] {
    return [...this.#found.keys()]
  }

  /** A login found its form by way of these URLs, at the last of them. */
  found(way: readonly string[]): void {
    for (const url of way) {
      const place = placeOf(url)
      // Sites redirect to their front page for many reasons.
      const isFront = url !== way.at(-1) && new URL(url).pathname === '/'
      if (place === undefined || isFront || place === this.#told.place) continue
      this.#found.delete(place)
      this.#found.set(place, new URL(url).searchParams)
    }
    for (const oldest of [...this.#found.keys()].slice(0, -MOST)) this.#found.delete(oldest)
  }

  /** A page at `url` was not logged out. */
  used(url: string): void {
    const place = placeOf(url)
    if (place !== undefined && this.#isKnown(place)) this.#used.add(place)
  }

  /** Whether a redirect from `from` to `target` says that the session is logged out. */
  leads(from: string, target: string | undefined): boolean {
    const place = target === undefined ? undefined : placeOf(target)
    if (target === undefined || place === undefined || !this.#isKnown(place)) return false
    const isShared = this.#used.has(place) || placeOf(from) === place
    if (!isShared) return true
    const told = this.#told
    const parameters = place === told.place ? told.parameters : this.#found.get(place)
    // Without parameters, nothing tells a form that was found from the pages beside it.
    const isTold = parameters !== undefined && (place === told.place || parameters.size > 0)
    return isTold && hasAll(new URL(target), parameters)
  }

  #isKnown(place: string): boolean {
    return place === this.#told.place || this.#found.has(place)
  }
}

/** Whether two URLs are the same but for the scheme, capitals in the path, and a slash at its end. */
export function isSpelledLike(a: string, b: string): boolean {
  return placeOf(a) === placeOf(b) && new URL(a).search === new URL(b).search
}

function hasAll({ searchParams }: URL, parameters: URLSearchParams): boolean {
  return [...parameters].every(([name, value]) => searchParams.getAll(name).includes(value))
}

/** A digest of host and path, however they are spelled. */
function placeOf(url: string): string | undefined {
  const parsed = parseUrl(url)
  if (parsed === undefined) return undefined
  const { hostname, port, pathname } = new URL(parsed)
  const where = port === '' ? hostname : `${hostname}:${port}`
  const place = `${where}${pathname.replace(/\/$/, '').toLowerCase()}`
  return createHash('sha256').update(place).digest('base64url').slice(0, 22)
}
