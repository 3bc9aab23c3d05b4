// The read side of the memory frontier.
import {
  type FrontierReader,
  type ItemRecord,
  type RequestQuery,
  type RequestRecord,
  requestLaws,
  type VisitPage,
  type VisitQuery,
  type VisitRecord,
} from '@avocet/core/store'
import type { MemoryRequest } from './memory-request.ts'
import type { MemoryStore } from './memory-store.ts'

/** Reads `store` as it is at each call. */
export function memoryReader(
  store: MemoryStore,
  about: () => { name: string; createdAt: number; liveProcesses: number },
): FrontierReader {
  return {
    info: async () => about(),
    counts: async () => store.counted(),
    crawlMemories: async () => store.crawlMemories(),
    orders: async (after) => store.orders.filter(({ at }) => at > after),
    async hosts({ afterHostKey = '', limit, parts }) {
      const keys = [...store.hosts.keys()].filter((key) => key > afterHostKey).sort()
      return keys.slice(0, limit).flatMap((key) => store.hosts.get(key)?.toRecord(parts) ?? [])
    },
    host: async (hostKey) => store.hosts.get(hostKey)?.toRecord(),
    history: async (url) => store.requests.filter(({ request }) => request.url === url).map((each) => store.recordOf(each)),
    requests: async (query) => select(store, query),
    async probation({ limit }) {
      const missing = store.requests.filter(({ row }) => row.missing > 0 && row.notBefore !== null)
      missing.sort((a, b) => (a.row.missingSince ?? 0) - (b.row.missingSince ?? 0) || a.id - b.id)
      return { pages: missing.length, requests: missing.slice(0, limit).map((request) => store.recordOf(request)) }
    },
    async failures() {
      const all = [...store.failures].map(([reason, count]) => ({ reason, count }))
      return all.sort((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1))
    },
    handlerErrors: async () => store.handlerErrors.counted(),
    rejects: async (query) => store.rejects.list(query),
    rejectGroups: async () => store.rejects.groups(),
    async items({ afterSeq, limit }) {
      return store.items.slice(afterSeq, afterSeq + limit).map((item, index) => {
        return { ...item, seq: afterSeq + index + 1, url: store.request(item.requestId)?.request.url ?? '' }
      })
    },
    visits: async (query) => visitsOf(store, query),
    async records({ afterSeq, limit, handler }) {
      const all = store.records.slice(afterSeq).map((record, index) => {
        const { url = '', handler: of = '' } = store.request(record.requestId)?.request ?? {}
        return { ...record, seq: afterSeq + index + 1, url, handler: of }
      })
      return all.filter((record) => handler === undefined || record.handler === handler).slice(0, limit)
    },
    sinks: async () => store.sinks.standing(store.items.length),
    close: async () => {},
  }
}

function select(store: MemoryStore, query: RequestQuery): RequestRecord[] {
  const records: RequestRecord[] = []
  for (let id = (query.afterId ?? 0) + 1; id <= store.requests.length && records.length < query.limit; id++) {
    const request = store.request(id)
    if (request !== undefined && matches(request, query)) records.push(store.recordOf(request))
  }
  return records
}

function matches({ row: { state, reason }, request }: MemoryRequest, query: RequestQuery): boolean {
  if (query.state !== undefined && query.state !== state) return false
  if (query.hostKey !== undefined && query.hostKey !== request.hostKey) return false
  if (query.handler !== undefined && query.handler !== request.handler) return false
  return query.reason === undefined || query.reason === reason
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
