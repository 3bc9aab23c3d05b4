// The read side of the memory frontier.
import {
  type FrontierInfo,
  type FrontierReader,
  type ItemRecord,
  MAX_PROBATION,
  type RequestQuery,
  type RequestRecord,
  requestLaws,
  type VisitPage,
  type VisitQuery,
  type VisitRecord,
} from '@avocet/core/store'
import type { MemoryRequest } from './memory-request.ts'
import type { MemoryItem, MemoryStore } from './memory-store.ts'

/** Reads `store` as it is at each call. */
export function memoryReader(
  store: MemoryStore,
  about: () => Pick<FrontierInfo, 'name' | 'createdAt' | 'liveProcesses'>,
): FrontierReader {
  return {
    info: async () => ({ ...about(), memories: store.crawlMemories(), sinks: store.sinks.standing(store.items.length) }),
    counts: async () => store.counted(),
    async failures() {
      const all = [...store.failures].map(([reason, count]) => ({ reason, count }))
      return all.sort((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1))
    },
    async problems() {
      const missing = store.requests.filter(({ row }) => row.missing > 0 && row.notBefore !== null)
      missing.sort((a, b) => (a.row.missingSince ?? 0) - (b.row.missingSince ?? 0) || a.id - b.id)
      const requests = missing.slice(0, MAX_PROBATION).map((request) => store.recordOf(request))
      return {
        handlerErrors: store.handlerErrors.counted(),
        rejects: store.rejects.groups(),
        probation: { pages: missing.length, requests },
      }
    },
    orders: async (after) => store.orders.filter(({ at }) => at > after),
    async hosts({ hostKey, afterHostKey = '', limit, parts }) {
      const keys = hostKey === undefined ? [...store.hosts.keys()].filter((key) => key > afterHostKey).sort() : [hostKey]
      return keys.slice(0, limit).flatMap((key) => store.hosts.get(key)?.toRecord(parts) ?? [])
    },
    requests: async (query) => select(store, query),
    async items({ afterSeq = 0, limit = Infinity, recordsOf }) {
      const pageOf = ({ requestId }: { readonly requestId: number }) => store.request(requestId)?.request
      const placed = (each: MemoryItem, index: number): ItemRecord => {
        return { ...each, seq: afterSeq + index + 1, url: pageOf(each)?.url ?? '' }
      }
      if (recordsOf === undefined) return store.items.slice(afterSeq, afterSeq + limit).map(placed)
      const records = store.records.slice(afterSeq).map(placed)
      return records.filter((record) => pageOf(record)?.handler === recordsOf).slice(0, limit)
    },
    visits: async (query) => visitsOf(store, query),
    rejects: async (query) => store.rejects.list(query),
    close: async () => {},
  }
}

function select(store: MemoryStore, { afterId = 0, limit = Infinity, ...wanted }: RequestQuery): RequestRecord[] {
  const records: RequestRecord[] = []
  for (let id = afterId + 1; id <= store.requests.length && records.length < limit; id++) {
    const request = store.request(id)
    if (request !== undefined && matches(request, wanted)) records.push(store.recordOf(request))
  }
  return records
}

function matches({ row: { state, reason }, request: { url, hostKey, handler } }: MemoryRequest, wanted: RequestQuery): boolean {
  const is: RequestQuery = { url, state, hostKey, handler, reason: reason ?? '' }
  return (['url', 'state', 'hostKey', 'handler', 'reason'] as const).every(
    (key) => wanted[key] === undefined || wanted[key] === is[key],
  )
}

/** A page of them, the newest first. */
function visitsOf(store: MemoryStore, query: VisitQuery): VisitPage {
  const { requestId, before = Infinity, limit, itemsPerVisit, maxBytes } = query
  const byVisit = Map.groupBy(itemsOfRequest(store, requestId), ({ visit = 0 }) => visit)
  const numbers = [...byVisit.keys()].filter((visit) => visit < before).sort((a, b) => b - a)
  const request = store.request(requestId)
  const page = request && requestLaws.lastPageOf(request.row)
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
