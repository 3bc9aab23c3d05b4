// Every host of a store, page by page: a store may have a million, and a reader hands out so many at a time.
import type { FrontierReader, HostRecord } from './frontier-reader.ts'

/** A host's record has its robots.txt, of up to half a megabyte: more of those at a time would take noticeable memory. */
const PAGE = 100

/**
 * Every host that `reader` knows, in the order of their keys. `parts`: of their memory, those that are wanted, because the rest is most of a large store.
 * Default: all.
 *
 * @example
 * ```ts
 * for await (const { hostKey, waiting } of hostsOf(frontier.reader)) console.log(hostKey, waiting)
 * ```
 */
export async function* hostsOf(reader: FrontierReader, parts?: readonly string[]): AsyncGenerator<HostRecord> {
  for (let afterHostKey: string | undefined; ;) {
    const page = await reader.hosts({ limit: PAGE, ...(parts && { parts }), ...(afterHostKey !== undefined && { afterHostKey }) })
    yield* page
    if (page.length < PAGE) return
    afterHostKey = page.at(-1)?.hostKey
  }
}
