// The read side of the memory frontier.
import {
  type FrontierInfo,
  type FrontierReader,
  type ItemQuery,
  type ItemRecord,
  type RequestItemsQuery,
  MAX_PROBATION,
  type RequestQuery,
  type RequestRecord,
} from '@avocet/core/store'
import type { MemoryRequest } from './memory-request.ts'
import type { MemoryStore } from './memory-store.ts'

/** Reads `store` as it is at each call. */
export function memoryReader(
  store: MemoryStore,
  about: () => Pick<FrontierInfo, 'name' | 'createdAt' | 'liveProcesses'>,
): FrontierReader {
  return {
    info: async () => ({ ...about(), memories: store.crawlMemories() }),
    sinks: async () => store.sinks.standing({ items: store.items.length, changes: store.watched.size }),
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
    items: async (query) => itemsOf(store, query),
    itemsOfRequest: async (query) => itemsOfRequest(store, query),
    rejects: async (query) => store.rejects.list(query),
    changes: async (query) => store.watched.list(query),
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

function matches({ row, request }: MemoryRequest, { url, state, hostKey, handler, reason }: RequestQuery): boolean {
  if (url !== undefined && url !== request.url) return false
  if (state !== undefined && state !== row.state) return false
  if (hostKey !== undefined && hostKey !== request.hostKey) return false
  if (handler !== undefined && handler !== request.handler) return false
  return reason === undefined || reason === row.reason
}

function itemsOf(store: MemoryStore, { afterSeq = 0, limit = Infinity, newestFirst, recordsOf }: ItemQuery): ItemRecord[] {
  const all = recordsOf === undefined ? store.items : store.records
  const found: ItemRecord[] = []
  const [first, step] = newestFirst ? [all.length, -1] : [afterSeq + 1, 1]
  for (let seq = first; seq > afterSeq && seq <= all.length && found.length < limit; seq += step) {
    const item = all[seq - 1]
    const page = item && store.request(item.requestId)?.request
    if (page && (recordsOf === undefined || page.handler === recordsOf)) found.push({ ...item, seq, url: page.url })
  }
  return found
}

function itemsOfRequest(store: MemoryStore, { requestId, before, limit }: RequestItemsQuery): readonly ItemRecord[] {
  const url = store.request(requestId)?.request.url ?? ''
  const items = store.seqsOf(requestId).flatMap((seq): ItemRecord[] => {
    const item = store.items[seq - 1]
    return item === undefined ? [] : [{ ...item, seq, url }]
  })
  const newestFirst = items.sort((a, b) => (b.visit ?? 0) - (a.visit ?? 0) || b.ordinal - a.ordinal)
  const isOlder = ({ visit = 0, ordinal }: ItemRecord): boolean =>
    before === undefined || visit < (before.visit ?? 0) || (visit === (before.visit ?? 0) && ordinal < before.ordinal)
  return newestFirst.filter(isOlder).slice(0, limit)
}
