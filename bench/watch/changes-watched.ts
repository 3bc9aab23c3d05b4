// What of the crawler is judged: how the spider says what it watches, and what its store says that it published.
import { join } from 'node:path'
import type { Spider } from 'avocet'
import type { ChangeRecord, FrontierReader } from '@avocet/core/store'
import { openReader } from '@avocet/plugin-sqlite'
import type { PublishedChange } from './judge.ts'
import type { ShopItem } from './shops-spider.ts'

const PAGE = 5_000

/** The spider, with what it watches. */
export function watching(plain: Spider<ShopItem>): Spider<ShopItem> {
  return { ...plain, items: { key: 'sku', watch: ['price', 'currency', 'availability'] } }
}

/** Changes that a store has recorded, by host. */
export type Published = ReadonlyMap<string, readonly PublishedChange[]>

/** Reads them from the store in `folder`. */
export async function publishedBy(folder: string): Promise<Published> {
  return onStore(folder, publishedIn)
}

async function onStore<T>(folder: string, work: (reader: FrontierReader) => Promise<T>): Promise<T> {
  const reader = await openReader(join(folder, 'store.db'))
  try {
    return await work(reader)
  } finally {
    await reader.close()
  }
}

async function publishedIn(reader: FrontierReader): Promise<Map<string, PublishedChange[]>> {
  const byHost = new Map<string, PublishedChange[]>()
  for (let afterSeq = 0; ;) {
    const page = await reader.changes({ afterSeq, limit: PAGE })
    for (const change of page) {
      const known = byHost.get(change.hostKey)
      if (known === undefined) byHost.set(change.hostKey, [publishedOf(change)])
      else known.push(publishedOf(change))
    }
    if (page.length < PAGE) return byHost
    afterSeq = page.at(-1)?.seq ?? Infinity
  }
}

function publishedOf({ seq, kind, key, at, before, after }: ChangeRecord): PublishedChange {
  return { seq, kind, key, at, ...(before && { before: valueOf(before) }), ...(after && { after: valueOf(after) }) }
}

/** As the judge writes it. */
export function valueOf({ price, currency, availability = '' }: Readonly<Record<string, unknown>>): string {
  return `${Number(price).toFixed(2)} ${String(currency)} ${String(availability)}`
}
