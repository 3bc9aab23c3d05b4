// What a run remembers of the sitemaps that robots.txt files named, so that the next run reads them though nothing else waits. Pure.
//
// Memory is compared with each commit, so it must be small, and a crawl of 800 shops must fit in. Of a host's own sitemaps one is enough: its request waits
// then, so robots.txt is read, which names them all. Hosts that have the same path share it. Sitemaps on other hosts wake nobody, and are all kept.
import { originOf } from '@avocet/core/plugin'

/** Characters of URLs: those of some 1,200 hosts. */
const MOST_CHARACTERS = 32_768

/** The memory of the crawl. */
export type FoundLists = {
  /** Paths of sitemaps on the host that named them, with the origins of these hosts. */
  readonly own: Record<string, readonly string[]>
  /** Other sitemaps, by the host that named them. */
  readonly elsewhere: Record<string, readonly string[]>
}

/** What robots.txt of one host names. */
export interface NamedLists {
  /** Of the file. */
  readonly origin: string
  readonly hostKey: string
  readonly urls: readonly string[]
}

/** Remembers what a host names in place of what it named before. Returns whether there was room for all of it. */
export function remember(found: FoundLists, { origin, hostKey, urls }: NamedLists): boolean {
  forget(found, origin, hostKey)
  const mine = urls.find((url) => originOf(url) === origin)
  const others = urls.filter((url) => originOf(url) !== origin)
  const path = mine?.slice(origin.length)
  const added = [
    ...(path === undefined ? [] : [origin, ...(path in found.own ? [] : [path])]),
    ...others,
    ...(others.length > 0 ? [hostKey] : []),
  ]
  if (charactersOf(found) + total(added) > MOST_CHARACTERS) return false
  if (path !== undefined) found.own[path] = [...(found.own[path] ?? []), origin]
  if (others.length > 0) found.elsewhere[hostKey] = others
  return true
}

/** The sitemaps to read, each with the host that named it. */
export function* remembered({ own, elsewhere }: FoundLists): Generator<{ readonly url: string; readonly of: string }> {
  for (const [path, origins] of Object.entries(own))
    for (const origin of origins) yield { url: origin + path, of: origin.slice(origin.indexOf('//') + 2) }
  for (const [of, urls] of Object.entries(elsewhere)) for (const url of urls) yield { url, of }
}

/** What two processes remember. */
export function joinedLists(a: FoundLists, b: FoundLists): FoundLists {
  const known = new Set(Object.values(a.own).flat())
  const own = { ...a.own }
  for (const [path, origins] of Object.entries(b.own)) {
    const others = origins.filter((origin) => !known.has(origin))
    if (others.length > 0) own[path] = [...(own[path] ?? []), ...others]
  }
  return { own, elsewhere: { ...b.elsewhere, ...a.elsewhere } }
}

function forget({ own, elsewhere }: FoundLists, origin: string, hostKey: string): void {
  delete elsewhere[hostKey]
  for (const [path, origins] of Object.entries(own)) {
    const others = origins.filter((each) => each !== origin)
    if (others.length === origins.length) continue
    if (others.length > 0) own[path] = others
    else delete own[path]
  }
}

function charactersOf({ own, elsewhere }: FoundLists): number {
  return [own, elsewhere].reduce((sum, lists) => sum + total(Object.keys(lists)) + total(Object.values(lists).flat()), 0)
}

function total(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.length, 0)
}
