// Every item of a store, page by page: a store may have millions, and a reader hands out so many at a time.
import type { FrontierReader } from '../ports/frontier-reader.ts'
import type { Json } from '../values/json.ts'

const PAGE = 1_000

/**
 * Every item that `reader` knows, in the order of their commits. `Item` is what the spider of the store yields: nothing checks it.
 *
 * @example
 * ```ts
 * // titles-of.ts
 * import { itemsOf } from 'avocet'
 * import { openReader } from '@avocet/plugin-sqlite'
 *
 * // The titles in the store of a crawl, also while it runs: titlesOf('.avocet/books.db')
 * export async function titlesOf(path: string): Promise<readonly string[]> {
 *   const reader = await openReader(path)
 *   const titles: string[] = []
 *   for await (const { title } of itemsOf<{ title: string }>(reader)) titles.push(title)
 *   await reader.close()
 *   return titles
 * }
 * ```
 */
export async function* itemsOf<Item = Json>(reader: FrontierReader): AsyncGenerator<Item, void, undefined> {
  for (let afterSeq = 0; ;) {
    const page = await reader.items({ afterSeq, limit: PAGE })
    for (const { json } of page) yield JSON.parse(json) as Item
    if (page.length < PAGE) return
    afterSeq = page.at(-1)?.seq ?? Infinity
  }
}
