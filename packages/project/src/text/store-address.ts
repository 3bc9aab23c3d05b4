// Stores by URL: which words are one, which crawl of a server they name, and how they are shown, which is never with a password.
//
// A store of this machine is a path; one on a server is `postgres://user@host:port/database?crawl=NAME`. Both are passed on as one text, the address of the
// store. Whatever a person, a file or another program gets to see of an address goes through `shownStore`.
import { AvocetError } from '@avocet/core'
import { didYouMean } from '@avocet/core/plugin'
import { CONNECTION_SECRETS } from '@avocet/plugin-secrets/names'

/** Schemes of stores on a server. */
const FAR_SCHEMES: readonly string[] = ['postgres', 'postgresql']

const SCHEME = /^([a-z][a-z0-9+.-]*):\/\//i
const CRAWL = 'crawl'

/** Whether a store is on a server, which other machines reach too. */
export function isFar(store: string): boolean {
  const scheme = SCHEME.exec(store)?.[1]
  return scheme !== undefined && FAR_SCHEMES.includes(scheme.toLowerCase())
}

/** The word itself. Throws AVO_USAGE for a URL of another kind, and for one that cannot be read. */
export function checkedStore(store: string): string {
  const scheme = SCHEME.exec(store)?.[1]
  if (scheme === undefined) return withoutHalfScheme(store)
  if (!FAR_SCHEMES.includes(scheme.toLowerCase())) {
    const hint = didYouMean(scheme.toLowerCase(), FAR_SCHEMES)
    throw new AvocetError(
      'AVO_USAGE',
      `expected a store as a path, a spider's name or a URL postgres://…, got ${scheme}://…${hint}`,
    )
  }
  if (URL.canParse(store)) return store
  // It is not quoted: nobody knows where its password is.
  throw new AvocetError(
    'AVO_USAGE',
    `expected a store as ${scheme}://USER@HOST:PORT/DATABASE, got what is no URL; a character of a user or password that is none of a URL is written as %xx`,
  )
}

/** `postgres:/host/database` would be a file of that name. It is not quoted: its password may be anywhere. */
function withoutHalfScheme(store: string): string {
  const half = FAR_SCHEMES.find((scheme) => store.toLowerCase().startsWith(`${scheme}:`))
  if (half === undefined) return store
  throw new AvocetError(
    'AVO_USAGE',
    `expected a store as ${half}://USER@HOST:PORT/DATABASE, got ${half}: without two slashes after it; a file of that name is ./${half}:…`,
  )
}

/** The crawl that the URL of a store names; undefined where it names none. */
export function crawlIn(store: string): string | undefined {
  const name = new URL(store).searchParams.get(CRAWL)
  return name === null || name === '' ? undefined : name
}

/** The URL of a store, of the crawl called `name` unless it names another. */
export function withCrawl(store: string, name: string): string {
  if (crawlIn(store) !== undefined) return store
  const url = new URL(store)
  url.searchParams.set(CRAWL, name)
  return url.href
}

/** The URL of all crawls that are where the store is. */
export function withoutCrawl(store: string): string {
  const url = new URL(store)
  url.searchParams.delete(CRAWL)
  return url.href
}

/**
 * The URL of a store without its secrets: with PGPASSWORD or .pgpass it can be typed as it is.
 *
 * @example
 * ```ts
 * shownStore('postgres://me:secret@db.example/crawls?crawl=quotes') // 'postgres://me@db.example/crawls?crawl=quotes'
 * ```
 */
export function shownStore(store: string): string {
  const url = new URL(store)
  url.password = ''
  for (const name of CONNECTION_SECRETS) url.searchParams.delete(name)
  return url.href
}
