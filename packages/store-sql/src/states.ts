// Words and numbers that stores on SQL tables agree on, so that one can be copied into another.
import { AvocetError } from '@avocet/core'
import type { CommitResult, NewRequest } from '@avocet/core/store'

/** States of requests, by their number. */
export const STATES = ['waiting', 'done', 'moved', 'failed'] as const

/** By the number of its state in a row; undefined of one that waits, or that was never tried. */
export function settledState(state: number | null | undefined): Exclude<(typeof STATES)[number], 'waiting'> | undefined {
  const named = STATES[state ?? 0]
  return named === 'waiting' ? undefined : named
}

/** `readyAt` of a host that no time will make ready: beyond every Date (±8.64e15 ms). */
export const NEVER = 9e15

/** A path of the host's own origin begins with a slash; any other URL is stored whole. */
export function urlOf(path: string, origin: string): string {
  return path.startsWith('/') ? origin + path : path
}

/** The URL of a row of another table, as what was joined to it. Throws AVO_FRONTIER_CORRUPT where nothing was. */
export function joinedUrl({ path, origin }: { readonly path: string | null; readonly origin: string | null }): string {
  if (path !== null && origin !== null) return urlOf(path, origin)
  throw new AvocetError('AVO_FRONTIER_CORRUPT', 'expected the request of each stored row and its host, got a row without them')
}

/** The origin of a URL, and what follows it. */
export function partsOfUrl(url: string): readonly [origin: string, path: string] {
  const slash = url.indexOf('/', url.indexOf('//') + 2)
  return slash < 0 ? [url, url] : [url.slice(0, slash), url.slice(slash)]
}

/** What is stored of `url` for a host of this origin. */
export function pathFor(url: string, origin: string): string {
  return url.startsWith(origin) && url[origin.length] === '/' ? url.slice(origin.length) : url
}

/** Which hosts gain how many of these links, and the best priority of each. */
export function gainsOf(links: readonly Pick<NewRequest, 'hostKey' | 'priority'>[]): CommitResult['gained'] {
  return [...Map.groupBy(links, ({ hostKey }) => hostKey)].map(([hostKey, ofHost]) => {
    const topPriority = ofHost.reduce((top, { priority }) => Math.max(top, priority), -Infinity)
    return { hostKey, count: ofHost.length, topPriority }
  })
}
