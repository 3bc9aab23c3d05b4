// Every host of a store, page by page: a store may have a million, and a reader hands out so many at a time.
import type { FrontierReader, HostRecord } from './frontier-reader.ts'

/** A host's record has its robots.txt, of up to half a megabyte: more of those at a time would take noticeable memory. */
const PAGE = 100
/** Parts that are named are small. */
const PAGE_OF_PARTS = 1_000

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
  const limit = parts === undefined ? PAGE : PAGE_OF_PARTS
  for (let afterHostKey: string | undefined; ;) {
    const page = await reader.hosts({ limit, ...(parts && { parts }), ...(afterHostKey !== undefined && { afterHostKey }) })
    yield* page
    if (page.length < limit) return
    afterHostKey = page.at(-1)?.hostKey
  }
}
