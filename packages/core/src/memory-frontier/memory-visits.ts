// Visits of a request in RAM, with the items that they brought.
import type { ItemRecord, VisitPage, VisitQuery, VisitRecord } from '../frontier-reader.ts'
import type { MemoryStore } from './memory-store.ts'

/** A page of them, the newest first. */
export function visitsOf(store: MemoryStore, query: VisitQuery): VisitPage {
  const { requestId, before = Infinity, limit, itemsPerVisit, maxBytes } = query
  const byVisit = Map.groupBy(itemsOfRequest(store, requestId), ({ visit = 0 }) => visit)
  const numbers = [...byVisit.keys()].filter((visit) => visit < before).sort((a, b) => b - a)
  const page = store.request(requestId)?.page
  const visits: VisitRecord[] = []
  let bytes = 0
  for (const visit of numbers.slice(0, limit)) {
    const all = (byVisit.get(visit) ?? []).sort((a, b) => a.ordinal - b.ordinal)
    const items: ItemRecord[] = []
    for (const item of all.slice(0, itemsPerVisit)) {
      if (bytes > maxBytes) break
      items.push(item)
      bytes += Buffer.byteLength(item.json)
    }
    if (items.length === 0) break
    const fetchedAt = page?.visit === visit ? { fetchedAt: page.at } : {}
    visits.push({ visit, ...fetchedAt, items, truncated: items.length < all.length })
  }
  const next = visits.length < numbers.length ? visits.at(-1)?.visit : undefined
  return { visits, ...(next !== undefined && { next }) }
}

function itemsOfRequest(store: MemoryStore, requestId: number): readonly ItemRecord[] {
  const url = store.request(requestId)?.request.url ?? ''
  return store.seqsOf(requestId).flatMap((seq) => {
    const item = store.items[seq - 1]
    return item === undefined ? [] : [{ ...item, seq, url }]
  })
}
